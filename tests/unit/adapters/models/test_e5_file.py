import struct
from pathlib import Path

import numpy as np
import pytest

from pincite.adapters.models.e5_file import BLOCK_BYTES, E5File, dequantize

PIECES = [b"<s>", b"<pad>", b"</s>", b"<unk>", "▁é".encode(), b"<mask>"]
BLOCK = np.float16(0.5).tobytes() + bytes(range(16))


def packed() -> bytes:
    """A file with one float tensor and one 4-bit matrix of one row."""
    blob = b"".join(PIECES)
    offsets = np.cumsum([0, *map(len, PIECES)]).astype("<u4").tobytes()
    head = b"E5S1" + struct.pack("<I7ifi", 1, 32, 1, 2, 64, 1, 512, 2, 1e-12, 32)
    head += struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, len(blob)) + offsets
    head += np.arange(len(PIECES), dtype="<f4").tobytes() + blob
    characters = struct.pack("<IBI", 0x2126, 1, 0x3A9) + struct.pack("<IB", 0xAD, 0)
    head += struct.pack("<iI", 2, len(characters)) + characters
    floats = np.array([1.0, 2.0], "<f4").tobytes()
    entries = (("bias", 0, 2, len(floats)), ("matrix", 1, 32, BLOCK_BYTES))
    size_bytes = len(head) + 4 + sum(2 + len(name) + 21 for name, *_ in entries)
    directory, offset = struct.pack("<i", len(entries)), size_bytes
    for name, kind, values, length in entries:
        directory += struct.pack(f"<H{len(name)}sBIQQ", len(name), name.encode(), kind, values, offset, length)
        offset += length
    return head + directory + floats + BLOCK


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "model.bin").write_bytes(packed())
    return tmp_path / "model.bin"


def test_sizes_special_ids_pieces_and_characters_are_read(path: Path):
    file = E5File(path)
    assert (file.width, file.layers, file.heads, file.inner, file.vocabulary, file.positions) == (32, 1, 2, 64, 1, 512)
    assert file.special == (0, 2, 1, 3)
    assert file.pieces() == PIECES
    assert file.piece_scores.tolist() == [0, 1, 2, 3, 4, 5]
    assert file.characters == {0x2126: "Ω", 0xAD: ""}


def test_tensors_are_read_by_name(path: Path):
    file = E5File(path)
    assert file.floats("bias").tolist() == [1.0, 2.0]
    assert file.blocks("matrix", 32).shape == (1, 1, BLOCK_BYTES)


def test_low_halves_come_first_and_each_weight_is_less_eight_and_scaled(path: Path):
    low, high = [(code % 16 - 8) * 0.5 for code in range(16)], [(code // 16 - 8) * 0.5 for code in range(16)]
    assert E5File(path).matrix("matrix", 32).tolist() == [low + high]


def test_blocks_of_several_rows_keep_their_places():
    blocks = np.frombuffer(BLOCK * 6, np.uint8).reshape(3, 2, BLOCK_BYTES)
    assert dequantize(blocks).shape == (3, 64)


def test_a_file_of_another_kind_is_refused(tmp_path: Path):
    (tmp_path / "other").write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(ValueError, match="Not a packed"):
        E5File(tmp_path / "other")


@pytest.mark.parametrize("size", [3, 20, 60, 130, 180])
def test_a_file_that_ends_early_is_refused(path: Path, size: int):
    path.write_bytes(packed()[:size])
    with pytest.raises(ValueError, match="ends early"):
        E5File(path)
