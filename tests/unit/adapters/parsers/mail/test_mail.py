"""Messages read to canonical text."""

import pytest

from pincite.adapters.parsers.mail import read_mail
from pincite.core.documents import CanonicalText, ParsedDocument
from pincite.core.errors import RefusedInput

HEAD = "From: Ann <ann@example.org>\nSubject: Fees\n"
PLAIN = "Content-Type: text/plain; charset=utf-8\n\n"
PAGE = "Content-Type: text/html; charset=utf-8\n\n"
FROM_ANN = "## From: Ann <ann@example.org>"


def read(text: str | bytes) -> ParsedDocument:
    return read_mail(text if isinstance(text, bytes) else text.encode(), max_chars=1_000_000)


def lines(text: str | bytes) -> list[str]:
    """The blocks, headings as Markdown writes them."""
    canonical = read(text).canonical
    return [
        ("#" * block.level + " " if block.level else "") + canonical.text[block.start : block.end] for block in canonical.blocks
    ]


def body(text: str) -> list[str]:
    """The blocks of the text of a message from Ann, behind her name."""
    return lines(HEAD + text)[2:]


def mixed(*parts: str, kind: str = "mixed") -> str:
    return f"Content-Type: multipart/{kind}; boundary=b\n\n" + "".join(f"--b\n{part}\n" for part in parts) + "--b--\n"


def test_the_headers_that_people_read_come_first() -> None:
    text = (
        "Received: from x\nFrom: =?utf-8?q?Ann_=C3=89?= <ann@example.org>\nTo: Bob <bob@example.org>,\n Cy <cy@example.org>\n"
        "Cc: dan@example.org\nDate: Tue, 2 Jan 2024 23:30:00 -0800\nSubject: Fees\n\nThe fee is 40 EUR.\n"
    )
    assert lines(text) == [
        "# Fees",
        "## From: Ann É <ann@example.org>",
        "To: Bob <bob@example.org>, Cy <cy@example.org>",
        "Cc: dan@example.org",
        "Date: Tue, 2 Jan 2024 23:30:00 -0800",
        "The fee is 40 EUR.",
    ]
    assert (read(text).title, read(text).doc_date, read(text).content_type) == ("Fees", "2024-01-02", "message/rfc822")


@pytest.mark.parametrize(
    ("written", "subject"),
    [
        ("=?utf-8?B?w7xiZXI=?=", "über"),
        ("=?UTF-8?Q?=C3?= =?UTF-8?Q?=BCber_uns?=", "über uns"),
        ("=?utf-8?q?a?=\n =?utf-8?q?b?= c", "ab c"),
        ("=?windows-1255?B?+ezl7Q==?=", "שלום"),
        ("=?x-unknown?q?fees?=", "fees"),
        ("=?utf-8?B?w7xiZXI?= =?", "über =?"),
        ("=?utf-8?q?hi=0d=0aBcc:_x@x.test?=", "hi Bcc: x@x.test"),
        ("Re: =?utf-8*en?q?f=C3=A9e?=", "Re: fée"),
    ],
)
def test_subjects_are_decoded(written: str, subject: str) -> None:
    assert read(f"From: a@b.test\nSubject: {written}\n\nx").title == subject


def test_headers_that_are_not_encoded_at_all_are_read_as_they_look() -> None:
    assert read("Subject: Gebühren\n\nx".encode("cp1252")).title == "Gebühren"
    assert read("Subject: Gebühren\n\nx".encode()).title == "Gebühren"


@pytest.mark.parametrize("date", ["", "yesterday", "Tue, 99 Jan 2024 99:99:99 +9999", "0", "Tue, 2 Jan 99999999999 00:00:00 +0000"])
def test_a_date_that_is_none_is_left_out(date: str) -> None:
    assert read(f"Date: {date}\nSubject: x\n\nx").doc_date == ""


def test_of_two_forms_of_a_text_one_is_read_the_richer() -> None:
    page = PAGE + "<p>The fee is 40 EUR.</p><table><tr><th>May<th>June<tr><td>1<td>2</table>"
    assert body(mixed(PLAIN + "The fee is 40 EUR. May 1 June 2", page, kind="alternative")) == [
        "The fee is 40 EUR.",
        "| May | June |\n| 1 | 2 |",
    ]


