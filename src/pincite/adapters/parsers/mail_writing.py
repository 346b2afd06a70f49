"""Messages written as e-mail (RFC 5322): what stands inside an Outlook message becomes a file that is read like any other."""

from base64 import b64encode, encodebytes
from collections.abc import Iterator
from urllib.parse import quote

from pincite.adapters.parsers.mail import Mail
from pincite.adapters.parsers.mail_parts import Body

_WORD_BYTES = 42
_BOUNDARY = "=_pincite_part_{}_="


def write_message(mail: Mail) -> bytes:
    """Return a message as the bytes of an EML file; the same message gives the same bytes."""
    headers = [("Subject", mail.subject), ("From", mail.sender), *mail.rows]
    head = b"".join(_header(label, text) for label, text in headers if text)
    forms = [form for forms in mail.bodies for form in forms]
    body = _multipart("alternative", [_body(form) for form in forms], 1) if len(forms) != 1 else _body(forms[0])
    files = [_file(attachment.name, attachment.content()) for attachment in mail.attachments]
    return head + b"MIME-Version: 1.0\r\n" + (_multipart("mixed", [body, *files], 0) if files else body)


def _header(label: str, text: str) -> bytes:
    if text.isascii() and text.isprintable():
        return f"{label}: {text}\r\n".encode("ascii")
    words = (f"=?utf-8?B?{b64encode(piece).decode('ascii')}?=" for piece in _pieces(text.encode("utf-8", "replace")))
    return f"{label}: ".encode("ascii") + "\r\n ".join(words).encode("ascii") + b"\r\n"


def _pieces(raw: bytes) -> Iterator[bytes]:
    return (raw[at : at + _WORD_BYTES] for at in range(0, len(raw), _WORD_BYTES))


def _body(body: Body) -> bytes:
    kind = "html" if body.is_html else "plain"
    return _part(f"text/{kind}; charset=utf-8", "", body.text.encode("utf-8", "replace"))


def _file(name: str, content: bytes) -> bytes:
    kind = "message/rfc822" if name.lower().endswith(".eml") else "application/octet-stream"
    return _part(kind, f"Content-Disposition: attachment; filename*=utf-8''{quote(name, safe='')}\r\n", content)


def _part(kind: str, headers: str, content: bytes) -> bytes:
    head = f"Content-Type: {kind}\r\n{headers}Content-Transfer-Encoding: base64\r\n\r\n"
    return head.encode("ascii") + encodebytes(content).replace(b"\n", b"\r\n")


def _multipart(kind: str, parts: list[bytes], level: int) -> bytes:
    boundary = _BOUNDARY.format(level)
    inner = b"".join(f"--{boundary}\r\n".encode("ascii") + part + b"\r\n" for part in parts)
    return (
        f'Content-Type: multipart/{kind}; boundary="{boundary}"\r\n\r\n'.encode("ascii")
        + inner
        + f"--{boundary}--\r\n".encode("ascii")
    )
