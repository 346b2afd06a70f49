"""One tree of errors: each has a code, a kind, a public message and says whether trying again can help."""

from enum import StrEnum


class ErrorKind(StrEnum):
    """Who can act on an error. Doors translate it to a status or an exit code."""

    USAGE = "usage"
    CONFIGURATION = "configuration"
    NOT_FOUND = "not_found"
    REFUSED = "refused"
    CONFLICT = "conflict"
    UPSTREAM = "upstream"
    STORE = "store"
    UNAUTHENTICATED = "unauthenticated"
    FORBIDDEN = "forbidden"
    LIMIT = "limit"


class PinciteError(Exception):
    """An error whose message may be shown to the person who can act on it."""

    kind = ErrorKind.USAGE
    code = "error"

    def __init__(self, message: str, *, code: str | None = None, retryable: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code
        self.retryable = retryable


class ConfigurationError(PinciteError):
    """A setting, prompt or combination of parts that can't work."""

    kind = ErrorKind.CONFIGURATION
    code = "configuration"


class UsageError(PinciteError):
    """A request that is malformed: an empty question, one that is too long, an unknown option."""

    code = "usage"


class NotFoundError(PinciteError):
    """A collection, document or file that isn't there."""

    kind = ErrorKind.NOT_FOUND
    code = "not_found"


class ConflictError(PinciteError):
    """A request that contradicts what is stored, such as a second embedding model for a collection."""

    kind = ErrorKind.CONFLICT
    code = "conflict"


def name_taken(name: str) -> ConflictError:
    """Return the error for the name of a collection that another one has."""
    return ConflictError(f"There is already a collection named “{name}”.")


class ModelChangedError(ConflictError):
    """Vectors of another embedding model than the collection has. `retryable` where looking at the collection again helps."""

    code = "embedding_model_changed"


class RefusedInput(PinciteError):
    """A file that can't become a document. `code` is the reason kept on the document (`encrypted`, `no_text`, …)."""

    kind = ErrorKind.REFUSED
    code = "refused"


class UpstreamError(PinciteError):
    """A model provider failed. The message is ours, never the provider's."""

    kind = ErrorKind.UPSTREAM
    code = "upstream"


class StoreError(PinciteError):
    """The database, an index or the disk can't be used."""

    kind = ErrorKind.STORE
    code = "store"


class AuthenticationError(PinciteError):
    """A request without a token, or with one that isn't known or has expired."""

    kind = ErrorKind.UNAUTHENTICATED
    code = "unauthenticated"


class ForbiddenError(PinciteError):
    """Something that the caller may not do, or may not know of."""

    kind = ErrorKind.FORBIDDEN
    code = "forbidden"


class LimitError(PinciteError):
    """Too much at once: trying again later helps."""

    kind = ErrorKind.LIMIT
    code = "limit"
