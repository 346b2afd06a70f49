"""Any OpenAI-protocol model: OpenAI, Ollama, vLLM, llama.cpp. Takes address, model and key from the environment.

OPENAI_BASE_URL=http://localhost:11434/v1 CHAT_MODEL=llama3.2:3b OPENAI_API_KEY=ollama python examples/openai_compatible.py
"""

import asyncio
import os
from pathlib import Path

from pincite import OpenAIChatModel, Pincite

SAMPLE = Path(__file__).parent.parent / "src/pincite/samples/library/apache-license-2.0.txt"


async def main() -> None:
    llm = OpenAIChatModel(
        model=os.environ["CHAT_MODEL"],
        api_key=os.environ["OPENAI_API_KEY"],
        base_url=os.environ["OPENAI_BASE_URL"],
    )
    async with Pincite(collection="example", llm=llm) as pincite:
        await pincite.add(SAMPLE)
        answer = await pincite.ask("When do patent licenses granted under this License terminate?")
        print(answer.text)
        for source in answer.sources:
            print(source.n, source.metadata["source_uri"])


asyncio.run(main())
