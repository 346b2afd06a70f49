"""What kind of thing a question asks for, and whether a text holds one: numbers, dates, names. Pure."""

import re

_NUMBER = re.compile(
    r"\b(?:how (?:many|much|long|old|often|far|tall|big|high|fast|large)|what (?:number|percentage|share|amount|age)"
    r"|wie ?viele?|wie (?:lang|oft|alt|hoch|gro[ßs]s?)|combien|cu[áa]nt[oa]s?|quant[oiae]s?"
    r"|ne kadar|kaç|bao nhiêu|c[âa][țt]i|hoeveel|ile)\b"
    r"|сколько|скільки|πόσ|कितन|كم |多少|几|幾|いくつ|何(?:人|年|個|回)|เท่าไร|กี่|얼마|몇",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"\b(?:when|(?:what|which) (?:year|date|day|month|century)|wann|quand|cu[áa]ndo|quando|ne zaman"
    r"|khi nào|c[âa]nd|wanneer|kiedy)\b"
    r"|когда|коли|πότε|कब|متى|何时|什么时候|何時|いつ|เมื่อ(?:ใด|ไหร่)|언제",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"\b(?:who|whom|whose|where|wer|wem|wen|wo|qui|où|quién(?:es)?|d[óo]nde|chi|dove|quem|onde"
    r"|wie is|waar|kto|gdzie|cine|unde|kim|nerede)\b|кто|где|хто|ποιος|πού",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d[\d.,]*")
_CAPITALS = re.compile(r"[^\W\d_][\w'’-]*")


def holds_answer_kind(question: str, text: str) -> bool:
    """Say whether the question asks for a number, a date or a name, and the text holds one that the question doesn't.

    Questions are understood in some twenty languages; dates are taken for numbers, names are told by their capitals.
    """
    if _NUMBER.search(question) or _DATE.search(question):
        return bool(set(_DIGITS.findall(text)) - set(_DIGITS.findall(question)))
    return bool(_NAME.search(question)) and _has_new_name(question.casefold(), text)


def _has_new_name(question: str, text: str) -> bool:
    return any(
        match.start() > 0 and match[0][0].isupper() and match[0].casefold() not in question for match in _CAPITALS.finditer(text)
    )
