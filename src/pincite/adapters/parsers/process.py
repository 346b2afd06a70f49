"""One child process, seen from its parent."""

import json
import os
import subprocess
import sys
import time
from base64 import b64decode
from collections.abc import Callable, Mapping
from contextlib import suppress
from signal import SIGKILL, SIGXCPU
from typing import Any, cast

from pincite.adapters.parsers.frames import ChannelClosed, FrameTooLarge, WaitedTooLong, read_frame, write_frame
from pincite.adapters.parsers.limits import ParseLimits
from pincite.core.errors import ConfigurationError, NotFoundError, RefusedInput

_START = "import sys, json; sys.path[:] = json.loads(sys.argv[1]); from pincite.adapters.parsers.child import serve; serve()"
_BYTES_PER_CHAR = 12
_MAX_REPLY_BYTES = 320 * 1024 * 1024
_OTHER_BYTES = 16 * 1024 * 1024
_BYTES_PER_SECOND = 500_000
_LARGE_BYTES = 16 * 1024 * 1024
_START_S = 60.0

_REASONS = {
    "memory": "The file needs more memory than one file may use. Split it, or save it again from the program that made it.",
    "timeout": "The file took too long to read and was stopped. Split it, or save it again from the program that made it.",
    "too_deep": "The file is nested too deeply to be read.",
    "corrupt": "The file is damaged and can't be read. Save it again from the program that made it.",
    "crashed": "The file made its reader stop: it is damaged, or made to do harm. Save it again from the program that made it.",
    "too_large": "The file holds more text than one file may. Split it and add the parts.",
}


def refusal(code: str, message: str = "") -> RefusedInput:
    """Return the error for a code that a parser's port names; without a message, the usual sentence for it."""
    code = code if code in _REASONS or message else "crashed"
    return RefusedInput(message or _REASONS[code], code=code)


class ChildProcess:
    """A running reader of files. One request at a time; after an error it is dead and another must be started."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _START, json.dumps([os.path.abspath(entry) for entry in sys.path])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"LANG": "C.UTF-8"},
            cwd="/",
            process_group=0,
        )
        self.files_read = 0
        self._is_ready = False
        self._is_worn = False

    @property
    def is_worn(self) -> bool:
        """Whether its memory may be in pieces after a file that needed much of it; another child should read the next."""
        return self._is_worn

    @property
    def is_alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    def ask(
        self,
        request: Mapping[str, object],
        *,
        limits: ParseLimits,
        size_bytes: int = 0,
        on_progress: Callable[[int, int], None] | None = None,
        on_piece: Callable[[int, bytes], None] | None = None,
    ) -> object:
        """Send a request and wait for its result, blocking; a file of `size_bytes` may take and be silent the longer for it.

        `on_piece` gets the bytes of the files inside the file, each with its number; what it raises ends the child.

        Raises `RefusedInput` for what the child refuses and for what becomes of it, `NotFoundError` when there is no such file,
        `ConfigurationError` when no child can be started at all.
        """
        self.files_read += 1
        self._is_worn = size_bytes > _LARGE_BYTES
        self._await_ready()
        more_s = size_bytes / _BYTES_PER_SECOND
        end, stall_s = time.monotonic() + limits.timeout_s + more_s, limits.stall_s + more_s
        try:
            write_frame(self._stdin, {**request, "limits": limits.for_child()})
            while True:
                reply = self._receive(limits, min(end, time.monotonic() + stall_s))
                if "piece" in reply:
                    _pass_piece(reply["piece"], on_piece)
                elif "progress" not in reply:
                    return _result(reply)
                else:
                    _pass_on(reply["progress"], on_progress)
        except WaitedTooLong as error:
            self.kill()
            raise refusal("timeout") from error
        except FrameTooLarge as error:
            self.kill()
            raise refusal("too_large") from error
        except ChannelClosed as error:
            raise refusal(self._cause_of_death()) from error
        except ValueError as error:
            self.kill()
            raise refusal("crashed") from error
        except RefusedInput as error:
            self._is_worn = self._is_worn or error.code == "memory"
            raise

    def _await_ready(self) -> None:
        if self._is_ready:
            return
        try:
            read_frame(self._stdout, max_bytes=_OTHER_BYTES, deadline=time.monotonic() + _START_S)
        except (ChannelClosed, WaitedTooLong, FrameTooLarge, ValueError) as error:
            self.kill()
            raise ConfigurationError(
                f"The process that reads files can't be started with {sys.executable!r}. Install Pincite again."
            ) from error
        self._is_ready = True

    @property
    def _stdin(self) -> int:
        return cast("Any", self._process.stdin).fileno()

    @property
    def _stdout(self) -> int:
        return cast("Any", self._process.stdout).fileno()

    def _receive(self, limits: ParseLimits, deadline: float) -> dict[str, Any]:
        reply = read_frame(self._stdout, max_bytes=_most_bytes(limits), deadline=deadline)
        if not isinstance(reply, dict):
            raise ChannelClosed
        return cast("dict[str, Any]", reply)

    def _cause_of_death(self) -> str:
        try:
            status = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.kill()
            return "crashed"
        if status == -SIGXCPU:
            return "timeout"
        return "memory" if status == -SIGKILL else "crashed"

    def interrupt(self) -> None:
        """Stop the process from another thread; whoever waits for its answer learns that it died."""
        self._end()

    def kill(self) -> None:
        """End the process now; it leaves no zombie."""
        self._end()
        self.close()

    def _end(self) -> None:
        """End the process with the programs that it started, which are of its group."""
        if self.is_alive:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, SIGKILL)

    def close(self) -> None:
        """Let the process end and wait for it."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._end()
            self._process.wait()


def _most_bytes(limits: ParseLimits) -> int:
    """Return how many bytes a reply may have: what the text and its places take, and no more than the parent can hold."""
    return min(_MAX_REPLY_BYTES, _BYTES_PER_CHAR * limits.text_chars + _OTHER_BYTES)


def _result(reply: Mapping[str, Any]) -> object:
    if "result" in reply:
        return reply["result"]
    if "missing" in reply:
        raise NotFoundError("The file isn't there any more.")
    code, message = reply["refused"] if isinstance(reply.get("refused"), list) and len(reply["refused"]) == 2 else ("crashed", "")
    raise refusal(str(code)[:40], str(message)[:1000])


def _pass_piece(value: object, on_piece: Callable[[int, bytes], None] | None) -> None:
    """Hand a piece on. Raises `ValueError` for anything else."""
    items = cast("list[object]", value) if isinstance(value, list) else []
    number, letters = items if len(items) == 2 else (None, None)
    if on_piece is None or type(number) is not int or not isinstance(letters, str):
        raise ValueError("no piece of a file")
    on_piece(number, b64decode(letters, validate=True))


def _pass_on(progress: object, on_progress: Callable[[int, int], None] | None) -> None:
    if on_progress and isinstance(progress, list):
        values = [value for value in cast("list[object]", progress) if isinstance(value, int)]
        if len(values) == 2:
            on_progress(values[0], values[1])
