"""A retriever of your own: anything with `retrieve` that returns passages."""

import asyncio
from collections.abc import Sequence

from pincite import ExtractiveChatModel, PageSpan, Passage, Query, QueryEngine

HANDBOOK = [
    ("Travel", 3, "Trips over eight hours are paid with a day rate of 45 euros. Trains are booked second class."),
    ("Leave", 7, "Everyone has thirty days of leave a year. Leave that is not taken ends on 31 March of the next year."),
]


class HandbookRetriever:
    """Finds the chapters that share a word with the question."""

    async def retrieve(self, query: Query) -> Sequence[Passage]:
        words = {word.strip("?.,").lower() for word in query.text.split() if len(word) > 4}
        return [
            Passage(
                text,
                title=f"Handbook, {chapter}",
                pages=(PageSpan(page, str(page), 0, len(text)),),
                metadata={"source_uri": "https://example.org/handbook.pdf"},
            )
            for chapter, page, text in HANDBOOK
            if words & {word.strip(".,").lower() for word in text.split()}
        ]


async def main() -> None:
    engine = QueryEngine(retriever=HandbookRetriever(), llm=ExtractiveChatModel())
    answer = await engine.ask("How many days of leave does everyone have?")
    print(answer.text)
    for source in answer.sources:
        print(f"[{source.n}] {source.title} {source.url}")


asyncio.run(main())
