"""The command line as a person uses it: real processes, real files, one home folder per test module."""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

LIBRARY = Path(__file__).parent.parent.parent / "src" / "pincite" / "samples" / "library"
PDF = LIBRARY / "word-processor.pdf"


def run(home: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    settings = {name: value for name, value in os.environ.items() if not name.startswith(("PINCITE_", "CHAT_", "OPENAI_"))}
    return subprocess.run(
        [sys.executable, "-m", "pincite", *arguments],
        capture_output=True,
        text=True,
        env=settings | {"PINCITE_HOME": str(home)} | environment,
        timeout=120,
        check=False,
    )


def run_json(home: Path, *arguments: str) -> Any:
    done = run(home, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    done = run(folder, "add", str(LIBRARY))
    assert done.returncode == 0, done.stderr
    return folder


def test_adding_says_what_became_of_each_file(tmp_path: Path) -> None:
    added = run_json(tmp_path, "add", str(PDF))["documents"]
    assert [(item["source"], item["stage"], item["reason"]) for item in added] == [(str(PDF), "ready", None)]
    again = run_json(tmp_path, "add", str(PDF))["documents"]
    assert again[0]["document_id"] == added[0]["document_id"]
    assert len(run_json(tmp_path, "list")["documents"]) == 1


def test_an_answer_cites_the_page_and_the_literal_words(home: Path) -> None:
    answer = run_json(home, "ask", "Who patented the typewriter, and when?")
    assert answer["answered"]
    assert answer["answerable"] > 0.5
    assert "1868" in answer["text"]
    quote = answer["citations"][0]["quotes"][0]
    assert quote["spans"][0]["page"] == 1
    assert quote["spans"][0]["boxes"]
    shown = run_json(home, "show", answer["citations"][0]["document_id"])
    assert shown["text"][quote["start"] : quote["end"]] == quote["text"]
    told = {"answered", "answerable", "text", "sources", "claims", "citations", "message_id", "model", "usage", "timings"}
    assert set(answer) == told | {"policy", "withheld", "conflicts", "uncited", "uncited_claims"}


def test_the_plain_answer_streams_text_and_then_sources_with_page_and_quote(home: Path) -> None:
    done = run(home, "ask", "Who patented the typewriter, and when?")
    assert "[1]" in done.stdout
    assert "page 1: “" in done.stdout
    assert "\x1b[" not in done.stdout


def test_a_question_that_the_documents_dont_answer_is_not_guessed(home: Path) -> None:
    answer = run_json(home, "ask", "What is the boiling point of tungsten in kelvin?")
    assert (answer["answered"], answer["citations"]) == (False, [])


def test_a_hindi_question_finds_the_hindi_page(home: Path) -> None:
    answer = run_json(home, "ask", "अमेज़न वर्षा-वन का अधिकांश भाग किस देश में है?")
    assert answer["answered"]
    assert "ब्राज" in answer["text"]
    assert answer["sources"][0]["source"] == "amazon-rainforest-hindi.md"


def test_search_can_be_narrowed_to_a_document_and_a_type(home: Path) -> None:
    hits = run_json(home, "search", "history of typing", "--document", "word-processor.pdf", "--limit", "3")["hits"]
    assert {hit["source"] for hit in hits} == {"word-processor.pdf"}
    assert len(hits) <= 3
    hits = run_json(home, "search", "settings", "--type", "text/html")["hits"]
    assert {hit["source"] for hit in hits} == {"postgresql-wal.html"}
    assert hits[0]["scores"]["dense"] is not None


@pytest.mark.parametrize("strategy", ["dense", "lexical"])
def test_each_side_searches_alone(home: Path, strategy: str) -> None:
    hits = run_json(home, "search", "patent license termination", "--strategy", strategy)["hits"]
    assert hits[0]["source"] == "apache-license-2.0.txt"


def test_show_finds_a_text_with_its_boxes(home: Path) -> None:
    found = run_json(home, "show", "word-processor.pdf", "--find", "Christopher Latham Sholes")["found"]
    assert len(found) == 1
    assert found[0]["spans"][0]["page"] == 1
    x0, y0, x1, y1 = found[0]["spans"][0]["boxes"][0]
    assert 0 < x0 < x1 < 595.2
    assert 0 < y0 < y1 < 842


def test_a_page_is_drawn_into_a_file_that_is_overwritten_only_when_asked(home: Path, tmp_path: Path) -> None:
    target = tmp_path / "page.png"
    drawn = run_json(home, "page", "word-processor.pdf", "3", "-o", str(target), "--width", "400")
    assert (drawn["width"], drawn["page"], drawn["path"]) == (400, 3, str(target))
    assert target.read_bytes().startswith(b"\x89PNG")
    again = run(home, "page", "word-processor.pdf", "3", "-o", str(target))
    assert (again.returncode, "--force" in again.stderr) == (2, True)
    assert run(home, "page", "word-processor.pdf", "3", "-o", str(target), "--force").returncode == 0
    assert run(home, "page", "word-processor.pdf", "6", "-o", str(tmp_path / "none.png")).returncode == 3
    assert run(home, "page", "postgresql-wal.html", "1").returncode == 3
    assert run(home, "page", "word-processor.pdf", "1", "-o", str(tmp_path / "no" / "such.png")).returncode == 6
    assert [path.name for path in tmp_path.iterdir()] == ["page.png"]


def test_a_removed_document_is_gone(tmp_path: Path) -> None:
    run_json(tmp_path, "add", str(PDF))
    run_json(tmp_path, "remove", "word-processor.pdf")
    assert run_json(tmp_path, "list")["documents"] == []
    assert run_json(tmp_path, "search", "typewriter")["hits"] == []
    assert not any(path.is_file() for path in (tmp_path / "blobs").rglob("*"))


def test_without_an_embedding_model_words_alone_find_and_answer(tmp_path: Path) -> None:
    assert run(tmp_path, "add", str(PDF), PINCITE_EMBEDDING="none").returncode == 0
    done = run(tmp_path, "ask", "Who patented the typewriter, and when?", "--json", PINCITE_EMBEDDING="none")
    assert "1868" in json.loads(done.stdout)["text"]


def test_a_collection_refuses_another_embedding_model(home: Path) -> None:
    done = run(home, "search", "typewriter", PINCITE_EMBEDDING="none")
    assert done.returncode == 2
    assert "PINCITE_EMBEDDING" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("add", "nothing.pdf"), 3, "nothing.pdf"),
        (("ask", "x", "-c", "unknown"), 3, "unknown"),
        (("search", "x", "--document", "unknown.pdf"), 3, "pincite list"),
        (("show", "word-processor.pdf", "--find", "unfindable words"), 3, "doesn't occur"),
        (("remove", "unknown.pdf"), 3, "unknown.pdf"),
        (("ask", ""), 2, "empty"),
        (("ask", "x" * 5001), 2, "5,001"),
        (("search", " "), 2, "empty"),
        (("search", "x", "--limit", "0"), 2, "limit"),
        (("nonsense",), 2, "nonsense"),
    ],
)
def test_what_goes_wrong_is_said_with_its_exit_code(home: Path, arguments: tuple[str, ...], code: int, says: str) -> None:
    done = run(home, *arguments)
    assert done.returncode == code
    assert says in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("zero.pdf", b"", "empty_file"),
        ("blank.txt", b" \n\t\n", "no_text"),
        ("picture.pdf", b"\x89PNG\r\n\x1a\n" + b"\0" * 64, "corrupt"),
        ("program.pdf", b"\x7fELF\x02\x01\x01" + b"\0" * 64, "unsupported"),
        ("broken.pdf", b"%PDF-1.7\nnothing of use", "corrupt"),
    ],
)
def test_a_file_that_cant_be_read_fails_with_a_reason_a_person_understands(
    tmp_path: Path, name: str, data: bytes, reason: str
) -> None:
    (tmp_path / name).write_bytes(data)
    done = run(tmp_path / "home", "add", str(tmp_path / name), "--json")
    assert done.returncode == 4
    item = json.loads(done.stdout)["documents"][0]
    assert (item["stage"], item["reason"]) == ("failed", reason)
    assert item["message"].endswith(".")