def test_a_page_that_says_far_less_than_the_plain_text_is_not_the_text() -> None:
    forms = (PLAIN + "The fee is 40 EUR, due in May.", PAGE + "<img src=x alt=y>")
    assert body(mixed(*forms, kind="alternative")) == ["The fee is 40 EUR, due in May."]
    assert body(mixed(PAGE + "<p>Page", PLAIN + "Text", kind="alternative")) == ["Text"]


def test_pictures_of_a_page_are_no_attachments_and_other_files_are() -> None:
    page = mixed(PAGE + "<p>See <img src='cid:1'></p>", "Content-Type: image/png\nContent-ID: <1>\n\nx", kind="related")
    outer = "Content-Type: multipart/mixed; boundary=o\n\n"
    files = "--o\nContent-Type: application/pdf; name=Bill.pdf\n\nx\n--o\nContent-Type: image/png; name=plan.png\n\nx\n--o--"
    document = read(f"{HEAD}{outer}--o\n{page}\n{files}")
    assert document.contained == 2
    assert "Attachments: Bill.pdf; plan.png" in document.canonical.text
    assert document.canonical.text.endswith("See")


def test_names_of_attachments_are_names_and_no_ways() -> None:
    names = ["../../tmp/a.txt", "C:\\secret\\b.txt", "a.txt", "..", "c\u202etxt.exe"]
    parts = [f'Content-Disposition: attachment; filename="{name}"\n\nx'.replace("\\", "\\\\") for name in names]
    shown = next(line for line in lines(HEAD + mixed(*parts)) if line.startswith("Attachments"))
    assert shown == "Attachments: a.txt; b.txt; a (2).txt; attachment; ctxt.exe"


def test_a_message_in_a_message_is_an_attachment_named_by_its_subject() -> None:
    inner = "Content-Type: message/rfc822\n\nSubject: Old/news\n\nThe fee was 30 EUR."
    document = read(HEAD + mixed(PLAIN + "See below.", inner))
    assert "Attachments: Old-news.eml" in document.canonical.text
    assert "30 EUR" not in document.canonical.text


def test_signed_messages_are_read_and_sealed_ones_refused() -> None:
    signature = "Content-Type: application/pkcs7-signature; name=smime.p7s\n\nx"
    assert body(mixed(PLAIN + "The fee is 40 EUR.", signature, kind="signed")) == ["The fee is 40 EUR."]
    for sealed in (
        mixed(
            "Content-Type: application/pgp-encrypted\n\nVersion: 1", "Content-Type: application/octet-stream\n\nx", kind="encrypted"
        ),
        "Content-Type: application/pkcs7-mime; smime-type=enveloped-data\n\nx",
    ):
        with pytest.raises(RefusedInput) as refused:
            read(HEAD + sealed)
        assert refused.value.code == "encrypted"


def test_quoted_words_stand_under_the_name_of_who_wrote_them() -> None:
    text = (
        "No, 50.\n\nOn Mon, 1 Jan 2024 at 10:00, Bob <bob@example.org>\nwrote:\n\n> The fee is 40.\n>\n"
        "> On Sun, Cy <cy@example.org> wrote:\n>> What is the fee?\n>\n> Bob\n\nAnd due in May.\n\nAnn\n"
    )
    assert body(PLAIN + text) == [
        "No, 50.",
        "## On Mon, 1 Jan 2024 at 10:00, Bob <bob@example.org> wrote:",
        "The fee is 40.",
        "## On Sun, Cy <cy@example.org> wrote:",
        "What is the fee?",
        "## On Mon, 1 Jan 2024 at 10:00, Bob <bob@example.org> wrote:",
        "Bob",
        FROM_ANN,
        "And due in May.",
        "Ann",
    ]


