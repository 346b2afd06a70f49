"""A process that adds, replaces, removes and searches without end: `churn.py HOME SEED`. It says each thing when it is done."""

import asyncio
import random
import sys

from pincite import Pincite, Strategy

NAMES = tuple(f"note{n}.md" for n in range(12))


async def churn(home: str, chance: random.Random) -> None:
    async with Pincite(home) as client:
        for turn in range(1, 1_000_000):
            name = chance.choice(NAMES)
            known = {document.path for document in await client.documents()} if turn > 1 else set[str]()
            if name in known and chance.random() < 0.25:
                await client.remove(name)
                print("gone", name, 0, flush=True)
            else:
                await client.add_text(f"# Note\n\nThe pump of hall {turn} needs oil.\n\n# Late\n\nIt rains in {turn}.", path=name)
                print("put", name, turn, flush=True)
            if chance.random() < 0.5:
                await client.search("oil for the pump", strategy=chance.choice(list(Strategy)))


if __name__ == "__main__":
    asyncio.run(churn(sys.argv[1], random.Random(int(sys.argv[2]))))
