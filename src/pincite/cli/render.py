"""How results look on a console: plain when piped, coloured and with progress bars on a terminal."""

import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import click

from pincite.core.answers import Verdict
from pincite.core.cells import SHEET_TYPES
from pincite.core.errors import ErrorKind, PinciteError, UsageError
from pincite.ingest.naming import printable

if TYPE_CHECKING:
    from pincite.client import Added, Found
    from pincite.core.answers import Claim, DoneChunk, Span
    from pincite.core.documents import Document, Page
    from pincite.core.evidence import Source
    from pincite.core.ids import DocumentId
    from pincite.core.ingestions import Ingestion
    from pincite.core.summaries import SummaryRun
    from pincite.ingest.reporting import Progress
    from pincite.ingest.sync_report import SyncChange

EXIT_PARTIAL = 1
EXIT_USAGE = 2
EXIT_REFUSED = 4
EXIT_STORE = 6

_EXIT_CODES = {
    ErrorKind.USAGE: 2,
    ErrorKind.CONFIGURATION: 2,
    ErrorKind.CONFLICT: 2,
    ErrorKind.NOT_FOUND: 3,
    ErrorKind.REFUSED: 4,
    ErrorKind.UPSTREAM: 5,
    ErrorKind.STORE: 6,
}

_STAGE_COLOURS = {"ready": "green", "failed": "red"}
_OUTCOME_COLOURS = {"added": "green", "updated": "green", "moved": "cyan", "removed": "yellow", "failed": "red"}

T = TypeVar("T")


def exit_code(error: PinciteError) -> int:
    """Return the exit code of an error."""
    return _EXIT_CODES[error.kind]


def print_error(error: PinciteError, *, as_json: bool) -> None:
    """Say what went wrong and what to do: on standard error, and as JSON on standard output when JSON was asked for."""
    if as_json:
        print_json({"error": error_dict(error)})
    click.echo(click.style("Error: ", fg="red", bold=True) + error.message, err=True)


def print_usage_error(message: str) -> None:
    """Print the JSON form of a command that was written wrongly."""
    print_json({"error": error_dict(UsageError(message))})


def error_dict(error: PinciteError) -> dict[str, Any]:
    """Return an error as JSON shows it."""
    return {"code": error.code, "message": error.message, "retryable": error.retryable}


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def own_name() -> str:
    """Return how this program is called from here: by its name where the shell finds it, else by its path."""
    script = Path(sys.executable).parent / "pincite"
    found = shutil.which("pincite")
    if found and script.exists() and os.path.samefile(found, script):
        return "pincite"
    if not script.exists():
        return f"{shlex.quote(sys.executable)} -m pincite"
    here = Path.cwd()
    return shlex.quote(str(script.relative_to(here) if script.is_relative_to(here) else script))


def note(text: str) -> None:
    """Print a remark that isn't part of the result, on standard error."""
    click.echo(click.style(text, dim=True), err=True)


@contextmanager
def file_progress(quiet: bool) -> Generator[Callable[[str, "Progress"], None]]:
    """Give a listener that draws one bar per file; nothing is drawn when standard error is no terminal."""
    if quiet or not sys.stderr.isatty():
        yield lambda file, progress: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description:<40.40}"), BarColumn(), TextColumn("{task.fields[stage]:<10}"), TimeElapsedColumn())
    # Lines printed meanwhile go above the bars, but only where both are on the terminal: else they'd be led away from a pipe.
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=sys.stdout.isatty()) as bars:
        tasks: dict[str, TaskID] = {}

        def listen(file: str, progress: "Progress") -> None:
            if file not in tasks:
                tasks[file] = bars.add_task(printable(file.rsplit("/", 1)[-1]), total=None, stage="")
            bars.update(tasks[file], completed=progress.done, total=progress.total or None, stage=progress.stage.value)
            if progress.stage.value in {"ready", "failed", "pending"}:
                bars.remove_task(tasks.pop(file))

        yield listen


@contextmanager
def count_progress(quiet: bool, label: str) -> Generator[Callable[[int, int], None]]:
    """Give a listener that draws one bar for the whole; nothing is drawn when standard error is no terminal."""
    if quiet or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(label, total=None)
        yield lambda done, total: bars.update(task, completed=done, total=total)


@dataclass(frozen=True, slots=True)
class SyncBars:
    """Listeners that draw: files done and in all, and the stages of each file."""

    on_files: Callable[[int, int], None]
    on_progress: Callable[[str, "Progress"], None]


@contextmanager
def sync_progress(quiet: bool) -> Generator[SyncBars]:
    """Give listeners that draw one bar for all files, with the name of the last one; nothing when standard error is no terminal."""
    if quiet or not sys.stderr.isatty():
        yield SyncBars(lambda done, total: None, lambda file, progress: None)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    name = TextColumn("{task.fields[stage]:<9} {task.description:.60}")
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), name)
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=sys.stdout.isatty()) as bars:
        task = bars.add_task("", total=None, stage="comparing")

        def listen(file: str, progress: "Progress") -> None:
            bars.update(task, description=printable(file.rsplit("/", 1)[-1]), stage=progress.stage.value)

        yield SyncBars(lambda done, total: bars.update(task, completed=done, total=total), listen)


