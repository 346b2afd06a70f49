"""Scripts of PDF text: which way it runs."""

import re

_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_LTR = re.compile("[A-Za-z\u00c0-\u02af\u0370-\u052f\u0900-\u0dff\u0e00-\u0eff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")


def is_mostly_rtl(text: str) -> bool:
    """Whether most letters of a text run from right to left."""
    rtl = len(_RTL.findall(text))
    return rtl > 0 and rtl > len(_LTR.findall(text))