@pytest.mark.parametrize(
    "introduction",
    [
        "Am 01.01.2024 um 10:00 schrieb Bob:",
        "Le lun. 1 janv. 2024 à 10:00, Bob <bob@example.org> a écrit :",
        "El lun, 1 ene 2024 a las 10:00, Bob escribió:",
        "2024年1月1日(月) 10:00 Bob <bob@example.org>:",
        "Bob wrote:",
    ],
)
def test_introductions_are_known_in_other_languages(introduction: str) -> None:
    assert body(f"{PLAIN}{introduction}\n> Forty.") == [f"## {introduction}", "Forty."]


def test_a_quote_without_introduction_is_told_as_quoted() -> None:
    assert body(PLAIN + "> The fee is 40.\nNo, 50.") == ["## Quoted", "The fee is 40.", FROM_ANN, "No, 50."]
    assert body(PLAIN + "These are due:\n> The fee.") == ["These are due:", "## Quoted", "The fee."]


def test_block_quotes_of_a_page_count_like_marks() -> None:
    page = (
        "<div>No, 50.</div><div class=gmail_quote><div>On 1 Jan 2024 Bob &lt;bob@example.org&gt; wrote:<br></div>"
        "<blockquote><p>The fee is 40.</p><table><tr><td>a<td>b</table></blockquote></div><p>Ann</p>"
    )
    assert body(PAGE + page) == [
        "No, 50.",
        "## On 1 Jan 2024 Bob <bob@example.org> wrote:",
        "The fee is 40.",
        "| a | b |",
        FROM_ANN,
        "Ann",
    ]


@pytest.mark.parametrize(
    ("writer", "sent"),
    [
        ("From: Bob [mailto:bob@example.org]", "Sent: Monday"),
        ("Von: Bob", "Gesendet: Montag"),
        ("发件人: Bob", "日期: 1"),
        ("De : Bob", "Envoyé : lundi"),
    ],
)
def test_older_messages_below_are_those_of_their_writers(writer: str, sent: str) -> None:
    below = ["No, 50.", f"## {writer}", sent, "To: Ann", "The fee is 40."]
    assert body(f"{PLAIN}No, 50.\n\n{writer}\n{sent}\nTo: Ann\n\nThe fee is 40.") == below
    assert body(f"{PAGE}<p>No, 50.</p><div><p><b>{writer}</b><br>{sent}<br>To: Ann</p></div><p>The fee is 40.") == below


def test_a_line_that_only_begins_like_a_header_is_text() -> None:
    assert body(PLAIN + "From: the office\n\nWe are open.") == ["From: the office", "We are open."]


def test_a_signature_is_a_section_of_its_own_under_its_writer() -> None:
    assert body(PLAIN + "The fee is 40.\n-- \nAnn, phone 123") == ["The fee is 40.", FROM_ANN, "Ann, phone 123"]


def test_flowed_lines_are_joined_as_they_say() -> None:
    flowed = PLAIN.replace("utf-8", "utf-8; format=flowed")
    assert body(flowed + "The fee \nis 40.\nDue in May. \n\n> It \n> was 30.\n-- \nAnn") == [
        "The fee is 40.",
        "Due in May.",
        "## Quoted",
        "It was 30.",
        FROM_ANN,
        FROM_ANN,
        "Ann",
    ]
    assert body(PLAIN.replace("utf-8", "utf-8; format=flowed; delsp=yes") + "料 \n金") == ["料金"]


def test_each_character_has_its_number_in_the_order_of_reading() -> None:
    canonical: CanonicalText = read(HEAD + mixed(PAGE + "<p>Fee:&nbsp;40")).canonical
    taken = "Fees" + "Ann <ann@example.org>" + "<p>Fee:&nbsp;40"
    assert canonical.runs
    for run in canonical.runs:
        if run.length == run.count:
            assert canonical.text[run.start : run.start + run.length] == taken[run.index : run.index + run.count]


def test_messages_nested_beyond_measure_are_refused() -> None:
    nested = "Subject: x\nContent-Type: message/rfc822\n\n" * 12 + "\nx"
    with pytest.raises(RefusedInput) as refused:
        read(nested)
    assert refused.value.code == "too_deep"
    assert read("Subject: x\nContent-Type: message/rfc822\n\n" * 8 + "\nx").contained == 1
