"""Who says what in a message: quoted parts get a heading that names whose words they are.

So each chunk and each citation carries its writer. A heading is the line of the message that tells the writer, wherever there is
one; it holds until the next.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from pincite.adapters.parsers.leaves import Leaf, Table
from pincite.adapters.parsers.mail_text import SIGNATURE_MARK
from pincite.adapters.parsers.tables import GLUE, MADE, Piece
from pincite.core.documents import BlockRole

WRITER_LEVEL = 2
_MOST_INTRO_CHARS = 400
_WHEN_AND_WHO = re.compile(r"(?=.*\d{1,4}[-./: ,]).*\S@\S")
_LOOK_AHEAD = 4
_SAYS = re.compile(
    r"\d|@|wrote|writes|said|schrieb|écrit|escribió|escreveu|scritto|schreef|skrev|kirjoitti|napisa|писа|пише|написа|写道|書きました"
)
_FROM_LABELS = (
    *("From", "Von", "De", "Da", "Van", "Från", "Fra", "Lähettäjä", "Od", "Feladó", "От", "Від", "Από", "Kimden"),
    *("发件人", "寄件者", "寄件人", "差出人", "보낸 사람", "מאת", "من"),
)
_SENT_LABELS = (
    *(
        "Sent",
        "Date",
        "Gesendet",
        "Datum",
        "Envoyé",
        "Enviado",
        "Enviada",
        "Fecha",
        "Inviato",
        "Data",
        "Verzonden",
        "Skickat",
        "Sendt",
    ),
    *(
        "Dato",
        "Lähetetty",
        "Wysłano",
        "Odesláno",
        "Elküldve",
        "Отправлено",
        "Дата",
        "Надіслано",
        "Ημερομηνία",
        "Gönderildi",
        "Tarih",
    ),
    *("发送时间", "日期", "寄件日期", "送信日時", "日付", "보낸 날짜", "날짜", "נשלח", "תאריך", "تاريخ"),
)
_FROM = re.compile(rf"[*\s]*(?:{'|'.join(_FROM_LABELS)})[*\s]*[:：][*\s]*\S", re.IGNORECASE)
_SENT = re.compile(rf"[*\s]*(?:{'|'.join(_SENT_LABELS)})[^:：]{{0,12}}[:：]", re.IGNORECASE)


def attributed(items: Sequence[Leaf | Table], writer: Leaf | None) -> list[Leaf | Table]:
    """Return a body with headings where the writer changes; `writer` is the heading that stands before it."""
    return _Reading(items, writer).result


class _Reading:
    def __init__(self, items: Sequence[Leaf | Table], writer: Leaf | None) -> None:
        self.result: list[Leaf | Table] = []
        self._writers: dict[int, Leaf] = {0: writer} if writer else {}
        self._depth = 0
        for number, item in enumerate(items):
            head = _quoted_head(items, number)
            if item.quoted != self._depth:
                self._turn(item.quoted, is_told=head is not None)
            if head and isinstance(item, Leaf):
                self._start(head, _lines(item)[1:])
            elif isinstance(item, Leaf) and _introduces_alone(item) and _goes_on_at(item.quoted, items, number):
                self._start(item.pieces, [])
            elif isinstance(item, Leaf) and item.text == SIGNATURE_MARK:
                self._repeat()
            else:
                self.result.append(item)

    def _turn(self, depth: int, *, is_told: bool) -> None:
        """Go to another depth of quotation. Deeper in, the line before says who is quoted, unless the quoted part itself does."""
        deeper, self._depth = depth > self._depth, depth
        self._writers = {each: writer for each, writer in self._writers.items() if each <= depth}
        if is_told:
            return
        if not deeper:
            self._repeat()
            return
        last = self.result[-1] if self.result else None
        if isinstance(last, Leaf) and last.role is BlockRole.BODY and _introduces(last.text):
            last.role, last.level = BlockRole.HEADING, WRITER_LEVEL
            self._writers[depth] = last
        else:
            self._writers[depth] = Leaf(BlockRole.HEADING, WRITER_LEVEL, [("Quoted", MADE, 0)])
            self.result.append(self._writers[depth])

    def _repeat(self) -> None:
        """Let the section of whoever writes at this depth begin anew."""
        if self._depth in self._writers:
            self.result.append(replace(self._writers[self._depth]))

    def _start(self, head: list[Piece], lines: Sequence[list[Piece]]) -> None:
        """Begin an older message that stands here unmarked: the line that says who wrote it, then other headers of it."""
        self._writers[self._depth] = Leaf(BlockRole.HEADING, WRITER_LEVEL, head)
        self.result.append(self._writers[self._depth])
        self.result += [Leaf(pieces=line) for line in lines]


def _introduces(text: str) -> bool:
    return len(text) <= _MOST_INTRO_CHARS and text.endswith((":", "：")) and bool(_SAYS.search(text))


def _introduces_alone(leaf: Leaf) -> bool:
    """Whether a line says by itself that an older message follows: when, the address of who wrote it, a colon."""
    return leaf.role is BlockRole.BODY and _introduces(leaf.text) and bool(_WHEN_AND_WHO.match(leaf.text))


def _goes_on_at(depth: int, items: Sequence[Leaf | Table], number: int) -> bool:
    return number + 1 < len(items) and items[number + 1].quoted == depth


def _quoted_head(items: Sequence[Leaf | Table], number: int) -> list[Piece] | None:
    """Return the line that names the writer, where the headers of an older message begin as programs write them into a text."""
    leaf = items[number]
    if not isinstance(leaf, Leaf) or leaf.role is not BlockRole.BODY or not _FROM.match(leaf.text):
        return None
    following = [each for each in items[number : number + _LOOK_AHEAD] if isinstance(each, Leaf)]
    lines = [_text(line) for each in following for line in _lines(each)][1 : 1 + _LOOK_AHEAD]
    return _lines(leaf)[0] if any(_SENT.match(line) for line in lines) else None


def _lines(leaf: Leaf) -> list[list[Piece]]:
    lines: list[list[Piece]] = [[]]
    for piece in leaf.pieces:
        if piece[1] == GLUE and "\n" in piece[0]:
            lines.append([])
        else:
            lines[-1].append(piece)
    return [line for line in lines if any(text.strip() for text, _, _ in line)]


def _text(line: Sequence[Piece]) -> str:
    return " ".join("".join(text for text, _, _ in line).split())
