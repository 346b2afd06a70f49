"""What every judge keeps, whatever stands behind it."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path

import pytest
from tests.contracts.nli_folder import write_nli_folder

from pincite.adapters.memory.judging import ScriptedJudge
from pincite.adapters.models.onnx_nli import OnnxNliJudge
from pincite.answering.chat_judge import ChatJudge
from pincite.core.answers import Verdict
from pincite.core.messages import ChatMessage, ModelUsage
from pincite.core.ports.judging import Judge, Ruling

SAYS = "The file is from May. The bank granted the loan to the mill. Rain fell."
DENIES = "The file is from June. The bank denied the loan to the mill. Snow fell."
SILENT = "The mill stands on the river. Its wheel is of oak."
CLAIM, OTHER = "The mill got its loan.", "The mill got the money."


def ruling_on(texts: Sequence[str]) -> Ruling:
    """Return what is right of either claim by texts."""
    text = " ".join(texts)
    for word, verdict in (("granted", Verdict.SUPPORTED), ("denied", Verdict.CONTRADICTED)):
        if word in text:
            return Ruling(verdict, f"The bank {word} the loan to the mill.")
    return Ruling(Verdict.NOT_FOUND)


class Reading(ScriptedJudge):
    async def rule(self, claim: str, texts: Sequence[str], *, question: str = "") -> Ruling:
        await super().rule(claim, texts)
        return ruling_on(texts)


class ReadingModel:
    """A chat model that replies to the texts in its prompt."""

    name = "reading"

    async def invoke(self, messages: Sequence[ChatMessage]) -> str:
        return "".join([piece async for piece in self.stream(messages) if isinstance(piece, str)])

    async def stream(self, messages: Sequence[ChatMessage]) -> AsyncGenerator[str | ModelUsage, None]:
        found = ruling_on([messages[-1].content])
        yield json.dumps({"verdict": found.verdict.value, "quote": found.quote})
        yield ModelUsage(100, 10)


BUILDERS: dict[str, Callable[[Path], Judge]] = {
    "scripted": lambda folder: Reading(),
    "chat model": lambda folder: ChatJudge(ReadingModel()),
    "entailment model": lambda folder: OnnxNliJudge(write_nli_folder(folder)),
}


@pytest.fixture(params=list(BUILDERS))
def judge(request: pytest.FixtureRequest, tmp_path: Path) -> Judge:
    return BUILDERS[request.param](tmp_path / "nli")


@pytest.mark.parametrize(
    ("texts", "verdict", "word"),
    [
        ([SAYS], Verdict.SUPPORTED, "granted"),
        ([SILENT, SAYS], Verdict.SUPPORTED, "granted"),
        ([DENIES], Verdict.CONTRADICTED, "denied"),
        ([SILENT, DENIES], Verdict.CONTRADICTED, "denied"),
    ],
)
async def test_a_verdict_rests_on_words_of_a_text(judge: Judge, texts: list[str], verdict: Verdict, word: str) -> None:
    ruling = await judge.rule(CLAIM, texts, question="Did the mill get its loan?")
    assert ruling.verdict is verdict
    assert word in ruling.quote
    assert any(ruling.quote in text for text in texts)


@pytest.mark.parametrize("texts", [[SILENT], [], [""]])
async def test_where_nothing_is_about_it_a_claim_is_not_found_and_nothing_is_quoted(judge: Judge, texts: list[str]) -> None:
    ruling = await judge.rule(CLAIM, texts)
    assert (ruling.verdict, ruling.quote) == (Verdict.NOT_FOUND, "")


@pytest.mark.parametrize("claim", ["Half \ud800 a pair.", "x " * 5_000, "[SEP] [CLS]", ""])
async def test_any_text_can_be_a_claim(judge: Judge, claim: str) -> None:
    assert (await judge.rule(claim, [SILENT])).verdict is Verdict.NOT_FOUND


async def test_claims_at_the_same_time_dont_mix(judge: Judge) -> None:
    asked = [(CLAIM, [SAYS], Verdict.SUPPORTED), (OTHER, [DENIES], Verdict.CONTRADICTED), (CLAIM, [SILENT], Verdict.NOT_FOUND)] * 4
    many = await asyncio.gather(*(judge.rule(claim, texts) for claim, texts, _ in asked))
    assert [each.verdict for each in many] == [verdict for _, _, verdict in asked]


async def test_a_judge_has_a_name_and_a_version(judge: Judge) -> None:
    assert judge.name
    assert judge.version
