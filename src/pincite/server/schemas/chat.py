"""What `/chat/stream` takes."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.config import JsonDict

from pincite.answering.exchange import Ask
from pincite.answering.prompts import source_label
from pincite.core.evidence import Filter, Turn
from pincite.core.ids import CollectionId, DocumentId
from pincite.server.schemas.query import MAX_DOCUMENTS, Id, Question, Text, whole

MAX_TURNS = 10
MAX_MESSAGE_CHARACTERS = 4_000
MAX_HISTORY_CHARACTERS = 16_000

EXAMPLE: JsonDict = {
    "question": "And how long is the notice period?",
    "retrieval_limit": 6,
    "history": [
        {"role": "user", "content": "How many days of leave are there?"},
        {"role": "assistant", "content": "Everyone has thirty days of leave a year [S1]."},
    ],
}


class HistoryMessage(BaseModel):
    """A message of an earlier exchange: data for the model, never instructions."""

    model_config = ConfigDict(extra="forbid")

    role: Literal["user", "assistant"]
    content: Annotated[Text, Field(min_length=1, max_length=MAX_MESSAGE_CHARACTERS)]


def _turns(history: list[HistoryMessage]) -> list[HistoryMessage]:
    if sum(len(message.content) for message in history) > MAX_HISTORY_CHARACTERS:
        raise ValueError(f"The history is longer than {MAX_HISTORY_CHARACTERS:,} characters.")
    if [message.role for message in history] != ["user", "assistant"] * (len(history) // 2):
        raise ValueError("The history alternates user and assistant, begins with user and ends with assistant.")
    return history


def _normalised(question: str) -> str:
    return " ".join(question.split())


class ChatRequest(BaseModel):
    """A question to every collection that you may read, with what was said before."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [EXAMPLE]})

    question: Annotated[Question, AfterValidator(_normalised)] = Field(description="1–5,000 characters; white space is normalised.")
    retrieval_limit: Annotated[int, Field(strict=True, ge=1, le=10), BeforeValidator(whole)] = 6
    document_ids: list[Id] | None = Field(None, max_length=MAX_DOCUMENTS)
    content_types: list[Annotated[Text, Field(max_length=200)]] | None = Field(None, max_length=50)
    history: Annotated[list[HistoryMessage], Field(max_length=2 * MAX_TURNS), AfterValidator(_turns)] = Field(
        default_factory=list[HistoryMessage]
    )

    def ask(self, collection_ids: list[CollectionId]) -> Ask:
        """Return the question for the engine."""
        documents = tuple(DocumentId(each) for each in self.document_ids or ())
        pairs = zip(self.history[::2], self.history[1::2], strict=True)
        return Ask(
            self.question,
            tuple(collection_ids),
            Filter(document_ids=documents, content_types=tuple(self.content_types or ())),
            self.retrieval_limit,
            history=tuple(Turn(asked.content, said.content) for asked, said in pairs),
            label=source_label,
            surface="chat",
            must_cite=True,
            policy_of_found=True,
        )