def test_some_files_failing_is_a_partial_success(tmp_path: Path) -> None:
    (tmp_path / "zero.txt").write_bytes(b"")
    done = run(tmp_path / "home", "add", str(tmp_path / "zero.txt"), str(PDF))
    assert done.returncode == 1
    assert "1 of 2 ready" in done.stderr


def test_a_store_of_a_newer_schema_is_left_alone(tmp_path: Path) -> None:
    run_json(tmp_path, "add", str(PDF))
    database = tmp_path / "pincite.db"
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999_from_the_future'")
    connection.close()
    done = run(tmp_path, "search", "typewriter")
    assert done.returncode == 6
    assert "newer" in done.stderr


def test_a_setting_that_cant_be_is_named(tmp_path: Path) -> None:
    done = run(tmp_path, "search", "x", PINCITE_CHUNK_TOKENS="many")
    assert done.returncode == 2
    assert "PINCITE_CHUNK_TOKENS" in done.stderr


def test_errors_are_json_when_json_is_asked_for(home: Path) -> None:
    done = run(home, "ask", "", "--json")
    assert json.loads(done.stdout)["error"]["code"] == "question_empty"


def test_doctor_finds_a_healthy_installation(home: Path) -> None:
    findings = run_json(home, "doctor")["findings"]
    assert {finding["state"] for finding in findings} == {"ok"}
    assert {"store", "embedding", "chat", "parser", "ocr", "vision", "judge"} <= {finding["check"] for finding in findings}


def test_evaluation_prints_its_figures(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text('{"id":"a","title":"","text":"Cats purr."}\n{"id":"b","title":"","text":"Dogs bark."}\n')
    (tmp_path / "q.jsonl").write_text('{"id":"1","text":"Which animals purr?","answerable":true}\n')
    (tmp_path / "r.tsv").write_text("query-id\tcorpus-id\tscore\n1\ta\t1\n")
    sets = ["--corpus", str(tmp_path / "c.jsonl"), "--queries", str(tmp_path / "q.jsonl"), "--qrels", str(tmp_path / "r.tsv")]
    report = run_json(tmp_path / "home", "eval", "retrieval", *sets)
    assert (report["task"], report["strategy"], report["n"]) == ("retrieval", "hybrid", 1)
    assert report["metrics"]["ndcg@10"] == 1
    assert set(report["metrics"]) == {"ndcg@10", "recall@5", "recall@10", "mrr"}
    assert set(report["latency_ms"]) == {"p50", "p95"}
    told = run_json(tmp_path / "home", "eval", "abstention", *sets)
    assert told["metrics"]["auc"] is None
    assert 0 <= told["metrics"]["false_refusals"] <= 1
    assert [at["least"] for at in told["curve"]][:2] == [0.0, 0.05]


def test_help_and_version_answer() -> None:
    assert "pincite ask" in run(Path("unused"), "--help").stdout
    assert run(Path("unused"), "version").stdout.startswith("pincite ")


def test_the_sample_answers_in_json_too(tmp_path: Path) -> None:
    result = run_json(tmp_path, "sample")
    assert {item["stage"] for item in result["documents"]} == {"ready"}
    assert result["answer"]["answered"]
