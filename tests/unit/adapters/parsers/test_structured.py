"""JSON and XML: the way to a value is its heading, lists of like things are tables, and nothing that is hostile is followed."""

import json

import pytest

from pincite.adapters.parsers.structured import read_json_text, read_xml_text
from pincite.core.documents import ParsedDocument
from pincite.core.errors import RefusedInput


def from_json(text: str, *, max_depth: int = 100) -> ParsedDocument:
    document = read_json_text(text, max_chars=1_000_000, max_depth=max_depth)
    assert document
    return document


def from_xml(text: str, *, max_depth: int = 100) -> ParsedDocument:
    return read_xml_text(text, max_chars=1_000_000, max_depth=max_depth)


def blocks(document: ParsedDocument) -> list[tuple[str, str]]:
    text = document.canonical.text
    return [(f"{b.role.value}{b.level or ''}", text[b.start : b.end]) for b in document.canonical.blocks]


def source(document: ParsedDocument, text: str, said: str) -> str:
    """What stands in the file where a piece of canonical text comes from."""
    at = document.canonical.text.index(said)
    [run] = document.canonical.runs_within(at, at + len(said))
    return text[run.index : run.index + run.count]


LONG = "The fee is 40 EUR and is due in May. " * 12


def test_small_values_are_lines_under_the_names_that_lead_to_them() -> None:
    text = '{"fee": 40.50, "paid": true, "by": {"name": "Ann \\u00e9", "tags": ["a", "b"]}}'
    document = from_json(text)
    assert blocks(document) == [("body", "fee: 40.50\npaid: true\nby › name: Ann é\nby › tags: a, b")]
    assert source(document, text, "40.50") == "40.50"
    assert source(document, text, "Ann é") == "Ann \\u00e9"


def test_the_way_to_a_large_value_is_its_heading() -> None:
    text = json.dumps({"orders": [{"note": LONG}, {"customer": {"name": "Ann", "about": LONG}}]})
    assert [block for block in blocks(from_json(text)) if block[0] != "body"] == [
        ("heading1", "orders"),
        ("heading2", "0"),
        ("heading3", "note"),
        ("heading2", "1"),
        ("heading3", "customer"),
        ("heading4", "about"),
    ]
    assert ("body", "name: Ann") in blocks(from_json(text))


def test_a_list_of_like_things_is_a_table_whose_head_is_repeated() -> None:
    text = json.dumps([{"name": f"Team {n}", "in": {"town": f"Town {n}"}, "cups": n} for n in range(100)])
    found = blocks(from_json(text))
    assert len(found) > 3
    assert all(kind == "table" and said.startswith("| name | in › town | cups |\n| Team ") for kind, said in found)
    assert source(from_json(text), text, "Team 57") == "Team 57"


def test_things_too_long_for_a_row_are_lines_that_name_their_values() -> None:
    text = json.dumps([{"name": name, "about": LONG[:250], "more": LONG[:250]} for name in ("Ann", "Bo")])
    assert [said.split("\n")[0] for _, said in blocks(from_json(text))] == ["name: Ann", "name: Bo"]


def test_lines_that_hold_no_value_are_kept_and_told() -> None:
    document = from_json('{"t":"one"}\n{bad json}\n{"t":"LINE3-OK"}\n')
    assert document.meta == {"lines_unread": "2"}
    assert "line 2: {bad json}" in document.canonical.text
    assert "LINE3-OK" in document.canonical.text


def test_of_two_members_with_one_name_the_last_counts() -> None:
    assert blocks(from_json('{"role": "user", "role": "admin"}')) == [("body", "role: admin")]


@pytest.mark.parametrize(
    "text", ["", "{", "[1, 2", '{"a" 1}', "[1,]", '{"a": 1,}', "nope", "{bad}\n{worse}\n{}", "[1] [2]", '{"a": tru}', "]"]
)
def test_what_is_no_json_is_left_to_other_readers(text: str) -> None:
    assert read_json_text(text, max_chars=100, max_depth=100) is None


@pytest.mark.parametrize("text", ["[" * 101, '{"a":' * 101, "[" * 200_000])
def test_values_nested_too_deeply_are_refused(text: str) -> None:
    with pytest.raises(RefusedInput) as refused:
        from_json(text)
    assert refused.value.code == "too_deep"


def test_numbers_and_words_stand_as_they_are_written() -> None:
    many = "9" * 6000
    assert blocks(from_json(f'{{"n": {many}, "x": NaN}}')) == [("body", "x: NaN"), ("heading1", "n"), ("body", many)]


def test_a_notebook_is_its_texts_code_and_printed_output() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Fees\n", "All of them."]},
        {"cell_type": "code", "source": "a = 1\nprint(a)", "outputs": [{"text": ["1\n"]}, {"data": {"text/html": "<b>no</b>"}}]},
    ]
    document = from_json(json.dumps({"nbformat": 4, "metadata": {"kernel": "no"}, "cells": cells}))
    assert blocks(document) == [("heading1", "Fees"), ("body", "All of them."), ("body", "a = 1\nprint(a)"), ("body", "1")]


def test_equal_elements_are_rows_of_a_table() -> None:
    text = "<book><land a='1'><name>Chad &amp; Co</name></land><land a='2'><name>Mali</name></land></book>"
    assert blocks(from_xml(text)) == [("heading1", "book"), ("table", "| @a | name |\n| 1 | Chad & Co |\n| 2 | Mali |")]


def test_a_document_for_reading_is_paragraphs_under_its_titles() -> None:
    text = "<doc><title>Fees</title><p>The fee is <b>40</b> EUR.</p><part><title>Fines</title><p>None.</p></part></doc>"
    assert blocks(from_xml(text)) == [
        ("heading1", "Fees"),
        ("body", "The fee is 40 EUR."),
        ("heading2", "Fines"),
        ("body", "None."),
    ]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('<!DOCTYPE a [<!ENTITY b "ccc">]><a>&b;</a>', "corrupt"),
        ('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', "corrupt"),
        ('<!DOCTYPE a [<!ENTITY % b SYSTEM "http://127.0.0.1:9/">%b;]><a/>', "corrupt"),
        ("<a><b></a>", "corrupt"),
        ("<a>" * 500, "too_deep"),
    ],
)
def test_hostile_and_broken_xml_is_refused(text: str, code: str) -> None:
    with pytest.raises(RefusedInput) as refused:
        from_xml(text)
    assert refused.value.code == code


def test_a_document_type_without_entities_is_no_harm() -> None:
    text = '<?xml version="1.0" encoding="latin1"?><!DOCTYPE a PUBLIC "x" "http://127.0.0.1:9/a.dtd"><a><b>é</b></a>'
    assert "b: é" in from_xml(text).canonical.text


def test_of_a_drawing_only_what_it_says_is_read() -> None:
    text = '<svg onload="fetch()"><title>Fees</title><script>PWNED</script><text>40 <tspan>EUR</tspan></text><path d="M0"/></svg>'
    assert from_xml(text).canonical.text == "Fees\n40 EUR" or "Fees" in from_xml(text).canonical.text
    assert "PWNED" not in from_xml(text).canonical.text
    assert "fetch" not in from_xml(text).canonical.text
