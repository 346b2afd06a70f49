"""Reads the reply of an embeddings endpoint, and refuses what the SDK would let pass."""

import json
import math
from array import array
from typing import Any, cast

from pincite.adapters.models.openai_errors import ProviderFault
from pincite.core.ports.models import Vector

SHORTEST = 1e-12
"""What is shorter than this counts as zero."""


def read_vectors(body: bytes, *, texts: int, dimensions: int) -> list[Vector]:
    """Return one vector of length 1 per text, in the order asked, whatever order the reply has; `dimensions` of 0 takes any size.

    Raises `UpstreamError` for an error in a successful reply (retryable), and for vectors that are missing, given twice, of another
    size, not finite or zero (not retryable: the model would give them again).
    """
    vectors: list[Vector | None] = [None] * texts
    for item in _items(body):
        index = item.get("index")
        if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < texts or vectors[index] is not None:
            raise wrong_vectors("numbered its vectors wrongly")
        vectors[index] = _unit(item.get("embedding"), dimensions)
    complete = [vector for vector in vectors if vector is not None]
    if len(complete) != texts:
        raise wrong_vectors("left out vectors")
    if len({len(vector) for vector in complete}) > 1:
        raise wrong_vectors("gave vectors of several sizes")
    return complete


def _items(body: bytes) -> list[dict[str, Any]]:
    try:
        reply = json.loads(body)
    except (ValueError, RecursionError):
        raise _unreadable() from None
    if not isinstance(reply, dict):
        raise _unreadable()
    said = cast("dict[str, Any]", reply)
    items = said.get("data")
    if said.get("error") is not None or not isinstance(items, list):
        raise _unreadable()
    listed = cast("list[Any]", items)
    if not all(isinstance(item, dict) for item in listed):
        raise _unreadable()
    return cast("list[dict[str, Any]]", listed)


def _unit(values: Any, dimensions: int) -> Vector:
    """Return the values scaled to length 1, as float32."""
    if not isinstance(values, list) or not values:
        raise wrong_vectors("gave something other than vectors")
    numbers = cast("list[Any]", values)
    if dimensions and len(numbers) != dimensions:
        raise wrong_vectors(f"gave vectors of {len(numbers)} dimensions instead of {dimensions}")
    if not all(isinstance(number, int | float) and not isinstance(number, bool) for number in numbers):
        raise wrong_vectors("gave something other than vectors")
    try:
        length = math.hypot(*numbers)
    except OverflowError:
        length = math.inf
    if not math.isfinite(length) or length < SHORTEST:
        raise wrong_vectors("gave vectors that are zero or not finite")
    return array("f", [number / length for number in numbers])


def _unreadable() -> ProviderFault:
    text = "The embedding provider's reply was an error or unreadable. Try again later."
    return ProviderFault(text, code="provider_broken_reply", retryable=True)


def wrong_vectors(deed: str) -> ProviderFault:
    """Return the error for vectors that can't be used; asking again would give them again."""
    return ProviderFault(f"The embedding provider {deed}. Nothing was stored.", code="provider_bad_vectors")
