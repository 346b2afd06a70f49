"""Runs the application under uvicorn, in one process or several."""

import errno
import signal
import socket
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from types import FrameType

import uvicorn
from uvicorn.supervisors import Multiprocess

from pincite.core.errors import UsageError
from pincite.server.app import from_environment

FACTORY = "pincite.server.app:from_environment"
GRACE_S = 30
"""How long a stopping server waits for requests that aren't streams."""
BACKLOG = 2048
MAX_PORT = 65535


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens: whoever connects from now on waits until the server runs.

    Raises `UsageError` when the address can't be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    taken = socket.socket(family, socket.SOCK_STREAM)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((host, port))
        # Two sockets may be bound to one port as long as neither listens.
        taken.listen(BACKLOG)
    except OSError as error:
        taken.close()
        raise UsageError(_why_not(host, port, error), code="address") from error
    taken.set_inheritable(True)
    return taken


def _why_not(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        other = port + 1 if port < MAX_PORT else port - 1
        return f"Port {port} is taken, perhaps by a Pincite that runs already: take another, such as --port {other}."
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"Port {port} may not be used without more rights: take one from 1024 on, such as --port 8000."
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        return f"{host} is no address of this machine: take --host 127.0.0.1 for this machine alone, 0.0.0.0 for all its networks."
    return f"The address {host}, port {port}, can't be had ({error.strerror}): take another --host or --port."


def serve(sockets: Sequence[socket.socket], *, workers: int = 1, say: Callable[[], None] = lambda: None) -> None:
    """Serve until SIGTERM or SIGINT. `say` is called once from then on either of them ends the server, before it answers."""
    config = uvicorn.Config(
        FACTORY if workers > 1 else from_environment,
        factory=True,
        workers=workers,
        backlog=BACKLOG,
        loop="uvloop",
        http="httptools",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=True,
        timeout_graceful_shutdown=GRACE_S,
        # A browser keeps connections open between questions.
        timeout_keep_alive=30,
    )
    if workers > 1:
        several = Multiprocess(config, list(sockets))
        say()
        several.run()
        return
    server = uvicorn.Server(config)
    with _hearing_from_now(server):
        say()
        server.run(list(sockets))


@contextmanager
def _hearing_from_now(server: uvicorn.Server) -> Generator[None]:
    """Have the signals that end a server end it even before it runs; what they mean to the process comes after the block.

    Until uvicorn listens to signals itself, SIGINT would raise `KeyboardInterrupt` wherever the process happens to be, and in
    a destructor or a callback of the garbage collector Python drops what is raised: the server would go on.
    """
    came: list[int] = []

    def end(number: int, stack: FrameType | None) -> None:
        came.append(number)
        server.handle_exit(number, stack)

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, then in before.items():
            signal.signal(number, then)
    if came:
        signal.raise_signal(came[0])
