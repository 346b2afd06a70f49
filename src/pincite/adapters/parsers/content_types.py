"""Content types whose documents have pages, and so boxes."""

from pincite.core.documents import SLIDES_TYPE

PDF = "application/pdf"
PPTX = SLIDES_TYPE
WITH_PAGES = frozenset({PDF, PPTX})
IMAGES = {
    "PNG": "image/png",
    "JPEG": "image/jpeg",
    "TIFF": "image/tiff",
    "WEBP": "image/webp",
    "GIF": "image/gif",
    "BMP": "image/bmp",
}
"""By the name that Pillow has for the format."""
IMAGE_TYPES = frozenset(IMAGES.values())
EPUB = "application/epub+zip"
