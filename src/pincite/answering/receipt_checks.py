"""Checks receipts without a store: form, signature, commitments, chain, time stamp. Pure, but for the checks that are given."""

import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Never, cast

from pincite.core.canonical_json import canonical
from pincite.core.errors import RefusedInput
from pincite.core.ports.signer import SignatureCheck, Stamped, TimeStampCheck
from pincite.core.receipts import FORMAT, Content, commitment, digest, sealed

MOST_BYTES = 64_000_000
"""A longer file is no receipt: answers have thousands of characters."""
_FAMILY = re.compile(r"pincite-receipt/\d+")
_NONCE = re.compile("[0-9a-f]{32}")
_KEY = re.compile("[0-9a-f]{64}")
_SIGNATURE = re.compile("[0-9a-f]{128}")


class FaultCode(StrEnum):
    """What can be wrong with a receipt."""

    FORM = "form"
    SIGNATURE = "signature"
    KEY = "key"
    CONTENT = "content"
    CHAIN = "chain"
    TIME_STAMP = "time_stamp"


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is wrong with a receipt, in a sentence."""

    code: FaultCode
    message: str


@dataclass(frozen=True, slots=True)
class CheckedReceipt:
    """What was found out about a receipt. `opened` holds contents by place, `withheld` the places that nothing opens.

    Contents count as what was signed only where there are no `faults`.
    """

    id: str
    statement: Mapping[str, Any]
    opened: Mapping[str, Content] = field(default_factory=dict[str, Content])
    withheld: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    time_stamp: Stamped | None = None
    follows: str = ""
    """The id of the receipt before it, where that was given and fits."""

    @property
    def public_key(self) -> str:
        """Return the key (hex) that it says it was signed with."""
        return str(self.statement["public_key"])

    @property
    def number(self) -> int:
        """Return its place in the chain."""
        return int(self.chain["number"])

    @property
    def chain(self) -> Mapping[str, Any]:
        """Return its chain: workspace, number, and id of the receipt before."""
        return cast("Mapping[str, Any]", self.statement["chain"])

    @property
    def passages(self) -> Sequence[Mapping[str, Any]]:
        """Return the quotes that it commits to: label, document, version and offsets."""
        return cast("Sequence[Mapping[str, Any]]", self.statement["passages"])

    def text(self, place: str) -> str | None:
        """Return the text that a place is opened to, None where it isn't."""
        found = self.opened.get(place)
        return found if isinstance(found, str) else None

    def field(self, place: str, name: str) -> Any:
        """Return a field of the object that a place is opened to, None where there is none."""
        found = self.opened.get(place)
        return found.get(name) if isinstance(found, dict) else None


