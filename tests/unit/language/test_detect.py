import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from pincite.language.detect import detect

EVALS = Path(__file__).resolve().parents[4] / "shared" / "evals" / "xquad" / "corpus.jsonl"


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "What is the capital of France?"),
        ("de", "Was ist die Hauptstadt von Frankreich?"),
        ("fr", "Quelle est la capitale de la France ?"),
        ("es", "¿Cuál es la capital de Francia?"),
        ("it", "Qual è la capitale della Francia?"),
        ("pt", "Qual é a capital da França? Não sei quem são."),
        ("nl", "Wat is de hoofdstad van het land en wie woont er?"),
        ("ro", "Care este capitala Franței și unde se află?"),
        ("tr", "Fransa'nın başkenti neresidir ve kaç kişi yaşıyor?"),
        ("vi", "Thủ đô của nước Pháp là gì?"),
        ("sv", "Vad är huvudstaden i Frankrike och var ligger den?"),
        ("pl", "Jaka jest stolica Francji i gdzie się znajduje?"),
        ("ru", "Какой город является столицей Франции?"),
        ("uk", "Яке місто є столицею Франції?"),
        ("ar", "ما هي عاصمة فرنسا؟"),
        ("fa", "پایتخت فرانسه چیست و در کجا است؟"),
        ("ur", "فرانس کا دارالحکومت کیا ہے؟"),
        ("hi", "फ़्रांस की राजधानी क्या है?"),
        ("th", "เมืองหลวงของฝรั่งเศสคืออะไร"),
        ("zh", "法国的首都是哪里？"),
        ("ja", "フランスの首都はどこですか。"),
        ("ko", "프랑스의 수도는 어디입니까?"),
        ("el", "Ποια είναι η πρωτεύουσα της Γαλλίας;"),
        ("he", "מהי בירת צרפת?"),
        ("ta", "பிரான்சின் தலைநகரம் எது?"),
        ("ja", "iPhoneの価格は東京で"),
    ],
)
def test_a_question_tells_its_language(lang: str, text: str):
    assert detect(text) == lang


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2019 – 42%",
        "Apple revenue 2019",
        "| FY19 | n | a | n | a |",
        "Non-GAAP Results",
        "Katika mwaka wa 1998 serikali ya Tanzania ilianzisha mpango wa maendeleo ya vijijini.",
    ],
)
def test_it_is_silent_when_unsure(text: str):
    assert detect(text) == ""


def test_a_choice_narrows_and_decides():
    assert detect("Apple revenue 2019", among=["en"]) == "en"
    assert detect("法国的首都", among=["en"]) == ""
    assert detect("Was ist die Hauptstadt?", among=["en", "de"]) == "de"


def test_only_the_beginning_is_looked_at():
    assert detect("This is the beginning of it. " * 40 + "Und das ist das Ende. " * 10_000) == "en"


@pytest.mark.skipif(not EVALS.exists(), reason="needs ../shared/evals/xquad beside the repository")
def test_paragraphs_of_twelve_languages_are_told_apart():
    rows = [json.loads(line) for line in EVALS.read_text(encoding="utf-8").splitlines()][::8]
    found = Counter("right" if (code := detect(row["text"])) == row["lang"] else "unsure" if not code else "wrong" for row in rows)
    assert found["wrong"] == 0
    assert found["right"] / len(rows) > 0.99


def test_a_language_on_the_edge_is_the_same_in_every_process():
    # These words speak for English with 1/2 + 1 + 1/3 + 1/6 + 1/2 + 1: exactly the least share of 70 words, in one order of adding.
    text = "as and to in of from non " + " ".join(f"zq{first}{second}" for first in "abcdefg" for second in "hijklmnop")
    code = "import sys; from pincite.language.detect import detect; print(repr(detect(sys.argv[1])))"
    found = [
        subprocess.run(
            [sys.executable, "-c", code, text], env={"PYTHONHASHSEED": str(seed)}, capture_output=True, text=True, check=True
        ).stdout
        for seed in range(1, 7)
    ]
    assert len(set(found)) == 1
