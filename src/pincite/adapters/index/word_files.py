"""A lexical mirror in a folder: snapshots read by everybody, brought forward by who holds the lock."""

import logging
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from threading import Lock
from typing import Any

from tantivy import Index

from pincite.adapters.index.publication import Publication, Stamp, sync_folder
from pincite.adapters.index.seals import marks_of
from pincite.adapters.index.word_view import LaidWords, WordState, WordView, schema
from pincite.adapters.index.word_writing import link_snapshot, open_snapshot, write_changes
from pincite.core.ports.changes import Change

_FORMAT = 3
"""Raise it when tokens change: mirrors of another format are rebuilt."""
_WORK = "work"
_log = logging.getLogger(__name__)


class WordMirror:
    """A `Mirror` of `WordView`."""

    def __init__(self, folder: Path) -> None:
        self._publication = Publication(folder)
        self._published: WordView | None = None
        self._overlaid: WordView | None = None
        self._overlaying = Lock()
        self._damaged: Stamp | None = None

    def at_hand(self) -> WordView | None:
        """Return what was published and laid over it when this process last looked, None if somebody published since."""
        published, laid_over = self._published, self._overlaid
        if published is None or published.stamp != self._publication.stamp():
            return None
        return laid_over if laid_over and laid_over.stamp == published.stamp else published

    @property
    def size_bytes(self) -> int:
        """Return the size of the files that this process has open."""
        published = self._published
        return sum(size for size, _ in published.state.files.values()) if published else 0

    def load(self, *, overlaid: bool) -> WordView:
        """Return the published view, opened anew when another was published; with `overlaid` what was laid over it."""
        stamp = self._publication.stamp()
        published, laid_over = self._published, self._overlaid
        if published is None or published.stamp != stamp:
            published = self._published = self._open(stamp)
        if laid_over and laid_over.stamp != published.stamp:
            self._overlaid = laid_over = None  # it lies over files that are no longer published: its memory is given back
        return laid_over if overlaid and laid_over else published

    def distrust(self, view: WordView) -> None:
        """Have the mirror rebuilt, because searching this view failed."""
        self._damaged = view.stamp
        self._published = self._overlaid = None

    def files_of(self, view: WordView) -> list[Path]:
        """Return the files of what a view shows as published."""
        folder = self._publication.generation(view.state.generation) / view.state.snapshot
        return [folder / name for name in view.state.files]

    def withdraw(self) -> bool:
        """Publish nothing any more, so that the mirror is made anew. False when somebody holds the lock."""
        return self._publication.withdraw()

    def overlay(self, view: WordView, changes: Sequence[Change], *, seq: int, base: int | None) -> WordView:
        """Return `view` with changes indexed in memory over it."""
        latest = {change.chunk_id: change for change in changes}
        with self._overlaying:
            start = view if base is None else _empty(view.stamp)
            laid = start.laid
            index = laid.index if laid else Index(schema())
            langs = write_changes(index, latest, fresh=laid is None, langs=start.langs)
            index.reload()
            hidden = frozenset([*latest, *(laid.hidden if laid else ())])
            found = replace(start, seq=seq, laid=LaidWords(index, index.searcher(), langs, hidden))
            found = replace(found, base=start.base if base is None else base)
            self._overlaid = found
        return found

    def apply(self, view: WordView, changes: Sequence[Change], *, seq: int, base: int | None) -> bool:
        """Index changes and publish."""
        start = view if base is None else _empty(None)
        try:
            with self._publication.try_lock() as held:
                if held and self._publication.stamp() == view.stamp:
                    self._advance(start, changes, seq=seq, base=base)
                return held
        except FileNotFoundError:
            self.distrust(view)
            return bool(start.state.generation)
        except OSError as error:
            _log.warning("The word index can't be written (%s); new passages are searched in memory.", error.strerror)
        except ValueError as error:  # tantivy's for anything
            _log.warning("The word index can't be written (%s).", error)
            if start.state.generation:
                self.distrust(view)
                return True
        return False

    def _advance(self, view: WordView, changes: Sequence[Change], *, seq: int, base: int | None) -> None:
        latest = {change.chunk_id: change for change in changes}
        state = replace(view.state, seq=seq, base=view.base if base is None else base)
        fresh = not state.generation
        folder = self._publication.new_generation() if fresh else self._publication.generation(state.generation)
        work = folder / _WORK
        if fresh:
            work.mkdir()
        if not fresh:
            _refuse_changed(work, state.files)
        if not fresh and not latest:  # vectors that came later than their chunks: there is nothing to index
            self._publication.write({"format": _FORMAT, **asdict(state)})
            return
        index = Index(schema(), path=str(work)) if fresh else Index.open(str(work))
        langs = write_changes(index, latest, fresh=fresh, langs=state.langs)
        snapshot = folder / f"snapshot-{seq}"
        link_snapshot(work, snapshot)
        sync_folder(snapshot)
        sync_folder(folder)
        files = marks_of(path for path in snapshot.iterdir() if not path.name.startswith("."))  # those are the engine's own notes
        state = replace(state, generation=folder.name, snapshot=snapshot.name, langs=dict(langs), files=files)
        self._publication.write({"format": _FORMAT, **asdict(state)})
        self._publication.remove_other_generations(state.generation)
        for path in folder.glob("snapshot-*"):
            if path.name != state.snapshot:
                shutil.rmtree(path, ignore_errors=True)

    def _open(self, stamp: Stamp | None) -> WordView:
        """Open what is published; while somebody publishes and cleans up, again. What can't be read counts as nothing."""
        while stamp and stamp != self._damaged:
            try:
                state = _state(self._publication.read() or {})
                snapshot = self._publication.generation(state.generation) / state.snapshot
                _refuse_changed(snapshot, state.files)
                searcher = open_snapshot(snapshot)
                return WordView(state.seq, state.base, state, stamp, searcher)
            except (OSError, ValueError) as damage:
                newer = self._publication.stamp()
                if newer == stamp:
                    _log.warning("The word index is damaged or of another version and is rebuilt (%s).", damage)
                    break
                stamp = newer
        return _empty(stamp)


def _refuse_changed(folder: Path, files: Mapping[str, tuple[int, int]]) -> None:
    """Raise `ValueError` when a file isn't as it was published, `OSError` when it isn't there. The engine doesn't look."""
    for name, mark in marks_of(folder / name for name in files).items():
        if mark != tuple(files[name]):
            raise ValueError(f"{name} has changed")


def _state(data: Mapping[str, Any]) -> WordState:
    names = {field.name for field in fields(WordState)}
    if data.get("format") != _FORMAT or not names <= data.keys():
        raise ValueError("another format")
    return WordState(**{name: data[name] for name in names})


def _empty(stamp: Stamp | None) -> WordView:
    return WordView(0, 0, WordState(), stamp)
