import os
from pathlib import Path

import pytest

from pincite.core.errors import NotFoundError
from pincite.ingest.folders import FileToAdd, Folder, files_of, scan


def write(folder: Path, *names: str, text: str = "x") -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def paths(items: list[FileToAdd]) -> list[str]:
    return [item.path for item in items]


def test_a_folder_brings_its_files_sorted_under_its_name_and_no_hidden_ones(tmp_path: Path) -> None:
    write(tmp_path, "box/b.txt", "box/a/c.txt", "box/a-c.txt", "box/.hidden", "box/.git/config", "box/a/.x/y.txt")
    assert paths(files_of([tmp_path / "box"])) == ["box/a/c.txt", "box/a-c.txt", "box/b.txt"]


def test_a_file_named_twice_is_added_once(tmp_path: Path) -> None:
    write(tmp_path, "a.txt")
    assert len(files_of([tmp_path / "a.txt", tmp_path / "." / "a.txt"])) == 1


def test_a_missing_path_and_an_empty_folder_say_so(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"nothing\.pdf"):
        files_of([tmp_path / "nothing.pdf"])
    with pytest.raises(NotFoundError, match="no files"):
        files_of([tmp_path])


def test_a_file_of_a_folder_has_its_place_and_what_the_system_says_of_it(tmp_path: Path) -> None:
    write(tmp_path, "böx/a b#.txt", "alone.txt")
    inside, alone = files_of([tmp_path / "böx", tmp_path / "alone.txt"])
    assert inside.address == inside.place == (tmp_path / "böx/a b#.txt").as_uri()
    assert inside.state
    assert inside.state.stamp.startswith("1 ")
    assert (alone.address, alone.place, alone.state) == ((tmp_path / "alone.txt").as_uri(), "", None)


def test_links_to_files_are_followed_and_links_to_folders_are_not(tmp_path: Path) -> None:
    write(tmp_path, "box/real.txt", "far/away.txt", "far/folder/inside.txt")
    (tmp_path / "box/link.txt").symlink_to("real.txt")
    (tmp_path / "box/away.txt").symlink_to(tmp_path / "far/away.txt")
    (tmp_path / "box/folder").symlink_to(tmp_path / "far/folder")
    items = files_of([tmp_path / "box"])
    # The link to a file of the folder is that file, under its own name.
    assert [(item.path, item.address == item.place) for item in items] == [("box/away.txt", False), ("box/real.txt", True)]
    assert items[0].address == (tmp_path / "far/away.txt").as_uri()


def test_loops_of_links_end_and_links_that_lead_nowhere_are_no_files_to_add(tmp_path: Path) -> None:
    write(tmp_path, "box/a.txt")
    (tmp_path / "box/up").symlink_to(tmp_path / "box")
    (tmp_path / "box/round").symlink_to("round")
    (tmp_path / "box/nowhere").symlink_to("gone.txt")
    assert paths(files_of([tmp_path / "box"])) == ["box/a.txt"]
    # To know that they aren't gone is another matter.
    items = list(scan(Folder.at(tmp_path / "box")))
    assert sorted(item.path for item in items if item.dangling) == ["box/nowhere", "box/round"]


def test_pipes_in_a_folder_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, "box/a.txt")
    os.mkfifo(tmp_path / "box/pipe")
    assert paths(files_of([tmp_path / "box"])) == ["box/a.txt"]


def test_a_folder_reached_by_a_link_has_the_name_and_places_of_the_real_one(tmp_path: Path) -> None:
    write(tmp_path, "box/a.txt")
    (tmp_path / "link").symlink_to("box")
    (item,) = files_of([tmp_path / "link"])
    assert (item.path, item.place) == ("box/a.txt", (tmp_path / "box/a.txt").as_uri())


def test_names_that_are_not_utf_8_have_places_of_their_own(tmp_path: Path) -> None:
    write(tmp_path, "box/" + os.fsdecode(b"caf\xe9.txt"), "box/" + os.fsdecode(b"caf\xe8.txt"))
    items = files_of([tmp_path / "box"])
    assert paths(items) == ["box/caf\ufffd.txt"] * 2
    assert len({item.place for item in items}) == 2


def test_a_deep_folder_is_no_obstacle(tmp_path: Path) -> None:
    write(tmp_path, "/".join(["box", *"d" * 300, "a.txt"]))
    assert len(files_of([tmp_path / "box"])) == 1
