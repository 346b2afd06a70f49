"""A prompt of your own, and what happens when it leaves out a placeholder."""

import asyncio

from pincite import ConfigurationError, ExtractiveChatModel, Passage, PromptTemplate, QueryEngine, group_sources

PASSAGES = [
    Passage("The warranty lasts 24 months from delivery.", title="Terms of sale", metadata={"source_uri": "terms.pdf"}),
    Passage("Returns are free within 14 days.", title="Returns", metadata={"source_uri": "returns.html"}),
]


class FixedRetriever:
    """Always brings the same passages."""

    async def retrieve(self, query: object) -> list[Passage]:
        return PASSAGES


async def main() -> None:
    prompt = PromptTemplate(
        system="You are a support agent. Cite sources as [n].",
        template="Documents:\n{context}\n\nQuestion: {question}\n\nAnswer:",
    )
    engine = QueryEngine(retriever=FixedRetriever(), llm=ExtractiveChatModel(), prompt=prompt)
    answer = await engine.ask("How long does the warranty last?")
    print(answer.text)
    print([source.metadata["source_uri"] for source in group_sources(PASSAGES)])
    try:
        PromptTemplate(system="", template="Question: {question}")
    except ConfigurationError as error:
        print(error)


asyncio.run(main())