@dataclass(frozen=True, slots=True)
class ReceiptChecks:
    """Checks receipts of any instance, with what the keys' and the authorities' libraries offer."""

    is_signed: SignatureCheck
    stamped: TimeStampCheck

    def check(self, data: bytes, *, key: str = "", previous: CheckedReceipt | None = None) -> CheckedReceipt:
        """Return what is found out about a receipt: by itself, against the key that is expected, and against the one before.

        Raises `RefusedInput` for what isn't a receipt at all (`no_receipt`), or is one of a newer version (`newer_receipt`).
        """
        value = _parsed(data)
        statement = _statement(value)
        signed = canonical(statement)
        signature = value.get("signature")
        faults = [*_form(data, value), *self._signature(statement, signed, signature)]
        if key and statement["public_key"] != key.strip().lower():
            faults.append(Fault(FaultCode.KEY, "It was signed with another key than the one expected."))
        opened, wrong = _opened(statement, value.get("openings"))
        faults += wrong
        stamp, wrong = self._stamp(digest(signed), signed, statement["public_key"], value.get("time_stamp"))
        faults += [*wrong, *_links(statement, previous)]
        withheld = tuple(place for place in statement["commitments"] if place not in opened)
        follows = previous.id if previous and statement["chain"]["previous"] == previous.id else ""
        return CheckedReceipt(digest(signed), statement, opened, withheld, tuple(faults), stamp, follows)

    def _signature(self, statement: Mapping[str, Any], signed: bytes, signature: object) -> list[Fault]:
        is_whole = isinstance(signature, str) and _SIGNATURE.fullmatch(signature)
        if is_whole and self.is_signed(statement["public_key"], signed, cast("str", signature)):
            return []
        return [Fault(FaultCode.SIGNATURE, "The signature isn't that of its key over what it states: something was changed.")]

    def _stamp(self, receipt_id: str, signed: bytes, key: str, stamp: object) -> tuple[Stamped | None, list[Fault]]:
        if stamp is None:
            return None, []
        entries = cast("dict[str, Any]", stamp) if isinstance(stamp, dict) else {}
        response, signature = entries.get("response"), entries.get("signature")
        broken = [Fault(FaultCode.TIME_STAMP, "Its time stamp was changed, or belongs to another receipt.")]
        if set(entries) != {"response", "signature"} or not (_is_hex(response) and _is_hex(signature)):
            return None, broken
        data = bytes.fromhex(cast("str", response))
        if not self.is_signed(key, sealed(receipt_id, data), cast("str", signature)):
            return None, broken
        try:
            return self.stamped(data, signed), []
        except RefusedInput as error:
            return None, [Fault(FaultCode.TIME_STAMP, error.message)]


def _is_hex(value: object) -> bool:
    return isinstance(value, str) and bool(re.fullmatch("(?:[0-9a-f]{2})+", value))


def _parsed(data: bytes) -> dict[str, Any]:
    if len(data) > MOST_BYTES:
        raise _no_receipt(f"It has more than {MOST_BYTES:,} bytes.")
    try:
        value = json.loads(data.decode(), parse_constant=_constant)
    except UnicodeDecodeError as error:
        raise _no_receipt("It isn't UTF-8.") from error
    except json.JSONDecodeError as error:
        raise _no_receipt(f"It can't be read as JSON: {error.msg} at line {error.lineno}, column {error.colno}.") from error
    except (RecursionError, ValueError) as error:
        raise _no_receipt("It can't be read as JSON.") from error
    if not isinstance(value, dict):
        raise _no_receipt("It is JSON, but no object.")
    return cast("dict[str, Any]", value)


def _constant(name: str) -> Never:
    raise ValueError(name)


def _no_receipt(why: str) -> RefusedInput:
    return RefusedInput(f"This is no receipt of Pincite, or it was damaged. {why}", code="no_receipt")


