import asyncio
from array import array
from threading import Event

import pytest

from pincite.adapters.models.text_threads import TextThreads
from pincite.core.ports.models import Vector


def length(text: str) -> Vector:
    return array("f", [len(text)])


async def test_vectors_come_back_in_the_order_of_the_texts():
    texts = ["x" * size for size in range(200)]
    found = await TextThreads(length, workers=3).passages(texts)
    assert [vector[0] for vector in found] == list(range(200))


async def test_several_callers_at_once_each_get_their_own():
    threads = TextThreads(length)
    found = await asyncio.gather(*(threads.passages(["x" * size] * 5) for size in range(20)))
    assert [[vector[0] for vector in vectors] for vectors in found] == [[size] * 5 for size in range(20)]


async def test_no_texts_make_no_vectors():
    assert await TextThreads(length).passages([]) == []


async def test_a_question_does_not_wait_for_passages():
    asked = Event()

    def wait_for_question(text: str) -> Vector:
        if text == "question":
            asked.set()
        else:
            assert asked.wait(timeout=10)
        return length(text)

    threads = TextThreads(wait_for_question)
    passages = asyncio.create_task(threads.passages(["a", "b", "c"]))
    await asyncio.sleep(0)
    await threads.question("question")
    assert len(await passages) == 3


async def test_what_goes_wrong_with_one_text_is_raised():
    def fail(text: str) -> Vector:
        if text == "bad":
            raise ValueError("bad text")
        return length(text)

    with pytest.raises(ValueError, match="bad text"):
        await TextThreads(fail).passages(["good", "bad", "good"])


async def test_a_cancelled_caller_stops_the_work_at_the_next_text():
    begun, go_on, seen = Event(), Event(), list[str]()

    def note(text: str) -> Vector:
        seen.append(text)
        begun.set()
        assert go_on.wait(timeout=10)
        return length(text)

    threads = TextThreads(note, workers=1)
    running = asyncio.create_task(threads.passages(["1", "2", "3"]))
    assert await asyncio.to_thread(begun.wait, 10)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    go_on.set()
    await threads.passages(["after"])
    assert seen == ["1", "after"]
