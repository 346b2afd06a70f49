"""What is streamed, and its JSON twin: the data of each event, for clients that are generated from the OpenAPI document.

The server writes these from the core's own types; a test holds every field of a real stream to them.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from pincite.core.answers import Verdict
from pincite.core.evidence import Strategy
from pincite.core.policies import Policy
from pincite.server.schemas.evidence import ScopeRow, Source


class Span(BaseModel):
    """The part of a quote on one page. Boxes are `[x0, y0, x1, y1]` in PDF points from the top left of the page as displayed.

    `cells` (`B2:D9`) stands only where the format has cells: then a page is a sheet. `confidence` stands only where OCR read the
    page: how sure it is, from 0 to 1, of the word that it is least sure of.
    """

    page: int | None
    page_label: str | None
    bates: str | None
    section: str
    boxes: list[list[float]]
    page_size: list[float] | None
    cells: str = ""
    confidence: float | None = None


class Quote(BaseModel):
    """One literal run `[start, end)` of the version's canonical text, in code points.

    `doubtful` stands only where OCR read a word of it of which it isn't sure: the picture may say otherwise.
    """

    text: str
    start: int
    end: int
    spans: list[Span]
    doubtful: bool = False


class Citation(BaseModel):
    """An issued label, with the quotes that support its claims."""

    n: int
    document_id: str
    version_id: str
    chunk_id: str
    issued_by: Literal["model", "verifier"]
    quotes: list[Quote]
    also_in: list[int]


class Claim(BaseModel):
    """A sentence, list item or table cell `[start, end)` of the answer; `citations` are indexes into the citations.

    `judged_by` stands only where a judge was asked (`PINCITE_JUDGE`) and its verdict holds. `support` is the verifier's anyhow.
    """

    start: int
    end: int
    verdict: Verdict
    support: float | None
    reason: str
    citations: list[int]
    judged_by: str = ""


class Conflict(BaseModel):
    """Two sentences of two sources that are the same but for an amount or a date, and these `values` as each writes them.

    The first citation is of what the answer cites.
    """

    values: list[str]
    citations: list[Citation]


class Usage(BaseModel):
    """Tokens of the model's call; `estimated` when its provider didn't say."""

    prompt_tokens: int
    completion_tokens: int
    estimated: bool
    credits: int
    cost_micros: int


class Timings(BaseModel):
    """Milliseconds of the steps."""

    embedding_ms: float
    retrieval_ms: float
    time_to_first_token_ms: float | None
    generation_ms: float


class QueryMetadata(BaseModel):
    """First of all: what the labels `[n]` of the text will point at."""

    sources: list[Source]
    session_id: str | None
    message_id: str
    strategy: Strategy
    scope: ScopeRow | None


class QueryToken(BaseModel):
    """A piece of the answer; never half a citation marker."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"token": "The notice period is sixty days [1]."}]})

    token: str


class QueryDone(BaseModel):
    """The end of an answer. `truncated` stands only where the model's limit cut it.

    `policy` is the strictest of the collections that were asked, `withheld` counts the claims that it kept from being sent.
    `conflicts` are sources that disagree with what is cited; `uncited` numbers sources that speak of what was asked and that no
    citation uses, `uncited_claims` counts claims without a citation.
    `answerable` is the probability that what was found answers the question, null where it can't be told.
    """

    answered: bool
    answerable: float | None
    truncated: bool = False
    claims: list[Claim]
    citations: list[Citation]
    policy: Policy
    withheld: int
    conflicts: list[Conflict]
    uncited: list[int]
    uncited_claims: int
    message_id: str
    model: str
    usage: Usage
    timings: Timings


class QueryFailure(BaseModel):
    """The end of an answer that failed: a fixed sentence, and the id under which the log knows it."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"message": "Generation failed", "request_id": "01a22e18-1436"}]})

    message: str
    request_id: str


class Answer(QueryDone):
    """The JSON twin: the stream's text and sources with what its `done` says."""

    text: str
    sources: list[Source]


class ChatDelta(BaseModel):
    """A piece of the answer; never empty."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"text": "The notice period is sixty days [S1]."}]})

    text: str = Field(min_length=1)


class Location(BaseModel):
    """Where quotes of a source stand. `sheet` and `cells` stand only where the format has cells."""

    page_from: int | None
    page_to: int | None
    page_label: str | None
    section: str
    sheet: str = ""
    cells: str = ""


class ChatCitation(BaseModel):
    """A source that is cited; `id` is its label in the text, without brackets."""

    id: str = Field(pattern="^S[0-9]+$")
    document_id: str
    chunk_id: str
    title: str
    content_type: str
    locations: list[Location]
    score: float
    quote: str


class ChatCitations(BaseModel):
    """The sources that are cited, in the order in which they are."""

    citations: list[ChatCitation]


class ChatDone(BaseModel):
    """The end of an answer."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"answered": True, "citation_count": 1}]})

    answered: bool
    citation_count: int


class ChatFailure(BaseModel):
    """The end of an answer that failed."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"message": "Grounded chat is temporarily unavailable"}]})

    message: str


QUERY_EVENTS: dict[str, type[BaseModel]] = {
    "metadata": QueryMetadata,
    "token": QueryToken,
    "done": QueryDone,
    "error": QueryFailure,
}
CHAT_EVENTS: dict[str, type[BaseModel]] = {
    "answer_delta": ChatDelta,
    "citations": ChatCitations,
    "done": ChatDone,
    "error": ChatFailure,
}
