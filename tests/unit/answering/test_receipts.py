"""Receipts: what they show, what they withhold, and that no byte of one can be changed unseen."""

import asyncio
import json
import unicodedata
from dataclasses import replace
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.answering.receipting import CHECKS, TEXTS, checked, codes, issued, record_of, with_text

from pincite.adapters.memory.signing import MemoryAuthority, MemorySigner
from pincite.answering.issuing import Withholding, withholding
from pincite.answering.receipt_checks import MOST_BYTES
from pincite.answering.receipts import document_of
from pincite.core.answers import AnswerRecord, Span
from pincite.core.canonical_json import canonical
from pincite.core.documents import Box
from pincite.core.errors import RefusedInput, UsageError
from pincite.core.ids import DocumentId
from pincite.core.receipts import Receipt, TimeStamp, digest, sealed, without_lost
from pincite.core.redacting import mask, redacted

RECORD = record_of(*TEXTS)
RECEIPT = issued(RECORD)
DATA = document_of(RECEIPT, RECORD)


def stamped_data(record: AnswerRecord = RECORD, receipt: Receipt = RECEIPT) -> bytes:
    response = asyncio.run(MemoryAuthority().stamp(receipt.statement.encode()))
    stamp = TimeStamp(response, MemorySigner().sign(sealed(receipt.id, response)))
    return document_of(replace(receipt, time_stamp=stamp), record)


def test_a_receipt_shows_all_that_it_commits_to():
    found = checked(RECORD)
    assert (found.faults, found.withheld) == ((), ())
    assert found.text("question") == RECORD.question
    assert found.text("answer") == RECORD.answer.text
    assert [found.text(f"passages/{at}") for at in range(2)] == list(TEXTS)
    assert found.field("versions/1", "path") == "a/1.pdf"
    assert found.field("claims/0", "text") == TEXTS[0]
    assert found.statement["answered_at"] == "2025-10-20T05:03:11.360+00:00"
    assert [claim["passages"] for claim in found.statement["claims"]] == [[0], [1], []]


def test_what_is_signed_repeats_nothing_of_question_answer_or_documents():
    told = RECEIPT.statement
    for said in (*TEXTS, RECORD.question, "Title 0", "a/0.pdf", "ab" * 32, "Who knows", "It says", "One › Two"):
        assert said not in told


def test_every_changed_byte_is_found():
    record = record_of(TEXTS[1])
    data = stamped_data(record, issued(record))
    assert codes(data) == []
    for at, byte in enumerate(data):
        # A bit, and the case of a letter: hexadecimal digits mean the same in both. `bench/receipts.py` tries all other bytes.
        for other in (byte ^ 1, byte ^ 0x20) if chr(byte).isalpha() else (byte ^ 1,):
            changed = data[:at] + bytes([other]) + data[at + 1 :]
            assert codes(changed), (at, chr(byte), chr(other))


def test_a_missing_or_doubled_part_is_found():
    for cut in range(0, len(DATA) - 1, 97):
        assert codes(DATA[:cut])
        assert codes(DATA[:cut] + DATA[cut : cut + 40] + DATA[cut:])


def test_the_same_json_written_otherwise_is_told_as_that_alone():
    for other in (json.dumps(json.loads(DATA), indent=2), json.dumps(json.loads(DATA)), "\ufeff" + DATA.decode()):
        assert codes(other.encode()) in (["form"], ["refused"])
    assert codes(DATA.rstrip(b"\n")) == []


def test_a_name_that_stands_twice_is_found_though_the_last_one_counts():
    doubled = DATA.replace(b'{"openings"', b'{"signature":"00","openings"', 1)
    assert json.loads(doubled) == json.loads(DATA)
    assert codes(doubled) == ["form"]


def test_composed_and_decomposed_letters_are_different_texts():
    other = unicodedata.normalize("NFD", DATA.decode()).encode()
    assert other != DATA
    assert "content" in codes(other)


def test_what_no_utf_8_can_hold_is_shown_all_the_same():
    record = record_of("Half a pair \ud83d.", question="Why \udcff?")
    found = checked(record)
    assert found.faults == ()
    assert found.text("passages/0") == "Half a pair \ud83d."
    assert found.text("question") == "Why \udcff?"


def test_places_that_no_json_can_hold_cost_no_answer_its_receipt():
    spans = (
        Span(1, "half \ud83d", "", (Box(float("nan"), float("-inf"), 1e400, 5.0),), (float("inf"), 2.0), confidence=float("nan")),
    )
    record = record_of("A quote.")
    record = replace(
        record,
        evidence=(replace(record.evidence[0], spans=spans),),
        answer=replace(record.answer, claims=(replace(record.answer.claims[0], support=float("nan")),)),
    )
    found = checked(record)
    assert (found.faults, found.withheld) == ((), ())
    [place] = cast("list[dict[str, object]]", found.opened["places/0"])
    assert (place["boxes"], place["page_size"], place["page_label"]) == ([[None, None, None, 5]], [None, 2], "half \ufffd")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b"\xff\xfe",
        b"NaN",
        b"[" * 100_000,
        b"1" * 10_000,
        b'{"statement":' * 5_000,
        b'{"statement":{"format":"pincite-receipt/1"}}',
        DATA.replace(b'"number":1', b'"number":1e0'),
        DATA.replace(b'"number":1', b'"number":true'),
        DATA.replace(b'"start":0', b'"start":90071992547409930'),
        DATA.replace(b'"previous":null', b'"previous":{}'),
        b" " * (MOST_BYTES + 1),
    ],
    ids=range(15),
)
def test_what_is_no_receipt_is_refused_with_a_sentence(data: bytes):
    with pytest.raises(RefusedInput, match="no receipt") as refused:
        CHECKS.check(data)
    assert refused.value.code == "no_receipt"


