"""Content types whose documents have pages, and so boxes."""

from pincite.core.documents import ODP_TYPE, PPTX_TYPE, SLIDES_TYPES

PDF = "application/pdf"
PPTX, ODP = PPTX_TYPE, ODP_TYPE
SLIDES = SLIDES_TYPES
WITH_PAGES = SLIDES | {PDF}
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
