"""Text of drawings, and of the diagrams (SmartArt) and charts in them, which stand in parts of their own."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from pincite.adapters.parsers.charts import read_chart
from pincite.adapters.parsers.drawing_text import drawing_text
from pincite.adapters.parsers.leaves import Leaf, Table
from pincite.adapters.parsers.office_package import OfficePackage
from pincite.adapters.parsers.placed_text import Places

_PICTURES = {"a_blip": "r_embed", "v_imagedata": "r_id"}
_UNSEEN_POINTS = frozenset({"pres", "parTrans", "sibTrans"})


def graphic_items(element: Element, package: OfficePackage, part: str, places: Places) -> list[Leaf | Table]:
    """Return what a chart, a diagram or an old WordArt says, for the element that has it; nothing for any other element."""
    if element.tag == "c_chart":
        return read_chart(package.tree(_target(package, part, element.get("r_id", ""))), places)
    if element.tag == "dgm_relIds":
        return list(_diagram(package.tree(_target(package, part, element.get("r_dm", ""))), places))
    if element.tag in _PICTURES:
        name = _target(package, part, element.get(_PICTURES[element.tag], ""))
        return [Leaf(picture=name)] if name and package.has(name) else []
    if element.tag == "v_textpath" and element.get("string", "").strip():
        return [Leaf(pieces=list(places.take(element.get("string", ""))))]
    return []


def _target(package: OfficePackage, part: str, relation_id: str) -> str | None:
    relation = package.relations(part).get(relation_id)
    return relation.target if relation else None


def _diagram(root: Element, places: Places) -> Iterator[Leaf]:
    for point in root.iterfind("dgm_ptLst/dgm_pt"):
        if point.get("type", "") in _UNSEEN_POINTS:
            continue
        for paragraph in point.iterfind("dgm_t/a_p"):
            pieces = drawing_text(paragraph, places)
            if pieces:
                yield Leaf(pieces=pieces)
