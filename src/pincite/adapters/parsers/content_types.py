"""Content types whose documents have pages, and so boxes."""

from pincite.core.documents import SLIDES_TYPE

PDF = "application/pdf"
PPTX = SLIDES_TYPE
WITH_PAGES = frozenset({PDF, PPTX})
EPUB = "application/epub+zip"