def _statement(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the statement, as far as what is read of it later has the right kind. Raises `RefusedInput`."""
    stated = value.get("statement")
    statement = cast("dict[str, Any]", stated) if isinstance(stated, dict) else {}
    made_as = statement.get("format")
    if made_as != FORMAT:
        if isinstance(made_as, str) and _FAMILY.fullmatch(made_as):
            raise RefusedInput(
                f"The receipt is in the form {made_as!a}, and this version of Pincite knows {FORMAT}. Upgrade Pincite.",
                code="newer_receipt",
            )
        raise _no_receipt("It doesn't say that it is one.")
    try:
        canonical(statement)
    except (ValueError, RecursionError) as error:
        raise _no_receipt("It holds what canonical JSON can't.") from error
    if not _has_shape(statement):
        raise _no_receipt("What it states is incomplete.")
    return statement


def _has_shape(statement: Mapping[str, Any]) -> bool:
    key, chain, message = statement.get("public_key"), statement.get("chain"), statement.get("message_id")
    commitments, passages = statement.get("commitments"), statement.get("passages")
    return (
        isinstance(key, str)
        and bool(_KEY.fullmatch(key))
        and isinstance(message, str)
        and isinstance(chain, dict)
        and _is_link(cast("dict[str, Any]", chain))
        and isinstance(commitments, dict)
        and all(isinstance(each, str) for each in cast("dict[str, object]", commitments).values())
        and isinstance(passages, list)
        and all(map(_is_passage, cast("list[object]", passages)))
    )


def _is_link(chain: Mapping[str, Any]) -> bool:
    previous = chain.get("previous", "")
    is_whole = type(chain.get("number")) is int and isinstance(chain.get("workspace_id"), str)
    return is_whole and (previous is None or _is_hex(previous))


def _is_passage(value: object) -> bool:
    entries = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    kinds = {"n": int, "document_id": str, "version_id": str, "start": int, "end": int}
    return all(type(entries.get(name)) is kind for name, kind in kinds.items())


def _form(data: bytes, value: Mapping[str, Any]) -> list[Fault]:
    """Find a file that isn't written as receipts are, to the byte: whatever reformatted it may have dropped something."""
    unknown = set(value) - {"statement", "signature", "openings", "time_stamp"}
    if unknown:
        return [Fault(FaultCode.FORM, "It holds what no receipt has.")]
    try:
        is_as_issued = data in ((written := canonical(value)), written + b"\n")
    except (ValueError, RecursionError):
        is_as_issued = False
    if is_as_issued:
        return []
    return [
        Fault(
            FaultCode.FORM, "The file isn't byte for byte as it was issued: an editor or a tool wrote it anew, or it was changed."
        )
    ]


def _opened(statement: Mapping[str, Any], openings: object) -> tuple[dict[str, Content], list[Fault]]:
    if not isinstance(openings, dict):
        return {}, [Fault(FaultCode.FORM, "It lacks its openings.")]
    commitments = cast("dict[str, str]", statement["commitments"])
    opened: dict[str, Content] = {}
    faults: list[Fault] = []
    for place, given in cast("dict[str, object]", openings).items():
        content = _content(given)
        if content is None or place not in commitments or _committed(given, content) != commitments[place]:
            faults.append(Fault(FaultCode.CONTENT, f"What it shows as {_named(place)} isn't what was signed."))
        else:
            opened[place] = content
    return opened, faults


def _content(given: object) -> Content | None:
    """Return what an opening shows; None for what is no opening, to the byte."""
    entries = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
    nonce = entries.get("nonce")
    if len(entries) != 2 or not isinstance(nonce, str) or not _NONCE.fullmatch(nonce):
        return None
    text, value, utf8 = entries.get("text"), entries.get("value"), entries.get("utf8")
    if isinstance(text, str):
        return text
    if isinstance(value, (dict, list)):
        return cast("dict[str, Any] | list[Any]", value)
    return _decoded(utf8) if isinstance(utf8, str) else None


def _decoded(utf8: str) -> str | None:
    try:
        data = base64.b64decode(utf8, validate=True)
        return data.decode(errors="surrogatepass") if base64.b64encode(data).decode() == utf8 else None
    except ValueError:
        return None


def _committed(given: object, content: Content) -> str:
    try:
        return commitment(cast("dict[str, str]", given)["nonce"], content)
    except (ValueError, RecursionError):
        return ""


def _named(place: str) -> str:
    kind, _, at = place.partition("/")
    named = {"passages": "quote", "places": "the place of quote", "claims": "claim", "versions": "document"}
    return f"{named[kind]} {int(at) + 1}" if kind in named and at.isdecimal() else repr(place[:40])


def _links(statement: Mapping[str, Any], previous: CheckedReceipt | None) -> list[Fault]:
    chain = cast("Mapping[str, Any]", statement["chain"])
    is_first = chain["number"] == 1
    if chain["number"] < 1 or is_first != (chain["previous"] is None):
        return [Fault(FaultCode.CHAIN, "Its place in the chain can't be.")]
    if previous is None:
        return []
    if chain["previous"] == previous.id and chain["number"] == previous.number + 1:
        return []
    return [
        Fault(FaultCode.CHAIN, f"It doesn't follow the receipt with number {previous.number} that was given as the one before.")
    ]
