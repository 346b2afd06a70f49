"""Streaming: sources first, then text as it is written, then claims and citations."""

import asyncio
from pathlib import Path

from pincite import DoneChunk, Pincite, SourcesChunk, TokenChunk

SAMPLE = Path(__file__).parent.parent / "src/pincite/samples/library/postgresql-wal.html"


async def main() -> None:
    async with Pincite(collection="example") as pincite:
        await pincite.add(SAMPLE)
        async for event in pincite.stream("What can happen when fsync is turned off?"):
            match event:
                case SourcesChunk():
                    print(f"{len(event.sources)} sources")
                case TokenChunk():
                    print(event.text, end="", flush=True)
                case DoneChunk():
                    print(f"\n{len(event.citations)} citations, {len(event.claims)} claims")


asyncio.run(main())
