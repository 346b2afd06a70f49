"""Issues receipts as answers are recorded, keeps their chain, and hands them out."""

import logging
from collections.abc import Collection
from dataclasses import dataclass

from pincite.answering.receipts import document_of, issue, places_of
from pincite.core.answers import AnswerRecord
from pincite.core.errors import ConfigurationError, NotFoundError, PinciteError, UsageError
from pincite.core.ids import DocumentId, MessageId, WorkspaceId
from pincite.core.ports.signer import Signer, TimeStamping
from pincite.core.ports.store import Store, UnitOfWork
from pincite.core.receipts import Receipt, TimeStamp, contents_of, sealed

_log = logging.getLogger("pincite.receipts")


@dataclass(frozen=True, slots=True)
class Withholding:
    """What a receipt shall not show: passages by their label in the answer, passages of documents, and single places."""

    numbers: frozenset[int] = frozenset()
    documents: frozenset[DocumentId] = frozenset()
    places: frozenset[str] = frozenset()

    def of(self, record: AnswerRecord) -> set[str]:
        """Return the places to withhold. Raises `UsageError` for a label or a place that the answer doesn't have."""
        missing = self.numbers - {quote.n for quote in record.evidence}
        unknown = self.places - set(contents_of(record))
        if missing or unknown:
            named = ", ".join([*(f"[{n}]" for n in sorted(missing)), *sorted(unknown)])
            raise UsageError(f"The answer has nothing like {named} to withhold.", code="withhold")
        return places_of(record, numbers=self.numbers, documents=self.documents) | self.places


NOTHING = Withholding()


@dataclass(frozen=True, slots=True)
class Receipts:
    """The receipts of a workspace. `software` is what they say made them, `stamping` an authority that says when."""

    store: Store
    workspace_id: WorkspaceId
    signer: Signer
    software: str
    stamping: TimeStamping | None = None

    async def issue(self, work: UnitOfWork, record: AnswerRecord) -> Receipt:
        """Sign and keep the receipt of a stored answer, in the unit of work that stores it: none comes between it and the last one.

        Raises `ConfigurationError` (`receipt_key`).
        """
        await work.lock()
        receipt = issue(record, await work.receipts.last(), self.signer, workspace_id=self.workspace_id, software=self.software)
        await work.receipts.add(receipt)
        return receipt

    async def try_to_issue(self, work: UnitOfWork, record: AnswerRecord) -> None:
        """Issue, and leave it to whoever asks for the receipt where there is no key: an answer is not lost for that."""
        try:
            await self.issue(work, record)
        except ConfigurationError as error:
            _log.warning("An answer was kept without its receipt. %s", error.message)

    async def document(self, message_id: MessageId, withholding: Withholding = NOTHING) -> bytes:
        """Return the receipt of an answer as it is handed out. One that has none gets it now, at the end of the chain.

        Raises `NotFoundError`, `UsageError` (`withhold`), `ConfigurationError` (`receipt_key`).
        """
        record, receipt = await self._kept(message_id)
        withholding.of(record)
        await self._stamped(receipt or await self._late(message_id))
        # Read again: a document may have been erased while the authority was waited for.
        record, receipt = await self._kept(message_id)
        if receipt is None:
            raise AssertionError("A receipt that was issued stays.")
        return document_of(receipt, record, withheld=withholding.of(record))

    async def _kept(self, message_id: MessageId) -> tuple[AnswerRecord, Receipt | None]:
        async with self.store.open(self.workspace_id) as work:
            receipt, record = await work.receipts.get(message_id), await work.answers.get(message_id)
        if record is None:
            raise NotFoundError("There is no such answer.", code="answer")
        return record, receipt

    async def last(self) -> MessageId:
        """Return the answer that has the newest receipt. Raises `NotFoundError` where there is none."""
        async with self.store.open(self.workspace_id) as work:
            found = await work.receipts.last()
        if found is None:
            raise NotFoundError("There is no receipt yet: each answer gets one.", code="answer")
        return found.message_id

    async def _late(self, message_id: MessageId) -> Receipt:
        async with self.store.open(self.workspace_id) as work:
            await work.lock()
            if known := await work.receipts.get(message_id):
                return known
            record = await work.answers.get(message_id)
            if record is None:
                raise NotFoundError("There is no such answer.", code="answer")
            receipt = await self.issue(work, record)
            await work.commit()
        return receipt

    async def _stamped(self, receipt: Receipt) -> None:
        """Have a receipt stamped that isn't, if there is an authority. Where that fails it goes without, until the next time."""
        if self.stamping is None or receipt.time_stamp:
            return
        try:
            response = await self.stamping.stamp(receipt.statement.encode())
            stamp = TimeStamp(response, self.signer.sign(sealed(receipt.id, response)))
        except PinciteError as error:
            _log.warning("A receipt goes without a time stamp. %s", error.message)
            return
        async with self.store.open(self.workspace_id) as work:
            await work.receipts.stamp(receipt.message_id, stamp)
            await work.commit()


def withholding(named: Collection[str]) -> Withholding:
    """Read what to withhold: labels (`2`, `[2]`) and places (`question`). Empty names are none."""
    names = [each.strip().removeprefix("[").removesuffix("]") for each in named]
    numbers = {int(name[:9]) for name in names if name.isascii() and name.isdecimal()}
    places = {name for name in names if name and not (name.isascii() and name.isdecimal())}
    return Withholding(frozenset(numbers), places=frozenset(places))
