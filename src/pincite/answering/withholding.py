"""What leaves under the strict policy: claim by claim, each once it has its verdict, or a fixed text in its place."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from pincite.answering.citing import Cited, Citing
from pincite.answering.claim_stream import ClaimStream, ReadyClaim
from pincite.answering.claims import claim_text
from pincite.answering.markers import Mark
from pincite.core.answers import Claim, Verdict
from pincite.core.policies import WITHHELD

_REASONS = {
    Verdict.CONTRADICTED: "A claim that its sources contradict was withheld.",
    Verdict.NOT_FOUND: "A claim that its sources don't say was withheld.",
    Verdict.NOT_CHECKED: "A claim without a quote from its sources was withheld.",
}
_DRESS = re.compile(r"\*\*|__|~~|`+")
_BLANKS = " \t"


class Withholding:
    """Takes the text of an answer as it comes, and gives out what may be sent of it.

    What is sent is the same however the text is cut. Claims in a row of one paragraph that are withheld leave one fixed text, a
    cell of a table has its own, and marks of emphasis around them stay paired.
    """

    def __init__(self, citing: Citing, question: str = "") -> None:
        self.withheld = 0
        """How many claims were withheld."""
        self._citing = citing
        self._stream = ClaimStream(question)
        self._out: list[str] = []
        self._sent = self._read = 0
        self._claims: list[Claim] = []
        self._run: int | None = None
        """The block whose last claim was withheld."""
        self._opened: list[str] = []
        """Marks of emphasis that withheld claims opened, for the next one that is sent."""

    @property
    def text(self) -> str:
        """Return what came so far, which never leaves."""
        return self._stream.text

    @property
    def cited(self) -> Cited:
        """Return the claims that were sent, one for each fixed text among them; offsets are those of what was sent."""
        return Cited(tuple(self._claims), tuple(self._citing.citations))

    def feed(self, text: str, marks: Sequence[Mark]) -> str:
        """Return what a piece of the text makes ready to be sent; `marks` are all labels so far."""
        for claim in self._stream.feed(text, marks) if text else ():
            self._judge(claim)
        return self._drain()

    def finish(self) -> str:
        """Return what was held back, as far as it may be sent."""
        for claim in self._stream.finish():
            self._judge(claim)
        self._say(self.text[self._read :])
        return self._drain()

    def _judge(self, claim: ReadyClaim) -> None:
        said = claim_text(self.text, claim.span, self._stream.marks)
        judged = self._citing.judge(claim.span.labels, said, claim.lang)
        if not judged.is_supported:
            self._withhold(claim, judged.judgement.verdict)
            return
        self._say(self.text[self._read : claim.span.start] + self._reopened(claim.block))
        start = self._sent
        self._say(self.text[claim.span.start : claim.span.end])
        self._claims.append(self._citing.state(start, self._sent, judged))
        self._read, self._run = claim.span.end, None

    def _withhold(self, claim: ReadyClaim, verdict: Verdict) -> None:
        self.withheld += 1
        start, end = self._with_labels(claim)
        closed = self._closed(claim.block, start, end)
        if self._run == claim.block and not claim.is_cell:
            worst = self._claims[-1] if verdict is not Verdict.CONTRADICTED else _stating(self._claims[-1], verdict)
            self._claims[-1] = worst
        else:
            self._say(self.text[self._read : start])
            place = Claim(self._sent, self._sent + len(WITHHELD))
            self._say(WITHHELD)
            self._claims.append(_stating(place, verdict))
        self._say(closed)
        self._read, self._run = end, claim.block

    def _with_labels(self, claim: ReadyClaim) -> tuple[int, int]:
        """Return where a claim begins and ends; in a cell its labels, which stand beside it there, go with it."""
        start, end = claim.span.start, claim.span.end
        for mark in self._stream.marks if claim.is_cell else ():
            if mark.position >= end and not self.text[end : mark.position].strip(_BLANKS):
                end = mark.end
        for mark in reversed(self._stream.marks) if claim.is_cell else ():
            if self._read <= mark.position and mark.end <= start and not self.text[mark.end : start].strip(_BLANKS):
                start = mark.position
        return start, end

    def _closed(self, block: int, start: int, end: int) -> str:
        """Return the marks of emphasis that end in what is withheld and began before; keep in mind those that only begin in it."""
        if self._run != block:
            self._opened = []
        before = Counter(_DRESS.findall(self.text, block, start))
        ending = ""
        for dress, count in Counter(_DRESS.findall(self.text, start, end)).items():
            if count % 2 == 0:
                continue
            if before[dress] % 2 == 0:
                self._opened.append(dress)
            elif dress in self._opened:
                self._opened.remove(dress)
            else:
                ending += dress
        return ending

    def _reopened(self, block: int) -> str:
        opened, self._opened = self._opened, []
        return "".join(opened) if self._run == block else ""

    def _say(self, text: str) -> None:
        self._out.append(text)
        self._sent += len(text)

    def _drain(self) -> str:
        text, self._out = "".join(self._out), []
        return text


def _stating(place: Claim, verdict: Verdict) -> Claim:
    """Return a claim for a fixed text: nothing in it tells what was withheld."""
    return replace(place, verdict=verdict, reason=_REASONS[verdict])