def test_a_receipt_of_a_newer_version_says_what_to_do():
    with pytest.raises(RefusedInput, match="Upgrade") as refused:
        CHECKS.check(DATA.replace(b"pincite-receipt/1", b"pincite-receipt/2"))
    assert refused.value.code == "newer_receipt"


@settings(max_examples=25)
@given(st.recursive(st.none() | st.integers() | st.text() | st.booleans(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)))
def test_whatever_is_stated_nothing_but_a_refusal_comes_of_it(value: object):
    statement = json.loads(DATA)["statement"]
    for name in statement:
        data = json.dumps({**json.loads(DATA), "statement": {**statement, name: value}}).encode()
        assert codes(data) or value == statement[name]


def test_withheld_passages_leave_commitments_that_others_still_stand_beside():
    places = withholding(["2"]).of(RECORD)
    data = document_of(RECEIPT, RECORD, withheld=places)
    found = CHECKS.check(data)
    assert found.faults == ()
    assert found.text("passages/0") == TEXTS[0]
    assert found.field("claims/0", "text") == TEXTS[0]
    assert found.text("question") == RECORD.question
    assert set(found.withheld) == places == {
        "answer", "filter", "prompt", "passages/1", "places/1", "versions/1", "claims/1", "claims/2"
    }  # fmt: skip
    for said in (TEXTS[1], "ten", "Title 1", "a/1.pdf", "Who knows"):
        assert said not in data.decode()


def test_passages_of_a_document_and_single_places_are_withheld():
    assert {"passages/0", "places/0"} <= Withholding(documents=frozenset({DocumentId("document-0")})).of(RECORD)
    assert withholding(["question"]).of(RECORD) == {"question"}
    assert withholding([]).of(RECORD) == withholding(["", " "]).of(RECORD) == set()


@pytest.mark.parametrize("named", ["3", "[9]", "passages/7", "nothing"])
def test_what_is_not_there_cannot_be_withheld(named: str):
    with pytest.raises(UsageError):
        withholding([named]).of(RECORD)


def test_an_opening_of_another_passage_is_found():
    value = json.loads(DATA)
    value["openings"]["passages/0"], value["openings"]["passages/1"] = (value["openings"][f"passages/{at}"] for at in (1, 0))
    assert codes(canonical(value)) == ["content", "content"]


def test_contents_that_never_were_committed_to_are_found():
    value = json.loads(DATA)
    value["openings"]["passages/2"] = value["openings"]["passages/1"]
    assert codes(canonical(value)) == ["content"]


def test_a_receipt_that_somebody_else_signed_verifies_but_not_under_the_expected_key():
    assert codes(DATA, key=MemorySigner().public_key()) == []
    assert codes(DATA, key="00" * 32) == ["key"]
    assert codes(DATA.replace(b'"public_key":"5a5a', b'"public_key":"5a5b')) == ["signature"]


def test_the_one_before_is_told_from_others():
    first, other = issued(RECORD), issued(RECORD)
    second_record = record_of(*TEXTS, number=2)
    second = issued(second_record, first)
    data = document_of(second, second_record)
    assert (
        CHECKS.check(data, previous=CHECKS.check(document_of(first, RECORD))).follows
        == first.id
        == digest(first.statement.encode())
    )
    unrelated = CHECKS.check(data, previous=CHECKS.check(document_of(other, RECORD)))
    assert [fault.code.value for fault in unrelated.faults] == ["chain"]


def test_a_time_stamp_belongs_to_one_receipt():
    data = stamped_data()
    found = CHECKS.check(data)
    assert found.time_stamp is not None
    assert found.time_stamp.by == "CN=Memory"
    other = json.loads(document_of(issued(RECORD), RECORD))
    other["time_stamp"] = json.loads(data)["time_stamp"]
    assert codes(canonical(other)) == ["time_stamp"]


def test_what_was_erased_is_withheld_and_its_nonces_go():
    left = redacted(RECORD, [DocumentId("document-1")], mask)
    kept = without_lost(RECEIPT, left)
    found = CHECKS.check(document_of(replace(RECEIPT, nonces=kept), left))
    assert found.faults == ()
    assert found.text("passages/0") == TEXTS[0]
    assert found.field("claims/0", "text") == TEXTS[0]
    assert set(found.withheld) == {
        "question", "answer", "filter", "prompt", "passages/1", "places/1", "versions/1", "claims/1", "claims/2"
    }  # fmt: skip
    assert not set(found.withheld) & set(kept)


def test_a_quote_that_was_changed_in_the_store_is_not_shown():
    assert "passages/0" in CHECKS.check(document_of(RECEIPT, with_text(RECORD, str.upper))).withheld
