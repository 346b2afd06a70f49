"""Runs the application under uvicorn, in one process or several."""

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


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens. Raises `UsageError` when the address can't be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    taken = socket.socket(family, socket.SOCK_STREAM)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((host, port))
    except OSError as error:
        taken.close()
        message = f"The address {host}:{port} can't be had ({error.strerror}). Name another port, such as --port {port + 1}."
        raise UsageError(message, code="address") from error
    taken.set_inheritable(True)
    return taken


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
