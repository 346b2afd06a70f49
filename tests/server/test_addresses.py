"""What every address answers to a good request, however it is written."""

from dataclasses import replace

from tests.server.conftest import House
from tests.server.contract import CALLS, TAKING_JSON, Call, of_each


@of_each(CALLS)
async def test_a_good_request_is_answered_with_what_guards_a_browser(house: House, call: Call) -> None:
    response = await call.send(house)
    assert response.status_code == call.status
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["x-frame-options"] == "DENY"
    assert "default-src" in response.headers["content-security-policy"]
    assert response.headers["cache-control"] in {"no-store", "no-cache", "private, no-cache", "no-cache, no-transform"}
    assert [name for name in response.headers if name.startswith("access-control-")] == []


@of_each([call for call in CALLS if call.method == "GET"])
async def test_head_is_get_without_its_body(house: House, call: Call) -> None:
    whole, head = await call.send(house), await replace(call, method="HEAD").send(house, headers={"Range": "bytes=0-3"})
    assert (head.status_code, head.content) == (whole.status_code, b"")
    assert head.headers == whole.headers


@of_each(CALLS)
async def test_a_slash_too_many_or_too_few_changes_nothing(house: House, call: Call) -> None:
    other = call.path.rstrip("/") if call.path.endswith("/") else f"{call.path}/"
    assert (await call.send(house, path=other)).status_code == call.status


@of_each(TAKING_JSON)
async def test_json_is_taken_by_any_of_its_names(house: House, call: Call) -> None:
    good = house.client.build_request("POST", "/", json=call.json).content
    named = {"application/json; charset=utf-8": good, "APPLICATION/JSON": good, "application/json": b"\xef\xbb\xbf" + good}
    for kind, body in named.items():
        answer = await call.send(house, content=body, headers={"Content-Type": kind})
        assert answer.status_code in {call.status, 409}
