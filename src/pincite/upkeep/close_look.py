"""A close look at all that an installation keeps, and mending where nothing can be lost by it."""

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Protocol

from pincite.core.errors import PinciteError
from pincite.core.ports.care import Counted


class Finding(StrEnum):
    """How a check came out: a warning harms nobody, a failure means that something isn't as promised."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Found:
    """What one check found, and what was mended before it looked (again)."""

    check: str
    state: Finding
    message: str
    mended: tuple[str, ...] = ()


class Check(Protocol):
    """One kind of damage. `look` changes nothing; `mend` does what can be done without losing anything."""

    name: ClassVar[str]
    """The word under which it is told."""

    async def look(self, counted: Counted) -> Found:
        """Say what there is. Raises `StoreError`."""
        ...

    async def mend(self, counted: Counted) -> list[str]:
        """Mend what was found, and return what was done, a sentence each. Raises `PinciteError`."""
        ...


CheckListener = Callable[[str, int, int], None]
"""Hears the name of the check that is under way, and how far it is."""


def _unheard(check: str, done: int, total: int) -> None:
    """Listen to nothing."""


@dataclass(frozen=True, slots=True)
class CloseLook:
    """Runs checks in order: what a later one rests on is mended by an earlier one."""

    checks: Sequence[Check]

    async def run(self, *, repair: bool, on_progress: CheckListener = _unheard) -> AsyncGenerator[Found]:
        """Yield what each check found; with `repair`, after mending. A check that can't look says so, and others go on."""
        for check in self.checks:
            try:
                found = await self._run(check, repair, on_progress)
            except PinciteError as error:
                found = Found(check.name, Finding.FAILED, error.message)
            yield found

    async def _run(self, check: Check, repair: bool, on_progress: CheckListener) -> Found:
        def counted(done: int, total: int) -> None:
            on_progress(check.name, done, total)

        counted(0, 0)
        found = await check.look(counted)
        if not repair or found.state is Finding.OK:
            return found
        mended = await check.mend(counted)
        if not mended:
            return found
        found = await check.look(counted)
        return Found(found.check, found.state, found.message, tuple(mended))


def sound(check: str, message: str) -> Found:
    """Return that nothing is wrong."""
    return Found(check, Finding.OK, message)


def failed(check: str, message: str) -> Found:
    """Return that something isn't as promised."""
    return Found(check, Finding.FAILED, message)


def warning(check: str, message: str) -> Found:
    """Return something that harms nobody."""
    return Found(check, Finding.WARNING, message)


MOST_NAMED = 5


def named(names: Sequence[str]) -> str:
    """Return the first few names."""
    return ", ".join(names[:MOST_NAMED]) + (", …" if len(names) > MOST_NAMED else "")
