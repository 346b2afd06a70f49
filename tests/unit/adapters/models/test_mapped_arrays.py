from pathlib import Path

import numpy as np
import pytest

from pincite.adapters.models.mapped_arrays import read_arrays, release_pages, write_arrays

ARRAYS = {"a": np.arange(12, dtype=np.int8).reshape(3, 4), "b": np.array([1.5, -2.0], np.float32), "one": np.array(7, np.int64)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_arrays(tmp_path / "folder/arrays.bin", ARRAYS)
    return tmp_path / "folder/arrays.bin"


def test_arrays_come_back_as_they_were(path: Path):
    found = read_arrays(path)
    assert found is not None
    assert list(found) == list(ARRAYS)
    for name, values in ARRAYS.items():
        assert found[name].dtype == values.dtype
        np.testing.assert_array_equal(found[name], values)


def test_nothing_but_the_file_is_left_in_the_folder(path: Path):
    assert list(path.parent.iterdir()) == [path]


def test_a_missing_file_is_none(tmp_path: Path):
    assert read_arrays(tmp_path / "none") is None


def test_any_damaged_byte_makes_it_none(path: Path):
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert read_arrays(path) is None, place


def test_any_missing_end_makes_it_none(path: Path):
    whole = path.read_bytes()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        assert read_arrays(path) is None, size


def test_a_second_write_replaces_the_first_whole(path: Path):
    before = read_arrays(path)
    write_arrays(path, {"a": np.zeros(2)})
    after = read_arrays(path)
    assert before is not None
    assert after is not None
    np.testing.assert_array_equal(before["a"], ARRAYS["a"])
    np.testing.assert_array_equal(after["a"], np.zeros(2))


def test_a_folder_that_can_not_be_written_is_an_error_and_leaves_nothing(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        write_arrays(tmp_path / "file/arrays.bin", ARRAYS)


def test_arrays_whose_memory_was_given_back_read_the_same(path: Path):
    found = read_arrays(path)
    assert found is not None
    release_pages({**found, "not mapped": np.zeros(3)})
    for name, values in ARRAYS.items():
        np.testing.assert_array_equal(found[name], values)