class Telling(Generic[T]):
    """Prints results as they come, each once it is kept: whatever ends the command later, what was printed stays done."""

    def __init__(self, show: Callable[[T], None], *, quiet: bool) -> None:
        self.told: list[T] = []
        self._show = show
        self._quiet = quiet
        self._unheard: BrokenPipeError | None = None

    def tell(self, result: T) -> None:
        """Print a result. Whoever stops listening doesn't stop the work."""
        self.told.append(result)
        try:
            if not self._quiet and not self._unheard:
                self._show(result)
        except BrokenPipeError as error:
            self._unheard = error

    def end(self) -> None:
        """Raise the `BrokenPipeError` that came meanwhile, if one did."""
        if self._unheard:
            raise self._unheard


def print_outcome(item: "Added") -> None:
    """Print what became of a file, and of those inside it that failed."""
    for inner in item.contained:
        if inner.reason:
            print_outcome(inner)
    stage = click.style(f"{item.stage.value:<7}", fg=_STAGE_COLOURS.get(item.stage.value))
    why = f"  {item.reason.message} ({item.reason.code})" if item.reason else ""
    warnings = "".join(f"  {warning}" for warning in item.warnings)
    _say(f"{stage} {printable(item.source)}{why}{printable(warnings)}")


def print_change(change: "SyncChange") -> None:
    """Print what a synchronisation did with a document."""
    outcome = click.style(f"{change.outcome.value:<7}", fg=_OUTCOME_COLOURS.get(change.outcome.value))
    path = f"{printable(change.moved_from)} → {printable(change.path)}" if change.moved_from else printable(change.path)
    why = f"  {change.reason.message} ({change.reason.code})" if change.reason else ""
    _say(f"{outcome} {path}{why}")


def _say(line: str) -> None:
    """Print a line at once; above progress bars where there are any. `click.echo` would write into the bars."""
    if sys.stdout.isatty():
        print(line, flush=True)
    else:
        click.echo(line)


def print_count(added: Sequence["Added"]) -> None:
    """Print how many files are ready."""
    ready = sum(item.stage.value == "ready" for item in added)
    note(f"{ready} of {len(added)} ready.")


def print_sources(sources: Sequence["Source"]) -> None:
    """Print hits: number, title, page, scores, and the passage."""
    if not sources:
        note("Nothing was found.")
    for source in sources:
        click.echo(_heading(source))
        click.echo(f"    {_shortened(source.best.text, 300)}\n")


def _heading(source: "Source") -> str:
    best = source.best
    place = page_place(best.pages[0].page, best.pages[0].label, best.pages[0].bates) if best.pages else ""
    if place and best.content_type in SHEET_TYPES:
        place = printable(f"sheet {best.pages[0].label}")
    section = " › ".join(best.heading_path)
    written = "written by a model, not in the document" if best.generated else ""
    parts = [printable(best.title), place, printable(section) if section != best.title else "", written]
    text = click.style(f"[{source.n}] ", fg="cyan", bold=True) + click.style(" · ".join(p for p in parts if p), bold=True)
    scores = [f"{best.scores.fused:.2f}"]
    scores += [f"cosine {best.scores.dense:.3f}"] if best.scores.dense is not None else []
    scores += [f"BM25 {best.scores.lexical:.1f}"] if best.scores.lexical is not None else []
    return text + click.style("  " + ", ".join(scores), dim=True)


def page_place(page: int | None, label: str | None, bates: str) -> str:
    """Return how a page is named: `page 3`, `page iv (4)`, `page 3 (ABC000123)`, `page iv (4, ABC000123)`; nothing without one."""
    if page is None:
        return ""
    is_printed = bool(label) and label not in (str(page), bates)
    beside = ", ".join(part for part in (str(page) if is_printed else "", bates) if part)
    return printable(f"page {label if is_printed else page}" + (f" ({beside})" if beside else ""))


def span_place(span: "Span") -> str:
    """Return how the place of a quote is named: in a sheet `sheet Fees, B2:D9`, in a file of rows `cells B2:D9`, else its page."""
    if not span.cells:
        return page_place(span.page, span.page_label, span.bates)
    return printable(f"sheet {span.page_label}, {span.cells}" if span.page_label else f"cells {span.cells}")


