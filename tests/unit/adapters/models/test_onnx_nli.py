"""Folders with entailment models: which can be used, and what is put to them."""

import json
from pathlib import Path

import pytest
from tests.contracts.nli_folder import LABELS, write_nli_folder

from pincite.adapters.models.onnx_nli import MOST_PREMISES, OnnxNliJudge, premises
from pincite.core.answers import Verdict
from pincite.core.errors import ConfigurationError

TEXT = "The bank granted the loan."


@pytest.mark.parametrize("labels", [LABELS, ("CONTRADICTION", "NEUTRAL", "ENTAILMENT"), ("a", "not_entailment", "entailment")])
async def test_labels_are_told_by_their_names(tmp_path: Path, labels: tuple[str, ...]) -> None:
    judge = OnnxNliJudge(write_nli_folder(tmp_path, labels=labels))
    assert (await judge.rule("The loan came.", [TEXT])).verdict is Verdict.SUPPORTED


async def test_without_a_label_for_contradiction_none_is_told(tmp_path: Path) -> None:
    judge = OnnxNliJudge(write_nli_folder(tmp_path, labels=("not_entailment", "other", "entailment")))
    assert (await judge.rule("The loan came.", ["The bank denied the loan."])).verdict is Verdict.NOT_FOUND


@pytest.mark.parametrize("labels", [("a", "b", "c"), ("entailment", "entailment", "neutral"), ("x", "y", "z", "entailment")])
def test_a_model_of_another_kind_is_refused(tmp_path: Path, labels: tuple[str, ...]) -> None:
    write_nli_folder(tmp_path, labels=labels)
    with pytest.raises(ConfigurationError, match="can't judge claims"):
        OnnxNliJudge(tmp_path)


@pytest.mark.parametrize("config", [None, "no json", "[]", "{}", json.dumps({"id2label": {"one": "entailment"}})])
def test_a_folder_without_labels_is_refused(tmp_path: Path, config: str | None) -> None:
    file = write_nli_folder(tmp_path) / "config.json"
    file.unlink()
    if config is not None:
        file.write_text(config)
    with pytest.raises(ConfigurationError, match="can't"):
        OnnxNliJudge(tmp_path)


def test_the_name_changes_with_the_model(tmp_path: Path) -> None:
    one, other = write_nli_folder(tmp_path / "nli"), write_nli_folder(tmp_path / "other" / "nli")
    assert OnnxNliJudge(one).name == OnnxNliJudge(other).name
    (other / "tokenizer.json").write_text((other / "tokenizer.json").read_text() + " ")
    assert OnnxNliJudge(one).name != OnnxNliJudge(other).name


def test_premises_stand_in_the_texts_word_for_word_and_the_nearest_come_first() -> None:
    text = " ".join(f"Sentence number {n} is about rain." for n in range(60)) + " The loan came in May."
    found = premises("The loan came in May.", [text])
    assert found[0] == "The loan came in May."
    assert len(found) == MOST_PREMISES
    assert all(premise in text for premise in found)
