"""Any OpenAI-protocol model: OpenAI, Ollama, vLLM, llama.cpp. Takes address, model and key from the environment.

OPENAI_BASE_URL=http://127.0.0.1:11434/v1 CHAT_MODEL=llama3.2:3b python examples/openai_compatible.py
"""

import asyncio
import os
import sys
from pathlib import Path

from pincite import OpenAIChatModel, Pincite, PinciteError

SAMPLE = Path(__file__).parent.parent / "src/pincite/samples/library/apache-license-2.0.txt"


async def main() -> None:
    llm = OpenAIChatModel(
        model=os.environ.get("CHAT_MODEL", "llama3.2:3b"),
        api_key=os.environ.get("OPENAI_API_KEY"),
        base_url=os.environ.get("OPENAI_BASE_URL", "http://127.0.0.1:11434/v1"),
    )
    async with Pincite(collection="example", llm=llm) as pincite:
        await pincite.add(SAMPLE)
        answer = await pincite.ask("When do patent licenses granted under this License terminate?")
        print(answer.text)
        for source in answer.sources:
            print(source.n, source.metadata["source_uri"])


try:
    asyncio.run(main())
except PinciteError as error:
    sys.exit(error.message)