def _shortened(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def print_evidence(sources: Sequence["Source"], done: "DoneChunk") -> None:
    """Print under an answer each cited source with page and quotes."""
    by_number = {source.n: source for source in sources}
    cited = {citation.n: [c for c in done.citations if c.n == citation.n] for citation in done.citations}
    if cited:
        click.echo()
    for n, citations in sorted(cited.items()):
        source = by_number[n]
        click.echo(click.style(f"[{n}] ", fg="cyan", bold=True) + click.style(printable(source.title), bold=True))
        for citation in citations:
            for quote in citation.quotes:
                places = [span_place(span) for span in quote.spans]
                where = ", ".join(dict.fromkeys(place for place in places if place)) or quote.spans[0].section
                doubt = " (OCR is not sure of a word: look at the page)" if quote.is_doubtful else ""
                click.echo(f"    {where + ': ' if where else ''}“{_shortened(quote.text, 400)}”{doubt}")
        click.echo(click.style(f"    {printable(source.url)}", dim=True))


_DOUBTS = {Verdict.CONTRADICTED: "Contradicted", Verdict.NOT_FOUND: "Not found", Verdict.PARTLY: "Partly supported"}


def print_doubts(text: str, claims: Sequence["Claim"]) -> None:
    """Print the claims of an answer that their sources don't bear out, or not wholly, and why; the worst first."""
    for verdict, label in _DOUBTS.items():
        for claim in claims:
            if claim.verdict is verdict:
                said = _shortened(text[claim.start : claim.end], 160)
                click.echo(click.style(f"{label}: ", fg="yellow", bold=True) + f"“{said}” {printable(claim.reason)}")


def print_documents(documents: Sequence["Document"], ingestions: Mapping["DocumentId", "Ingestion"]) -> None:
    """Print documents as a table on a terminal, as tab-separated lines when piped. Those in work show how far they are."""
    rows = [
        (
            printable(d.path),
            _stage(d, ingestions.get(d.id)),
            str(d.pages or ""),
            str(d.chunks or ""),
            d.reason.code if d.reason else "",
            d.id,
        )
        for d in documents
    ]
    if sys.stdout.isatty():
        _print_table(rows)
    else:
        for row in rows:
            click.echo("\t".join(row))
    for document in documents:
        if document.reason:
            note(f"{printable(document.path)}: {document.reason.message}")


def _stage(document: "Document", ingestion: "Ingestion | None") -> str:
    """Return the stage, while it is read with the pages or chunks that are done, of how many."""
    if ingestion is None or document.stage.value in {"ready", "failed"}:
        return document.stage.value
    return f"{ingestion.stage.value} {ingestion.done}/{ingestion.total}" if ingestion.total else ingestion.stage.value


def _print_table(rows: Sequence[Sequence[str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("Path", "Stage", "Pages", "Chunks", "Reason", "Id", box=None, header_style="bold")
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)


def note_summaries(document: "Document", run: "SummaryRun") -> None:
    """Remark that a document has no summaries, and why, if they failed."""
    if run.reason:
        note(f"{printable(document.path)} has no summaries: {run.reason.message} ({run.reason.code})")


def document_dict(
    document: "Document", ingestion: "Ingestion | None" = None, summaries: "SummaryRun | None" = None
) -> dict[str, Any]:
    """Return a document as JSON shows it, with how far its last attempts are where these are given."""
    return {
        "document_id": document.id,
        "path": document.path,
        "title": document.title,
        "source_uri": document.source_uri,
        "content_type": document.content_type,
        "stage": document.stage.value,
        "reason": document.reason.code if document.reason else None,
        "message": document.reason.message if document.reason else None,
        "version_id": document.version_id,
        "sha256": document.sha256,
        "size_bytes": document.size_bytes,
        "pages": document.pages,
        "pages_unread": document.pages_unread,
        "pages_ocr": document.pages_ocr,
        "warnings": list(document.warnings),
        "chunks": document.chunks,
        "locale": document.locale,
        "created_at": document.created_at.isoformat(),
        "updated_at": document.updated_at.isoformat(),
        **({"progress": _progress_dict(ingestion)} if ingestion else {}),
        **({"summaries": summaries.as_dict()} if summaries else {}),
    }


def _progress_dict(ingestion: "Ingestion") -> dict[str, Any]:
    return {
        "attempt": ingestion.attempt,
        "stage": ingestion.stage.value,
        "done": ingestion.done,
        "total": ingestion.total,
        "timings": ingestion.timings.as_dict(),
    }


def page_dict(page: "Page") -> dict[str, Any]:
    """Return a page as JSON shows it; its size is in points."""
    return {"page": page.number, "page_label": page.label, "bates": page.bates or None, "page_size": [page.width, page.height]}


def print_found(found: Sequence["Found"]) -> None:
    """Print occurrences with their pages and boxes."""
    if not found:
        note("The text doesn't occur in this document.")
    for item in found:
        click.echo(click.style(f"{item.start}–{item.end} ", fg="cyan") + f"“{_shortened(item.text, 200)}”")
        for span in item.spans:
            boxes = "  ".join("[" + ", ".join(f"{value:.1f}" for value in box.as_list()) + "]" for box in span.boxes)
            click.echo(f"    {span_place(span) or 'no pages'}  {boxes}")
