"""An embedding provider in a thread, which keeps what it was asked for."""

import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SIZE = 8


class Provider(ThreadingHTTPServer):
    """Embeds, keeps what it was asked for in order, and answers no more once `most` texts were answered.

    Texts without the word "Part" are none of a document, and not kept. Each request takes `pause_s` at least; one for a text
    with the word `refuses` is refused.
    """

    daemon_threads = True

    def __init__(self, *, most: int = sys.maxsize, refuses: str = "", size: int = SIZE) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.answered: list[str] = []
        self.unanswered: list[str] = []
        self.most = most
        self.refuses = refuses
        self.size = size
        self.pause_s = 0.0
        self.waits, self.goes_on = threading.Event(), threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Answering(BaseHTTPRequestHandler):
    server: Provider  # pyright: ignore[reportIncompatibleVariableOverride] (the base class doesn't know whose it is)

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts: list[str] = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        parts = [text for text in texts if "Part" in text]
        if parts and len(self.server.answered) >= self.server.most:
            self.server.unanswered += parts
            self.server.waits.set()
            self.server.goes_on.wait()
            return
        time.sleep(self.server.pause_s)
        if self.server.refuses and any(self.server.refuses in text for text in texts):
            self._answer(403, {"error": {"message": "not for this key"}})
            return
        self.server.answered += parts
        rows = [{"object": "embedding", "index": n, "embedding": vector_of(text, self.server.size)} for n, text in enumerate(texts)]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        self._answer(200, {"object": "list", "model": asked["model"], "data": rows, "usage": usage})

    def _answer(self, status: int, told: dict[str, object]) -> None:
        body = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def vector_of(text: str, size: int = SIZE) -> list[float]:
    length, added = len(text) * 7, sum(text.encode())
    return [float(1 + (length + added * (n + 1)) % 97) for n in range(size)]
