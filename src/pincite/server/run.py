"""Runs the application under uvicorn, in one process or several."""

import errno
import socket
from collections.abc import Sequence

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


def serve(sockets: Sequence[socket.socket], *, workers: int = 1) -> None:
    """Serve until SIGTERM or SIGINT."""
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
        Multiprocess(config, list(sockets)).run()
    else:
        uvicorn.Server(config).run(list(sockets))
