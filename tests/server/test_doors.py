"""The same question has the same citations through every door: one test, over all doors, replies and languages."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
from PIL import Image, ImageDraw, ImageFont
from reportlab.pdfgen.canvas import Canvas
from tests.server.doors import DOORS, House, Told
from tests.server.running import served
from tests.server.scripted_provider import scripted_provider

from pincite import Pincite
from pincite.bootstrap import Services
from pincite.core.policies import WITHHELD, Policy
from pincite.server.app import create_app
from pincite.server.middleware import Front
from pincite.settings import load_settings
from pincite.workspaces.tokens import Tokens

TEXTS = {
    "leave.md": "# Leave\n\nEveryone has thirty days of leave a year. The notice period is sixty days. Nobody may work on Sundays.",
    "notice.html": "<h1>Notice</h1><p>Notice is given in writing. The notice period ends with the month.</p>",
    "fees.csv": "fee,amount,due\nlate fee,45 euros,at once\nyearly fee,1200 euros,in March\ndeposit,800 euros,in May\n",
    "miete.md": "# Miete\n\nDie Miete beträgt 1.200 Euro im Monat. Die Kündigungsfrist beträgt drei Monate.",
    "kiraya.md": "# किराया\n\nकिराया हर महीने 1200 रुपये है। सूचना की अवधि साठ दिन है।",
    "yachin.md": "# 家賃\n\n家賃は月額十二万円です。解約の予告期間は六十日です。",
    "ijar.md": "# الإيجار\n\nالإيجار 1200 درهم في الشهر. مدة الإشعار ستون يوما.",
    "party.md": "# Party 🎉\n\nThe party 🎉 starts at 19:30 in the 𝔊reat Hall. Bring a 👩‍👩‍👧 family of four.",
}
SCANNED = "The rent of the mill is 4,125 pounds a year."
REPLIES = {
    "How long is the notice period?": "The notice period is sixty days [1].",
    "How long is the notice period of leave, in days?": "The notice period is 90 days [1]. It ends with the month [2].",
    "Who may work on Sundays?": "Nobody may work on Sundays. Everyone has thirty days of leave a year.",
    "When may nobody work?": "Nobody may work on Sundays [7]. Everyone rests [0][99].",
    "How is notice given?": "Notice is given in writing [1][1], and it ends with the month [1] [2].",
    "What is said of notice and leave?": "Notice is given in writing [1-2]. There are thirty days of leave [1, 2; 3].",
    "Which days of leave are there?": "Days:\n\n- thirty days of leave a year [1]\n- sixty days of notice [S1]\n\n1. Sundays off",
    "Which fee is due at once?": "| fee | amount |\n|---|---|\n| late fee | 45 euros [1] |\n| yearly fee | 1300 euros [1] |",
    "When does the notice period end?": "## Notice\n\n> The notice period ends with the month [1].\n\n```\nl = list[1]\n```",
    "Wie hoch ist die Miete?": "Die Miete beträgt 1.200 Euro im Monat [1]. Die Kündigungsfrist beträgt vier Monate [1].",
    "सूचना की अवधि कितनी है?": "सूचना की अवधि साठ दिन है [1]। किराया 1300 रुपये है [1]।",
    "解約の予告期間は何日ですか。": "解約の予告期間は六十日です[1]。家賃は月額十三万円です【1】。",
    "ما مدة الإشعار؟": "مدة الإشعار ستون يوما [1]. الإيجار 1300 درهم [1].",
    "When does the party start?": "The party 🎉 starts at 19:30 in the 𝔊reat Hall [1]. 👩‍👩‍👧 A family of four comes [1].",
    "What is the rent of the mill?": "The rent of the mill is 4,125 pounds a year [1].",
    "Which deposit does the ledger of the mill name?": "The ledger entry of the mill names a deposit of 800 pounds [1][2].",
    "What does the annex say of the ledger?": "The ledger of the annex is kept in Leeds [1].",
    "How many days of leave may a ghost take?": "INSUFFICIENT_CONTEXT",
    "Which zebras graze in Xanadu?": "None [1].",
    "What may be said without a word?": "[1]",
}


def write(folder: Path) -> None:
    """Write texts, a PDF with a page that is turned, and a scan."""
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    canvas = Canvas(str(folder / "ledger.pdf"), pagesize=(595.2, 841.9), invariant=1)
    canvas.drawString(72, 700, "The ledger of the mill names a deposit of")
    canvas.drawString(72, 684, "800 pounds.")
    canvas.showPage()
    canvas.setPageRotation(90)
    canvas.drawString(72, 500, "The ledger of the annex is kept in Leeds.")
    canvas.showPage()
    canvas.save()
    image = Image.new("L", (1240, 300), 255)
    ImageDraw.Draw(image).text((100, 100), SCANNED, fill=0, font=ImageFont.load_default(34))
    image.save(folder / "scan.png", dpi=(150, 150))


@asynccontextmanager
async def house(folder: Path, **chosen: str) -> AsyncGenerator[House]:
    """Open an installation over the documents, with all of its doors."""
    environ = {"PINCITE_HOME": str(folder / "home"), "PINCITE_EMBEDDING": "none"} | chosen
    (folder / "documents").mkdir()
    write(folder / "documents")
    app = create_app(settings := load_settings(environ))
    async with Pincite(settings=settings) as library, app.router.lifespan_context(app):
        added = await library.add(folder / "documents")
        assert [item.source for item in added if item.reason] == []
        services: Services = app.state.server.services
        token = await Tokens(services.store, services.workspace_id).issue("owner")
        headers = {"Authorization": f"Bearer {token.text}"}
        transport = httpx.ASGITransport(app=Front(app), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost/api", headers=headers) as client:
            with Pincite.sync(settings=settings) as blocking:
                yield House(services, client, library, blocking, environ)


async def differences(house: House, question: str) -> tuple[Told, list[str]]:
    """Return what the library tells, and the doors that tell something else."""
    reference = await DOORS["Pincite.ask"].ask(house, question)
    told = {name: await door.ask(house, question) for name, door in DOORS.items()}
    expected = {name: door.shows(reference) for name, door in DOORS.items()}
    return reference, [f"{name}: {told[name]}\n  not {expected[name]}" for name in DOORS if told[name] != expected[name]]


async def asked(house: House, questions: Sequence[str] = tuple(REPLIES)) -> Mapping[str, Told]:
    """Return what the library tells of each question, once every door tells the same."""
    answers: dict[str, Told] = {}
    for question in questions:
        answers[question], wrong = await differences(house, question)
        assert not wrong, question + "\n" + "\n".join(wrong)
    return answers


async def test_a_model_that_labels_as_it_likes_is_cited_alike_through_every_door(tmp_path: Path) -> None:
    async with served(scripted_provider(REPLIES)) as port:
        chosen = {"CHAT_MODEL": "scripted", "OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1", "OPENAI_API_KEY": "none"}
        async with house(tmp_path, **chosen) as opened:
            answers = await asked(opened)
    claims = [claim for told in answers.values() for claim in told["claims"]]
    citations = [citation for told in answers.values() for citation in told["citations"]]
    spans = [span for citation in citations for quote in citation["quotes"] for span in quote["spans"]]
    assert {claim["verdict"] for claim in claims} == {"supported", "partly", "contradicted", "not_found", "not_checked"}
    assert {citation["issued_by"] for citation in citations} == {"model", "verifier"}
    assert any(span["cells"] for span in spans)
    assert any(span["confidence"] for span in spans)
    assert {y1 - y0 > x1 - x0 for span in spans for x0, y0, x1, y1 in span["boxes"]} == {True, False}
    assert [told["answered"] for told in answers.values()].count(False) == 3


async def test_where_claims_are_judged_or_withheld_every_door_tells_the_same(tmp_path: Path) -> None:
    questions = [*list(REPLIES)[:2], *list(REPLIES)[4:7]]
    async with served(scripted_provider(REPLIES)) as port:
        chosen = {"CHAT_MODEL": "scripted", "OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1", "OPENAI_API_KEY": "none"}
        async with house(tmp_path, PINCITE_JUDGE="chat", **chosen) as opened:
            judged = await asked(opened, questions)
            await opened.library.use_policy(Policy.STRICT)
            withheld = await asked(opened, questions)
    assert any(claim["judged_by"] == "chat/1 scripted" for told in judged.values() for claim in told["claims"])
    assert any(WITHHELD in told.get("text", "") for told in withheld.values())


async def test_sentences_taken_word_for_word_are_cited_alike_through_every_door(tmp_path: Path) -> None:
    async with house(tmp_path) as opened:
        answers = await asked(opened)
    assert sum(told["answered"] for told in answers.values()) > len(answers) / 2
    verdicts = {claim["verdict"] for told in answers.values() for claim in told["claims"]}
    assert verdicts == {"supported"}


async def test_under_the_strict_policy_every_door_withholds_the_same(tmp_path: Path) -> None:
    async with served(scripted_provider(REPLIES)) as port:
        chosen = {"CHAT_MODEL": "scripted", "OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1", "OPENAI_API_KEY": "none"}
        async with house(tmp_path, **chosen) as opened:
            await opened.library.use_policy(Policy.STRICT)
            answers = await asked(opened)
    claims = [(told["text"][claim["start"] : claim["end"]], claim) for told in answers.values() for claim in told.get("claims", ())]
    withheld = [claim for text, claim in claims if text == WITHHELD]
    assert withheld
    assert {claim["verdict"] for claim in withheld} <= {"contradicted", "not_found", "not_checked"}
    kept = [claim for text, claim in claims if text != WITHHELD]
    assert {claim["verdict"] for claim in kept} <= {"supported", "partly", "not_checked"}
    assert all(claim["citations"] for claim in kept)
    assert "90 days" not in str(answers)
