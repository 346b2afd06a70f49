"""The library in ten lines: add a file, ask, read the quotes. No key, no network, no server."""

from pathlib import Path

from pincite import Pincite

SAMPLE = Path(__file__).parent.parent / "src/pincite/samples/library/word-processor.pdf"

with Pincite.sync(collection="example") as pincite:
    pincite.add(SAMPLE)
    answer = pincite.ask("Who patented the typewriter, and when?")
    print(answer.text)
    for citation in answer.citations:
        for quote in citation.quotes:
            print(f"[{citation.n}] page {quote.spans[0].page}: “{quote.text}”")
