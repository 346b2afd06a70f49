import asyncio
from importlib import metadata
from pathlib import Path

import pytest

from pincite.adapters.memory.chat import ScriptedChatModel
from pincite.answering.extractive import ExtractiveChatModel
from pincite.bootstrap import Models, build
from pincite.core.errors import ConfigurationError
from pincite.settings import load_settings


def test_where_the_local_weights_dont_install_words_alone_are_searched_and_the_other_ways_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def missing(name: str) -> metadata.Distribution:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", missing)
    assert Models(load_settings({}, home=str(tmp_path))).embedding is None
    assert "PINCITE_EMBEDDING" in caplog.text


def test_a_chat_model_is_used_only_when_it_is_named(tmp_path: Path) -> None:
    assert Models(load_settings({"OPENAI_API_KEY": "k", "PINCITE_EMBEDDING": "none"}, home=str(tmp_path))).chat.name == "extractive"
    named = load_settings({"CHAT_MODEL": "small", "OPENAI_API_KEY": "k"}, home=str(tmp_path))
    assert Models(named).chat.name == "small"


@pytest.mark.parametrize(
    ("environ", "says"),
    [
        ({"CHAT_PROVIDER": "oracle"}, "CHAT_PROVIDER"),
        ({"CHAT_PROVIDER": "openai"}, "CHAT_MODEL"),
        ({"PINCITE_CHUNK_OVERLAP_PERCENT": "80"}, "PINCITE_CHUNK_OVERLAP_PERCENT"),
        ({"PINCITE_MAX_PAGES": "0"}, "PINCITE_MAX_PAGES is 0; it can be from 1 to 1,000,000"),
        ({"PINCITE_WORKER_SLOTS": "-1"}, "PINCITE_WORKER_SLOTS"),
        ({"PINCITE_PARSE_TIMEOUT_S": "nan"}, "PINCITE_PARSE_TIMEOUT_S"),
        ({"CHAT_SILENCE_TIMEOUT_SECONDS": "inf"}, "CHAT_SILENCE_TIMEOUT_SECONDS"),
        ({"PINCITE_CHUNK_TOKENS": "5.5"}, "whole number"),
        ({"CHAT_REQUEST_TIMEOUT_SECONDS": "soon"}, "CHAT_REQUEST_TIMEOUT_SECONDS"),
    ],
)
def test_a_setting_that_cant_be_is_named(environ: dict[str, str], says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        load_settings(environ)


def test_an_embedding_that_is_neither_word_nor_folder_is_named(tmp_path: Path) -> None:
    settings = load_settings({"PINCITE_EMBEDDING": str(tmp_path / "none")}, home=str(tmp_path))
    with pytest.raises(ConfigurationError, match="PINCITE_EMBEDDING"):
        assert Models(settings).embedding


async def test_a_close_that_is_cancelled_closes_everything_all_the_same(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    services = build(load_settings({}, home=str(tmp_path), embedding="none"))
    async with services.store.open(services.workspace_id) as work:
        await work.collections.list()
    closing = asyncio.create_task(services.close())
    await asyncio.sleep(0)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    assert caplog.records == []


def test_nobody_judges_claims_unless_a_judge_is_set(tmp_path: Path) -> None:
    assert Models(load_settings({}, home=str(tmp_path))).review(ScriptedChatModel(["x"])) is None
    wanted = Models(load_settings({}, home=str(tmp_path), judge="chat", judge_claims="all", judge_max_claims=3))
    review = wanted.review(ScriptedChatModel(["x"]))
    assert review
    assert (review.name, review.every, review.most) == ("chat/1 scripted", True, 3)
    assert wanted.review(ExtractiveChatModel()) is None


def test_a_judge_that_cannot_be_had_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="PINCITE_JUDGE"):
        Models(load_settings({}, home=str(tmp_path), judge=str(tmp_path / "none"))).review(ScriptedChatModel(["x"]))
    with pytest.raises(ConfigurationError, match="PINCITE_JUDGE_CLAIMS"):
        load_settings({}, judge_claims="some")


async def test_a_chat_model_is_asked_from_a_third_of_the_threshold_on_and_the_built_in_one_from_all_of_it(tmp_path: Path) -> None:
    services = build(load_settings({"PINCITE_ANSWERABLE_LEAST": "0.3"}, home=str(tmp_path), embedding="none"))
    built_in, other = services.engine().answerability, services.engine(ScriptedChatModel([""])).answerability
    await services.close()
    assert (built_in.least, built_in.requests) == (0.3, False)
    assert (other.least, other.requests) == (pytest.approx(0.1), True)
