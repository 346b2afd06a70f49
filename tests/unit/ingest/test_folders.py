from pathlib import Path

import pytest

from pincite.core.errors import NotFoundError
from pincite.ingest.folders import files_of


def test_a_folder_brings_its_files_sorted_under_its_name_and_no_hidden_ones(tmp_path: Path) -> None:
    for name in ("box/b.txt", "box/a/c.txt", "box/.hidden", "box/.git/config"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    assert [item.path for item in files_of([tmp_path / "box"])] == ["box/a/c.txt", "box/b.txt"]


def test_a_file_named_twice_is_added_once(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("x")
    assert len(files_of([file, tmp_path / "." / "a.txt"])) == 1


def test_a_missing_path_and_an_empty_folder_say_so(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"nothing\.pdf"):
        files_of([tmp_path / "nothing.pdf"])
    with pytest.raises(NotFoundError, match="no files"):
        files_of([tmp_path])
