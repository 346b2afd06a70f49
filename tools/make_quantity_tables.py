"""Make `src/pincite/language/quantities.json`: the names of months, units, currencies and numbers by language.

Names come from the Unicode CLDR through Babel (Unicode licence) and from num2words; those that neither has, and forms that
grammar bends, stand in `quantity_names.json`. Neither package is needed to read the tables:

    python -m venv tables && tables/bin/pip install babel num2words
    tables/bin/python tools/make_quantity_tables.py
"""

import json
import re
import unicodedata
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parent.parent / "src/pincite/language/quantities.json"
OWN: dict[str, Any] = json.loads((Path(__file__).parent / "quantity_names.json").read_text(encoding="utf-8"))
"""What neither source has, and forms that grammar bends, by kind and language; which languages and currencies there are."""
UNITS = {
    "length-millimeter": "mm",
    "length-centimeter": "cm",
    "length-meter": "m",
    "length-kilometer": "km",
    "length-inch": "in",
    "length-foot": "ft",
    "length-yard": "yd",
    "length-mile": "mi",
    "mass-milligram": "mg",
    "mass-gram": "g",
    "mass-kilogram": "kg",
    "mass-tonne": "t",
    "mass-ounce": "oz",
    "mass-pound": "lb",
    "volume-milliliter": "ml",
    "volume-liter": "l",
    "volume-gallon": "gal",
    "area-square-meter": "m2",
    "area-square-kilometer": "km2",
    "area-square-mile": "mi2",
    "area-hectare": "ha",
    "area-acre": "acre",
    "speed-kilometer-per-hour": "km/h",
    "speed-mile-per-hour": "mph",
    "speed-meter-per-second": "m/s",
    "temperature-celsius": "°C",
    "temperature-fahrenheit": "°F",
    "duration-second": "s",
    "duration-minute": "min",
    "duration-hour": "h",
    "duration-day": "day",
    "duration-week": "week",
    "duration-month": "month",
    "duration-year": "year",
    "energy-joule": "J",
    "energy-kilowatt-hour": "kWh",
    "energy-kilocalorie": "kcal",
    "power-watt": "W",
    "power-kilowatt": "kW",
    "power-megawatt": "MW",
    "digital-kilobyte": "kB",
    "digital-megabyte": "MB",
    "digital-gigabyte": "GB",
    "digital-terabyte": "TB",
    "concentr-percent": "%",
}
_DIGIT = re.compile(r"\d")
UNSPELT = ("zh", "ja", "ko", "el", "hi")
"""Languages whose numbers num2words doesn't have, or that are read sign by sign."""


def main() -> None:
    """Write the tables."""
    tables = {code: _language(code) for code in OWN["languages"]}
    TARGET.write_text(json.dumps(tables, ensure_ascii=False, indent=0, sort_keys=True) + "\n", encoding="utf-8")


def _language(code: str) -> dict[str, Any]:
    locale = import_module("babel").Locale.parse("nb" if code == "no" else code)
    return {
        "months": dict(_months(locale)),
        "units": dict(_units(locale)) | OWN["units"].get(code, {}),
        "currencies": dict(_currencies(locale, code)),
        "scales": {_folded(name): exponent for name, exponent in OWN["scales"].get(code, {}).items()},
        "numbers": dict(_numbers(code)),
        "decimal": _decimal(locale),
    }


def _decimal(locale: Any) -> str:
    symbols = locale.number_symbols
    return str(symbols.get("latn", symbols).get("decimal", "."))


def _months(locale: Any) -> Iterator[tuple[str, int]]:
    for context in ("format", "stand-alone"):
        for width in ("wide", "abbreviated"):
            for number, name in locale.months[context].get(width, {}).items():
                folded = _folded(name).strip(".॰ ")
                if not any(character.isdigit() for character in folded) and len(folded) > 1:
                    yield folded, number


def _units(locale: Any) -> Iterator[tuple[str, str]]:
    for name, unit in UNITS.items():
        forms = locale._data["unit_patterns"].get(name, {})
        for width in ("long", "short"):
            for pattern in _strings(forms.get(width, {})):
                found = _folded(re.sub(r"\{0\}|\u200f|\u00a0", " ", pattern)).strip(" .")
                if (
                    (len(found) > 1 or found in "mglht")
                    and found not in ("in", "")
                    and found[0] != "/"
                    and not _DIGIT.search(found)
                ):
                    yield found, unit


def _strings(found: Any) -> Iterator[str]:
    if isinstance(found, str):
        yield found
    elif hasattr(found, "values"):
        for value in found.values():
            yield from _strings(value)


def _currencies(locale: Any, code: str) -> Iterator[tuple[str, str]]:
    for currency in OWN["known_currencies"]:
        plurals = locale._data["currency_names_plural"].get(currency, {})
        for name in (locale.currencies.get(currency, ""), *_strings(plurals)):
            if name:
                yield _folded(name), currency
    for name, currency in OWN["currencies"].get(code, {}).items():
        yield _folded(name), currency


def _numbers(code: str) -> Iterator[tuple[str, int]]:
    if code not in UNSPELT:
        spell = import_module("num2words").num2words
        for number in range(100):
            spelt = _folded(spell(number, lang=code))
            yield spelt, number
            if "-" in spelt:
                yield spelt.replace("-", " "), number
            if " و " in spelt:
                yield spelt.replace(" و ", " و"), number
    for name, value in OWN["numbers"].get(code, {}).items():
        yield _folded(name), value


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


if __name__ == "__main__":
    main()
