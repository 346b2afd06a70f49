"""How every refusal looks (RFC 9457)."""

from pydantic import BaseModel, ConfigDict, Field


class FieldFault(BaseModel):
    """What is wrong with one field of a request."""

    field: str = Field(description="The way to the field, with dots; empty for the whole body.")
    message: str


class Problem(BaseModel):
    """Why a request was refused. `code` is stable; `detail` says what to do; the log knows the request by `request_id`."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "type": "about:blank",
                    "title": "Unauthorized",
                    "status": 401,
                    "code": "no_token",
                    "detail": "Send your token: Authorization: Bearer pin_…",
                    "request_id": "01a22e18-1436-7b39-b871-0a7a5c502b93",
                }
            ]
        }
    )

    type: str
    title: str
    status: int
    code: str
    detail: str
    request_id: str
    errors: list[FieldFault] = []
