"""What `/query/` takes."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from pydantic.config import JsonDict

from pincite.answering.engine import MAX_QUESTION_CHARACTERS
from pincite.answering.exchange import Ask
from pincite.core.evidence import Filter
from pincite.core.ids import CollectionId, DocumentId

MAX_COLLECTIONS = 20
MAX_DOCUMENTS = 1000
MAX_TAGS = 50


def _trimmed(question: str) -> str:
    question = question.strip()
    if not question:
        raise ValueError("The question is empty. Write what you want to know.")
    if len(question) > MAX_QUESTION_CHARACTERS:
        raise ValueError(f"The question has {len(question):,} characters; {MAX_QUESTION_CHARACTERS:,} are the most.")
    return question


def whole(number: Any) -> Any:
    """Return `6.0` as 6: to JSON they are the same number."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


def storable(text: str) -> str:
    """Return a text that UTF-8 and every database can hold. Raises `ValueError`."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("The text holds half a surrogate pair.") from None
    if "\0" in text:
        raise ValueError("The text holds a NUL character, which no document does.")
    return text


# What the validators ask, for those who read the OpenAPI document.
_TEXT_PATTERN = r"^[^\u0000]*$"
SAYING_PATTERN = r"^[^\u0000]*[^\s\u0000\u001c-\u001f\u0085][^\u0000]*$"
"""A text that isn't blank."""
_QUESTION: JsonDict = {"minLength": 1, "maxLength": MAX_QUESTION_CHARACTERS, "pattern": SAYING_PATTERN}

Text = Annotated[str, AfterValidator(storable), Field(json_schema_extra={"pattern": _TEXT_PATTERN})]
Question = Annotated[str, AfterValidator(storable), AfterValidator(_trimmed), Field(json_schema_extra=_QUESTION)]
Id = Annotated[Text, Field(max_length=64)]


class QueryRequest(BaseModel):
    """A question and where to look for its answer."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"question": "How long is the notice period?"}]})

    question: Question = Field(description="1–5,000 characters after trimming.")
    collection_id: Id | None = Field(None, description="Absent, null or empty: your personal collection.")
    collection_ids: list[Id] | None = Field(None, max_length=MAX_COLLECTIONS, description="Several collections, instead of one.")
    session_id: Id | None = Field(None, description="A chat session; null or empty is none.")
    document_ids: list[Id] | None = Field(None, max_length=MAX_DOCUMENTS)
    path_prefix: Annotated[Text, Field(max_length=4096)] | None = None
    tags: list[Annotated[Text, Field(max_length=200)]] | None = Field(None, max_length=MAX_TAGS)

    @model_validator(mode="after")
    def _names_collections_once(self) -> "QueryRequest":
        if self.collection_id and self.collection_ids:
            raise ValueError("Name one collection in collection_id or several in collection_ids, not both.")
        return self

    @property
    def collections(self) -> list[CollectionId]:
        """Return the collections that are named; none for the personal one."""
        named = [self.collection_id] if self.collection_id else self.collection_ids or []
        return [CollectionId(each) for each in named if each]

    def ask(self, collection_ids: list[CollectionId]) -> Ask:
        """Return the question for the engine."""
        documents = tuple(DocumentId(each) for each in self.document_ids or ())
        chosen = Filter(document_ids=documents, path_prefix=self.path_prefix or "", tags=tuple(self.tags or ()))
        return Ask(self.question, tuple(collection_ids), chosen, surface="query")
