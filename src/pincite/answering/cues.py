"""What kind of thing a question asks for, and whether a text holds one: numbers, dates, names. Pure."""

import re
from collections.abc import Sequence

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
_REQUEST = re.compile(
    # English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Romanian, Turkish, Vietnamese: whole words
    r"\b(?:summar(?:y|i[sz]e\w*)|overview|outline|tl;?dr|(?:key|main) (?:points?|takeaways?|findings?|ideas?|topics?)|list|describe"
    r"|explain|translate|compare|rewrite|rephrase|draft|extract|analy[sz]e|tell me (?:more )?about"
    r"|what(?: is|'s| are)\b.{0,120}\babout"
    r"|what (?:do|does)\b.{0,120}\bsay|zusammenfass\w*|fass\w* .{0,120}zusammen|überblick|worum geht|wovon handel\w+|was steht in"
    r"|kernaussagen?|(?:haupt|kern)punkte|wichtigsten? punkte|beschreib\w*|übersetz\w*|liste\w*|erklär\w*|vergleich\w*|résum\w+"
    r"|aperçu|vue d.ensemble|de quoi (?:parle|traite|s.agit)|points? (?:clés?|principaux)|décri\w+|tradui\w+|explique\w*"
    r"|compare[rz]?|resum\w+|visión general|de qué (?:trata|habla|va)|puntos (?:clave|principales)|describ\w+|traduc\w+|enumer\w+"
    r"|explic\w+|compara\w*|riassum\w+|panoramica|di cosa (?:parla|tratta)|punti (?:chiave|principali)|descriv\w+|elenca\w*"
    r"|spieg\w+|confronta\w*|visão geral|(?:sobre|de) o? ?que (?:trata|fala)|pontos (?:chave|principais)|descrev\w+|traduz\w*"
    r"|samenvat\w*|vat .{0,120}samen|overzicht|waar gaat\b.{0,120}\bover|belangrijkste punten|beschrijf|vertaal|vergelijk"
    r"|podsumuj\w*|streść|streszcz\w*|omów|o czym|opisz|przetłumacz|wyjaśnij|porównaj|wymień"
    r"|rezum\w+|prezentare generală|despre ce|descrie|tradu|explică|compară|enumeră"
    r"|özet\w*|genel bakış|ne hakkında|listele\w*|açıkla\w*|çevir\w*|karşılaştır\w*|anlat"
    r"|tóm tắt|tổng quan|nói về (?:điều )?gì|liệt kê|giải thích|dịch|so sánh|mô tả"
    # Russian, Ukrainian, Greek
    r"|кратко\w*|обобщи\w*|резюм\w+|обзор|о ч[её]м|перечисли\w*|опиши\w*|переведи\w*|объясни\w*|сравни\w*|підсум\w+|огляд|про що"
    r"|περίληψη|συν[οό]ψ\w+|επισκόπηση|(?:τι αφορά|για τι)|περ[ιί]γρ[αά]ψ\w+|μετ[αά]φρασ\w+|εξήγησ\w+|σύγκριν\w+)"
    r"(?!\w)"
    # Scripts whose words aren't told apart by blanks, or carry what belongs to them
    r"|لخص|ملخص|نظرة عامة|عن ماذا|عم يتحدث|اشرح|ترجم|قارن|اذكر|सारांश|संक्षेप|किस बारे|समझा|अनुवाद|तुलना|सूची"
    r"|สรุป|ภาพรวม|เกี่ยวกับอะไร|อธิบาย|แปล|เปรียบเทียบ|总结|總結|概括|概述|摘要|要点|要點|讲什么|讲的是|关于什么|列出|解释|翻译|比较|介绍"
    r"|要約|概要|まとめ|について教え|何について|説明|翻訳|比較|요약|개요|정리|무엇에 (?:관한|대한)|설명|번역|비교",
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


def is_request(question: str) -> bool:
    """Say whether something is to be done with texts, such as a summary, a list or a translation, rather than looked up in them.

    Understood in some twenty languages.
    """
    return bool(_REQUEST.search(question))


def _has_new_name(question: str, text: str) -> bool:
    return any(
        match.start() > 0 and match[0][0].isupper() and match[0].casefold() not in question for match in _CAPITALS.finditer(text)
    )


# A name that a program gave: `wal_level`, `max_connections`, `--limit`. Another one is never what was meant.
_IDENTIFIER = re.compile(r"(?<![\w-])(?:[A-Za-z]\w*_\w+|--[a-z][\w-]+)")
_PRICE = re.compile(
    r"\b(?:how much (?:does|did|do|is|was|are|were|will|would) .*\b(?:cost|costs|charge|sell for)\b|(?:price|cost) of"
    r"|wie ?viel kostet|was kostete?n?|combien co[ûu]tent?|cu[áa]nto cuestan?|quanto costano?|quanto custam?)",
    re.IGNORECASE,
)
_MONEY = re.compile(
    r"[$€£¥₹₽₩₺¢]|\b(?:usd|eur|gbp|chf|jpy|inr|dollars?|euros?|pounds?|cents?|francs?|yen|rupees?|pesos?|free|gratis|kostenlos)\b",
    re.IGNORECASE,
)


def named_identifiers(question: str) -> set[str]:
    """Return the names of settings, functions and options that a question asks about, case-folded."""
    return {match.casefold() for match in _IDENTIFIER.findall(question)}


def lacks_what_is_asked(question: str, texts: Sequence[str]) -> bool:
    """Say whether no text can hold the answer: the question is about an identifier they don't name, or a price they don't state.

    A row of numbers may be prices: a text with many digits counts as one that states them.
    """
    identifiers = named_identifiers(question)
    whole = "\n".join(texts).casefold()
    if any(identifier not in whole for identifier in identifiers):
        return True
    return bool(_PRICE.search(question)) and not any(_MONEY.search(text) or _is_figures(text) for text in texts)


def _is_figures(text: str) -> bool:
    digits = sum(char.isdigit() for char in text)
    return digits * 4 > sum(char.isalnum() for char in text)
