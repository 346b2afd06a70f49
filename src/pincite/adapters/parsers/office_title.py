"""The title of an office file: what its properties declare, unless the program wrote that by itself."""

import re

from pincite.adapters.parsers.cleaning import fold
from pincite.adapters.parsers.office_package import OfficePackage

_PROGRAM_TITLE = re.compile(
    r"(?:microsoft )?(?:word|powerpoint)?\s*(?:document|presentation|slide|template|untitled|title|folie|präsentation)?\s*\d*"
    r"|.*\.(?:docx?|pptx?|rtf|od[tsp]|ot[tsp]|pdf|dotx?|potx?)",
    re.IGNORECASE,
)
_MAX_CHARS = 300


def choose_title(declared: str, printed: str, *, opening: str, otherwise: str = "") -> str | None:
    """Return the declared title, or the printed one where there is one and the declared one stands nowhere at the beginning.

    Declared titles are often those of the template or of an earlier document. `otherwise` is for a file that has neither.
    """
    declared = " ".join(declared.split())
    declared = "" if _PROGRAM_TITLE.fullmatch(declared) else declared
    is_stale = bool(printed) and fold(declared) not in fold(opening)
    title = declared if declared and not is_stale else printed or declared or otherwise
    return title[:_MAX_CHARS].rstrip() or None


def declared_title(package: OfficePackage) -> str:
    """Return the title in the properties of a file of Microsoft's formats, empty without one."""
    properties = package.children(package.related("", "core-properties"))
    return next((element.text or "" for element in properties if element.tag == "dc_title"), "")
