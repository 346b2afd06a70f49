"""Ask over HTTP and show the answer as it comes, then its quotes. Needs the package httpx.

BASE_URL=http://127.0.0.1:8000/api TOKEN=pin_… python ask.py "What can happen when fsync is turned off?"
"""

import json
import os
import sys
from collections.abc import Iterator
from typing import Any

import httpx


def events(response: httpx.Response) -> Iterator[tuple[str, Any]]:
    """Read the stream: `event: NAME`, one line `data: JSON`, a blank line. Lines with a colon in front are signs of life."""
    name = ""
    for line in response.iter_lines():
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def main(question: str) -> None:
    url, headers = f"{os.environ['BASE_URL']}/query/", {"Authorization": f"Bearer {os.environ['TOKEN']}"}
    with httpx.stream("POST", url, json={"question": question}, headers=headers, timeout=60) as response:
        if response.is_error:
            raise SystemExit(json.loads(response.read())["detail"])
        for name, data in events(response):
            if name == "token":
                print(data["token"], end="", flush=True)
            elif name == "done":
                print()
                for citation in data["citations"]:
                    for quote in citation["quotes"]:
                        print(f"[{citation['n']}] page {quote['spans'][0]['page']}: “{quote['text']}”")
            elif name == "error":
                raise SystemExit(f"{data['message']} (request {data['request_id']})")


if __name__ == "__main__":
    main(sys.argv[1])
