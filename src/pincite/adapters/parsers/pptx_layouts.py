"""Where placeholders stand that leave it to their layout, and the layout to its master."""

from itertools import islice
from xml.etree.ElementTree import Element

from pincite.adapters.parsers.office_package import OfficePackage
from pincite.adapters.parsers.pptx_shapes import Frame, read_frame

_MAX_PLACEHOLDERS = 500
_MASTER_TYPES = {"ctrTitle": "title", "subTitle": "body", "obj": "body", "": "body"}


class Layouts:
    """The frames of placeholders of all layouts and masters, read when first needed."""

    def __init__(self, package: OfficePackage) -> None:
        self._package = package
        self._known: dict[str, list[tuple[str, str, Frame | None]]] = {}

    def frame(self, slide: str, shape: Element) -> Frame | None:
        """Return the frame that a placeholder of a slide inherits, in EMU; None for any other shape."""
        placeholder = next(iter(shape.iter("p_ph")), None) if shape.tag != "p_grpSp" else None
        if placeholder is None:
            return None
        kind, index = placeholder.get("type", ""), placeholder.get("idx", "")
        layout = self._package.related(slide, "slideLayout")
        if layout is None:
            return None
        for known_kind, known_index, frame in self._placeholders(layout):
            if known_index == index if index else known_kind == kind:
                if frame:
                    return frame
                kind = kind or known_kind
        return self._of_master(layout, kind)

    def _of_master(self, layout: str, kind: str) -> Frame | None:
        master = self._package.related(layout, "slideMaster")
        wanted = _MASTER_TYPES.get(kind, kind)
        placeholders = self._placeholders(master) if master else []
        return next((frame for known_kind, _, frame in placeholders if known_kind == wanted), None)

    def _placeholders(self, part: str) -> list[tuple[str, str, Frame | None]]:
        if part not in self._known:
            found = (
                (placeholder.get("type", ""), placeholder.get("idx", ""), read_frame(shape))
                for shape in self._package.tree(part).iter("p_sp")
                for placeholder in shape.iter("p_ph")
            )
            self._known[part] = list(islice(found, _MAX_PLACEHOLDERS))
        return self._known[part]
