"""Time stamps: asked for over HTTP, checked against what they stamp and whom the caller trusts."""

import shutil
import subprocess
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from pincite.adapters.signing.time_stamps import MOST_BYTES, Authority, StampCheck
from pincite.core.errors import ConfigurationError, RefusedInput, UpstreamError

# Made with `openssl ts` by an authority of a day, under a root certificate of its own.
MADE = Path(__file__).parents[3] / "data" / "timestamps"
RESPONSE = (MADE / "response.tsr").read_bytes()
DATA = b"what is stamped"

Answer = Callable[[bytes], tuple[int, bytes]]


@contextmanager
def authority(answer: Answer) -> Generator[str]:
    """Give the address of a server that answers as told."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            status, body = answer(self.rfile.read(int(self.headers["Content-Length"])))
            assert self.headers["Content-Type"] == "application/timestamp-query"
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_time_stamp_tells_when_and_by_whom():
    found = StampCheck(MADE / "root.pem")(RESPONSE, DATA)
    assert found.at is not None
    assert (found.at.year, found.by, found.remark) == (2026, "CN=Test TSA", "")


def test_without_a_root_it_is_told_that_nobody_vouches_for_it():
    found = StampCheck()(RESPONSE, DATA)
    assert found.by == "CN=Test TSA"
    assert "PINCITE_TIMESTAMP_ROOTS" in found.remark


@pytest.mark.parametrize(
    ("response", "data", "said"),
    [
        (RESPONSE, b"something else", "something else"),
        (b"", DATA, "can't be read"),
        (b"\x30\x03\x02\x01\x00", DATA, "can't be read"),
        (RESPONSE[:400], DATA, "can't be read"),
        (b"\x30\x05\x30\x03\x02\x01\x02", DATA, "refused"),
    ],
)
def test_what_is_no_time_stamp_over_the_bytes_is_refused(response: bytes, data: bytes, said: str):
    for check in (StampCheck(), StampCheck(MADE / "root.pem")):
        with pytest.raises(RefusedInput, match=said):
            check(response, data)


def test_another_root_vouches_for_nothing():
    with pytest.raises(RefusedInput, match="root certificates"):
        StampCheck(MADE / "other.pem")(RESPONSE, DATA)


def test_roots_that_cannot_be_read_are_a_fault_of_the_settings(tmp_path: Path):
    (tmp_path / "none.pem").write_text("nothing")
    for name in ("none.pem", "missing.pem"):
        with pytest.raises(ConfigurationError, match="PINCITE_TIMESTAMP_ROOTS"):
            StampCheck(tmp_path / name)(RESPONSE, DATA)


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (200, RESPONSE, "something else"),
        (200, b"<html>", "can't be read"),
        (503, b"", "503"),
        (302, b"", "302"),
        (200, bytes(MOST_BYTES + 1), "no end"),
    ],
)
async def test_an_authority_that_answers_badly_gives_no_stamp(status: int, body: bytes, said: str):
    with authority(lambda _: (status, body)) as url, pytest.raises(UpstreamError, match=said):
        await Authority(url, 5).stamp(b"other")


async def test_an_answer_to_another_request_is_no_stamp():
    with authority(lambda _: (200, RESPONSE)) as url, pytest.raises(UpstreamError, match="somebody else's"):
        await Authority(url, 5).stamp(DATA)


async def test_an_authority_that_cannot_be_reached_is_told():
    with authority(lambda _: (200, b"")) as url:
        pass
    with pytest.raises(UpstreamError, match="can't be reached"):
        await Authority(url, 5).stamp(DATA)
    with pytest.raises(ConfigurationError, match="PINCITE_TIMESTAMP_URL"):
        await Authority("ftp://example.org", 5).stamp(DATA)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl isn't installed")
async def test_what_an_authority_stamps_is_checked_and_kept(tmp_path: Path):
    roots = _made_authority(tmp_path)

    def answer(request: bytes) -> tuple[int, bytes]:
        (tmp_path / "request.tsq").write_bytes(request)
        _openssl(tmp_path, "ts -reply -config tsa.cnf -queryfile request.tsq -out response.tsr")
        return 200, (tmp_path / "response.tsr").read_bytes()

    with authority(answer) as url:
        response = await Authority(url, 30, roots).stamp(DATA)
        with pytest.raises(UpstreamError, match="root certificates"):
            await Authority(url, 30, MADE / "root.pem").stamp(DATA)
    assert StampCheck(roots)(response, DATA).by == "CN=TSA"


def _made_authority(folder: Path) -> Path:
    (folder / "extensions").write_text("extendedKeyUsage=critical,timeStamping\n")
    (folder / "serial").write_text("01\n")
    (folder / "tsa.cnf").write_text(
        "[tsa]\ndefault_tsa=t\n[t]\nserial=serial\nsigner_cert=tsa.pem\ncerts=tsa.pem\nsigner_key=tsa.key\nsigner_digest=sha256\n"
        "default_policy=1.2.3.4.1\ndigests=sha256\ness_cert_id_chain=no\n"
    )
    _openssl(folder, "req -x509 -newkey rsa:2048 -nodes -keyout root.key -out root.pem -days 2 -subj /CN=Root")
    _openssl(folder, "req -newkey rsa:2048 -nodes -keyout tsa.key -out tsa.csr -subj /CN=TSA")
    _openssl(folder, "x509 -req -in tsa.csr -CA root.pem -CAkey root.key -CAcreateserial -out tsa.pem -extfile extensions")
    return folder / "root.pem"


def _openssl(folder: Path, arguments: str) -> None:
    subprocess.run(["openssl", *arguments.split()], cwd=folder, check=True, capture_output=True)
