"""Image files become pages: by their content, in their printed size, and never decoded when they are too large."""

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from pincite.adapters.parsers.images import image_picture, open_page, read_image
from pincite.core.documents import ParsedDocument
from pincite.core.errors import RefusedInput

FORMATS = {
    "png": "image/png",
    "jpeg": "image/jpeg",
    "tiff": "image/tiff",
    "webp": "image/webp",
    "gif": "image/gif",
    "bmp": "image/bmp",
}


def read(path: Path, *, max_pages: int = 10, max_pixels: int = 1_000_000) -> ParsedDocument:
    return read_image(str(path), max_pages=max_pages, max_pixels=max_pixels)


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_is_a_page_for_ocr(tmp_path: Path, name: str) -> None:
    path = tmp_path / "image"
    Image.new("RGB", (300, 200), "white").save(path, name)
    document = read(path)
    assert (document.content_type, document.unread, document.pages_unread) == (FORMATS[name], (1,), 1)
    assert document.canonical.text == ""


@pytest.mark.parametrize(
    ("dpi", "size"), [((300, 300), (72, 48)), ((204, 102), (105.88, 141.18)), (None, (300, 200)), ((1, 1), (300, 200))]
)
def test_a_page_is_as_large_as_its_resolution_says(tmp_path: Path, dpi: tuple[int, int] | None, size: tuple[float, float]) -> None:
    path = tmp_path / "image.tif"
    image = Image.new("L", (300, 200))
    if dpi:
        image.save(path, dpi=dpi)
    else:
        image.save(path)
    page = read(path).canonical.pages[0]
    assert (page.width, page.height) == pytest.approx(size, abs=0.01)


def test_the_pages_of_a_tiff_are_pages_and_moving_pictures_are_one(tmp_path: Path) -> None:
    frames = [Image.new("RGB", (100 + n, 50), (80 * n, 0, 0)) for n in range(3)]
    for name in ("tiff", "gif"):
        frames[0].save(tmp_path / name, name, save_all=True, append_images=frames[1:])
    assert [page.width for page in read(tmp_path / "tiff").canonical.pages] == [100, 101, 102]
    assert len(read(tmp_path / "gif").canonical.pages) == 1
    with pytest.raises(RefusedInput) as refused:
        read(tmp_path / "tiff", max_pages=2)
    assert refused.value.code == "too_many_pages"


def test_an_image_is_refused_by_its_header_when_it_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "image.png"
    Image.new("1", (2000, 2000)).save(path)
    path.write_bytes(path.read_bytes()[:60])
    with pytest.raises(RefusedInput) as refused:
        read(path)
    assert refused.value.code == "too_large"


@pytest.mark.parametrize("kept", [9, 20, 40])
def test_a_cut_image_is_refused_as_damaged(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "image.png"
    Image.new("RGB", (300, 200), "red").save(path)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(RefusedInput) as refused, open_page(str(path), 1, max_pixels=10**6, most_pixels=10**6):
        pass
    assert refused.value.code == "corrupt"


def test_a_photo_on_its_side_is_shown_upright(tmp_path: Path) -> None:
    path = tmp_path / "photo.jpg"
    image = Image.new("RGB", (300, 200), "white")
    image.paste("black", (0, 0, 150, 200))
    image.save(path, exif=_turned())
    page = read(path).canonical.pages[0]
    assert (page.width, page.height) == (200, 300)
    picture = image_picture(str(path), 1, 100, max_pixels=10**6)
    assert (picture["size"], picture["page_size"]) == ((100, 150), (200, 300))
    with open_page(str(path), 1, max_pixels=10**6, most_pixels=10**6) as shown:
        assert shown is not None
        assert [sum(shown.getpixel(at)) < 100 for at in ((100, 20), (100, 280))] == [True, False]  # type: ignore[arg-type]


def _turned() -> Image.Exif:
    exif = Image.Exif()
    exif[0x0112] = 6
    return exif


def test_a_transparent_image_is_seen_on_white(tmp_path: Path) -> None:
    path = tmp_path / "image.png"
    Image.new("RGBA", (30, 20), (0, 0, 0, 0)).save(path)
    with open_page(str(path), 1, max_pixels=10**6, most_pixels=10**6) as shown:
        assert shown is not None
        assert shown.getpixel((5, 5)) == (255, 255, 255)


def test_sixteen_bits_keep_their_shades(tmp_path: Path) -> None:
    path = tmp_path / "image.png"
    image = Image.new("I;16", (30, 20), 0x8000)
    image.save(path)
    with open_page(str(path), 1, max_pixels=10**6, most_pixels=10**6) as shown:
        assert shown is not None
        assert shown.getpixel((5, 5)) == (128, 128, 128)


def test_a_page_is_made_smaller_with_its_shape_kept(tmp_path: Path) -> None:
    path = tmp_path / "image.png"
    Image.new("RGB", (400, 100)).save(path)
    with open_page(str(path), 1, max_pixels=10**6, most_pixels=10_000) as shown:
        assert shown is not None
        assert shown.size == (200, 50)


def test_pixels_of_a_fax_are_made_square(tmp_path: Path) -> None:
    path = tmp_path / "fax.tif"
    Image.new("1", (204, 98)).save(path, dpi=(204, 98))
    with open_page(str(path), 1, max_pixels=10**6, most_pixels=10**6) as shown:
        assert shown is not None
        assert shown.size == (204, 204)


def test_a_page_that_is_not_there_is_told_with_how_many_there_are(tmp_path: Path) -> None:
    path = tmp_path / "image.tif"
    frames = [Image.new("L", (30, 20)) for _ in range(2)]
    frames[0].save(path, save_all=True, append_images=frames[1:])
    assert image_picture(str(path), 5, 100, max_pixels=10**6) == {"pages": 2}
    assert image_picture(str(path), 2, 100, max_pixels=10**6)["size"] == (100, 67)


def test_a_picture_of_a_page_is_a_png(tmp_path: Path) -> None:
    from base64 import b64decode

    path = tmp_path / "image.gif"
    Image.new("P", (30, 20)).save(path)
    picture = image_picture(str(path), 1, 60, max_pixels=10**6)
    with Image.open(BytesIO(b64decode(str(picture["png"])))) as image:
        assert (image.format, image.size) == ("PNG", (60, 40))
