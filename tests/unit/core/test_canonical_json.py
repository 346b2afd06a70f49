"""Canonical JSON, held to the examples of RFC 8785."""

import json
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.core.canonical_json import canonical

# Appendix B: the bits of a number, and how it is written.
NUMBERS = {
    "0000000000000000": "0",
    "8000000000000000": "0",
    "0000000000000001": "5e-324",
    "8000000000000001": "-5e-324",
    "7fefffffffffffff": "1.7976931348623157e+308",
    "ffefffffffffffff": "-1.7976931348623157e+308",
    "4340000000000000": "9007199254740992",
    "c340000000000000": "-9007199254740992",
    "4430000000000000": "295147905179352830000",
    "44b52d02c7e14af5": "9.999999999999997e+22",
    "44b52d02c7e14af6": "1e+23",
    "44b52d02c7e14af7": "1.0000000000000001e+23",
    "444b1ae4d6e2ef4e": "999999999999999700000",
    "444b1ae4d6e2ef4f": "999999999999999900000",
    "444b1ae4d6e2ef50": "1e+21",
    "3eb0c6f7a0b5ed8c": "9.999999999999997e-7",
    "3eb0c6f7a0b5ed8d": "0.000001",
    "41b3de4355555553": "333333333.3333332",
    "41b3de4355555554": "333333333.33333325",
    "41b3de4355555555": "333333333.3333333",
    "41b3de4355555556": "333333333.3333334",
    "41b3de4355555557": "333333333.33333343",
    "becbf647612f3696": "-0.0000033333333333333333",
    "43143ff3c1cb0959": "1424953923781206.2",
}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(-1e15, 1e15) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(("bits", "written"), NUMBERS.items())
def test_numbers_are_written_as_in_appendix_b(bits: str, written: str):
    [value] = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical(value).decode() == written


def test_the_example_of_section_3_2_2():
    given = r"""{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}"""
    wanted = (
        r'{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        r'"string":"€$\u000f\nA' + "'" + r'B\"\\\\\"/"}'
    )
    assert canonical(json.loads(given)).decode() == wanted


def test_names_are_sorted_by_their_utf_16_code_units():
    names = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    assert list(json.loads(canonical(dict.fromkeys(names)))) == ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]


def test_what_is_composed_and_what_is_not_stays_apart():
    assert canonical("\u00e9") != canonical("e\u0301")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**53, "\ud800", {"\udfff": 1}, {1: 2}, {1, 2}, b"x"], ids=repr)
def test_what_canonical_json_cannot_hold_is_refused(value: object):
    with pytest.raises(ValueError):  # noqa: PT011
        canonical(value)


@given(VALUES)
def test_it_is_one_form_of_what_any_json_says(value: object):
    once = canonical(value)
    assert canonical(json.loads(once)) == once
    assert canonical(json.loads(json.dumps(value, indent=1))) == once
