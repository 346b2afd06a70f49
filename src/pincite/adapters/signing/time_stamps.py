"""Time stamps of an authority (RFC 3161), asked for over HTTP and checked without asking anybody."""

import hashlib
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pincite.core.errors import ConfigurationError, RefusedInput, UpstreamError
from pincite.core.ports.signer import Stamped

if TYPE_CHECKING:
    from cryptography.x509 import Certificate
    from rfc3161_client import TimeStampRequest, TimeStampResponse

MOST_BYTES = 1_000_000
"""Longest answer of an authority; usual ones have a few thousand bytes."""
UNCHECKED = "Whether the authority is the one it says can't be told without its root certificate (PINCITE_TIMESTAMP_ROOTS)."
_INSTALL = "Install what reads time stamps: pip install 'pincite[timestamp]'."
_SHA256 = "2.16.840.1.101.3.4.2.1"


class StampCheck:
    """A `TimeStampCheck`. `roots` is a file of root certificates (PEM) that are trusted."""

    def __init__(self, roots: Path | None = None) -> None:
        self._roots = roots

    def __call__(self, response: bytes, data: bytes) -> Stamped:
        """Return when the bytes existed, and who says so. Raises `RefusedInput` for what is no time stamp over these bytes."""
        if find_spec("rfc3161_client") is None:
            return Stamped(None, "", f"The time stamp wasn't looked at. {_INSTALL}")
        decoded = _decoded(response)
        _require_imprint(decoded, data)
        if self._roots is None:
            return Stamped(decoded.tst_info.gen_time, _name(decoded), UNCHECKED)
        _require_trust(decoded, data, _certificates(self._roots), None)
        return Stamped(decoded.tst_info.gen_time, _name(decoded))


class Authority:
    """A `TimeStamping` at an address. What it answers is checked, also against `roots` where these are given."""

    def __init__(self, url: str, timeout_s: float, roots: Path | None = None) -> None:
        self._url = url
        self._timeout_s = timeout_s
        self._roots = roots

    async def stamp(self, data: bytes) -> bytes:
        """Return the authority's response over the SHA-256 of bytes (DER).

        Raises `UpstreamError`, also for one that is no good, and `ConfigurationError`.
        """
        request = _request(data)
        response = await self._sent(request.as_bytes())
        try:
            decoded = _decoded(response)
            _require_imprint(decoded, data)
            if decoded.tst_info.nonce != request.nonce:
                raise RefusedInput("The time stamp is an answer to somebody else's request.", code="time_stamp")
            if self._roots is not None:
                _require_trust(decoded, data, _certificates(self._roots), request)
        except RefusedInput as error:
            raise UpstreamError(
                f"The time-stamping authority's answer can't be used. {error.message}", code="time_stamp"
            ) from error
        return response

    async def _sent(self, request: bytes) -> bytes:
        import httpx2

        parts = urlsplit(self._url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigurationError("PINCITE_TIMESTAMP_URL is no address. Set it to one that begins with http:// or https://.")
        headers = {"Content-Type": "application/timestamp-query", "Accept": "application/timestamp-reply"}
        received = bytearray()
        try:
            async with (
                httpx2.AsyncClient(timeout=self._timeout_s, follow_redirects=False) as client,
                client.stream("POST", self._url, content=request, headers=headers) as reply,
            ):
                if reply.status_code != 200:
                    raise _failed(f"It answered {reply.status_code}.")
                async for piece in reply.aiter_bytes():
                    received += piece
                    if len(received) > MOST_BYTES:
                        raise _failed("Its answer has no end.")
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            raise _failed("It can't be reached, or took too long.") from error
        return bytes(received)


def _request(data: bytes) -> "TimeStampRequest":
    try:
        from rfc3161_client import HashAlgorithm, TimestampRequestBuilder
    except ImportError as error:
        raise ConfigurationError(f"PINCITE_TIMESTAMP_URL is set. {_INSTALL}") from error
    return TimestampRequestBuilder().data(data).hash_algorithm(HashAlgorithm.SHA256).build()


def _decoded(response: bytes) -> "TimeStampResponse":
    from rfc3161_client import decode_timestamp_response
    from rfc3161_client.tsp import PKIStatus

    try:
        decoded = decode_timestamp_response(response)
        if decoded.status not in (PKIStatus.GRANTED, PKIStatus.GRANTED_WITH_MODS):
            raise RefusedInput("The authority refused to stamp it.", code="time_stamp")
        _ = decoded.tst_info.gen_time
    except ValueError as error:
        raise RefusedInput("The time stamp can't be read.", code="time_stamp") from error
    return decoded


def _require_imprint(decoded: "TimeStampResponse", data: bytes) -> None:
    imprint = decoded.tst_info.message_imprint
    if imprint.hash_algorithm.dotted_string != _SHA256 or imprint.message != hashlib.sha256(data).digest():
        raise RefusedInput("The time stamp is that of something else.", code="time_stamp")


def _require_trust(
    decoded: "TimeStampResponse", data: bytes, roots: "list[Certificate]", request: "TimeStampRequest | None"
) -> None:
    from rfc3161_client import VerificationError, VerifierBuilder

    builder = VerifierBuilder.from_request(request) if request else VerifierBuilder()
    for root in roots:
        builder = builder.add_root_certificate(root)
    try:
        builder.build().verify_message(decoded, data)
    except (VerificationError, ValueError) as error:
        raise RefusedInput(
            "The time stamp isn't signed by an authority under the root certificates given.", code="time_stamp"
        ) from error


def _certificates(roots: Path) -> "list[Certificate]":
    from cryptography.x509 import load_pem_x509_certificates

    try:
        found = load_pem_x509_certificates(roots.read_bytes())
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{roots} holds no certificates that can be read (PINCITE_TIMESTAMP_ROOTS).") from error
    return list(dict.fromkeys(found))


def _name(decoded: "TimeStampResponse") -> str:
    """Return the subject of the certificate that signed, where the response brings it."""
    from cryptography.x509 import load_der_x509_certificate

    signers = {info.serial_number for info in decoded.signed_data.signer_infos}
    certificates = [load_der_x509_certificate(each) for each in decoded.signed_data.certificates]
    return next((each.subject.rfc4514_string() for each in certificates if each.serial_number in signers), "")


def _failed(why: str) -> UpstreamError:
    return UpstreamError(f"The time-stamping authority gave no time stamp. {why}", code="time_stamp", retryable=True)
