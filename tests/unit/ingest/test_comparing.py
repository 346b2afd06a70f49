"""Which files are read at all, and what is made of what is known of them. Pure: no file is touched."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from pincite.core.documents import Reason, Stage
from pincite.core.files import FileState, KnownFile
from pincite.core.ids import DocumentId, VersionId
from pincite.core.ports.parsing import REFUSALS
from pincite.ingest.comparing import came_from, compare, settle
from pincite.ingest.folders import FileToAdd, Folder

BOX = Folder(Path("/srv/box"), "box", "file:///srv/box/")
SOURCES = Path(__file__).parent.parent.parent.parent / "src" / "pincite"


def item(name: str, *, stamp: str = "9 5 6", inode: str = "7") -> FileToAdd:
    place = f"file:///srv/box/{name}"
    return FileToAdd(Path(f"/srv/box/{name}"), f"box/{name}", place, place, FileState(place, stamp, inode, settled=True))


def known(name: str, *, sha256: str = "aa", stamp: str = "9 5 6", inode: str = "7", size: int = 9) -> KnownFile:
    place = f"file:///srv/box/{name}"
    state = FileState(place, stamp, inode, sha256, settled=True)
    return KnownFile(DocumentId(name), f"box/{name}", place, Stage.READY, "", sha256, size, VersionId("v"), state)


def with_state(of: KnownFile, **changes: object) -> KnownFile:
    assert of.state
    return replace(of, state=replace(of.state, **changes))  # type: ignore[arg-type]


def test_a_file_as_it_was_is_not_read() -> None:
    found = compare([BOX], [item("a"), item("b")], [known("a"), known("b")])
    assert len(found.same) == 2
    assert found.to_hash() == []


@pytest.mark.parametrize(
    "before",
    [
        with_state(known("a"), stamp="9 5 7"),
        with_state(known("a"), settled=False),
        with_state(known("a"), sha256="bb"),
        replace(known("a"), sha256="bb"),
        replace(known("a"), source_uri="file:///elsewhere/a"),
        replace(known("a"), state=None),
    ],
    ids=["another stamp", "a stamp that says nothing", "other bytes before", "other bytes since", "another target", "never seen"],
)
def test_a_file_that_may_have_changed_is_read(before: KnownFile) -> None:
    found = compare([BOX], [item("a")], [before])
    assert [pair.item.path for pair in found.doubtful] == ["box/a"]
    assert [each.path for each in found.to_hash()] == ["box/a"]


def test_new_files_are_read_only_where_one_of_their_size_is_missing() -> None:
    new = [item("x", stamp="9 1 1"), item("y", stamp="8 1 1")]
    assert compare([BOX], new, []).to_hash() == []
    found = compare([BOX], new, [known("gone", size=8)])
    assert [each.path for each in found.to_hash()] == ["box/y"]


def test_a_file_that_lost_its_name_between_two_looks_waits_for_the_next_time() -> None:
    plan = settle(compare([BOX], [item("a", stamp="8 8 8"), item("b")], [known("a"), known("gone")]), {})
    assert (plan.changed, plan.gone, [each.path for each in plan.new]) == ([], [known("gone")], ["box/b"])


def test_the_likest_of_equal_files_is_the_one_that_was_moved() -> None:
    missing = [known("a/x.txt", inode="1"), known("a/y.txt", inode="2"), known("a/z.txt", inode="3")]
    new = [item("b/1.txt", inode="9"), item("b/y.txt", inode="8"), item("b/0.txt", inode="3"), item("b/more.txt", inode="5")]
    plan = settle(compare([BOX], new, missing), {each.place: "aa" for each in new})
    moves = {pair.known.path: pair.item.path for pair in plan.moved}
    assert moves == {"box/a/x.txt": "box/b/1.txt", "box/a/y.txt": "box/b/y.txt", "box/a/z.txt": "box/b/0.txt"}
    assert [each.path for each in plan.new] == ["box/b/more.txt"]
    assert plan.gone == []


def test_nothing_under_a_folder_that_cannot_be_listed_is_missing() -> None:
    closed = FileToAdd(
        Path("/srv/box/closed"), "closed", "file:///srv/box/closed/", "file:///srv/box/closed/", problem=Reason("unreadable", "No.")
    )
    found = compare([BOX], [closed], [known("closed/a"), known("closed/b/c"), known("closed2/d")])
    assert [each.path for each in found.missing] == ["box/closed2/d"]


@pytest.mark.parametrize(
    ("document", "came"),
    [
        (known("a"), True),
        (known("caf%E9/%23 b"), False),
        (replace(known("caf%E9/%23 b"), path="box/caf\ufffd/# b"), True),
        (replace(known("a"), path="srv/box/a"), True),
        (replace(known("a"), path="a"), False),
        (replace(known("a"), path="mailbox/a"), False),
        (replace(known("a"), state=None), False),
        (with_state(known("a"), place="file:///srv/boxer/a"), False),
    ],
)
def test_a_document_came_from_a_folder_when_place_and_path_say_so(document: KnownFile, came: bool) -> None:
    assert came_from([BOX], document) is came


def test_the_root_of_the_file_system_is_a_folder_too() -> None:
    root = Folder.at(Path("/"))
    assert root.address == "file:///"
    assert came_from([root], replace(known("a"), path="srv/box/a"))


@pytest.mark.parametrize(
    ("stage", "code", "retry", "tried"),
    [
        (Stage.FAILED, "unsupported", False, False),
        (Stage.FAILED, "unsupported", True, True),
        (Stage.FAILED, "timeout", False, False),
        (Stage.FAILED, "stopped", False, True),
        (Stage.FAILED, "upstream", False, True),
        (Stage.PENDING, "", False, True),
        (Stage.READY, "", True, False),
    ],
)
def test_only_what_its_own_bytes_failed_is_not_tried_again(stage: Stage, code: str, retry: bool, tried: bool) -> None:
    before = replace(known("a"), stage=stage, reason_code=code)
    plan = settle(compare([BOX], [item("a")], [before]), {}, retry=retry)
    assert bool(plan.changed) is tried


def test_every_reason_to_refuse_a_file_is_known_as_one() -> None:
    raised = set[str]()
    for source in [*(SOURCES / "adapters" / "parsers").glob("*.py"), SOURCES / "ingest" / "ingestor.py"]:
        text = source.read_text(encoding="utf-8")
        raised |= set(re.findall(r'RefusedInput\((?:[^()]|\([^()]*\))*?code="(\w+)"', text))
        raised |= set(re.findall(r'refusal\("(\w+)"', text))
    assert raised
    assert raised <= REFUSALS
