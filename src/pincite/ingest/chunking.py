"""Cuts canonical text into chunks at the ends of sentences and table rows, inside one heading path and one page; tables apart.

Two passes as in the reference: whatever exceeds the budget is split at sentence ends, then sentences are packed up to the
budget, with an overlap taken from the tail of the chunk before. Tokens are counted once per sentence and added.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice, pairwise

from pincite.core.documents import Block, BlockRole, CanonicalText, ChunkType
from pincite.language.sentences import sentence_spans

CHUNKED_ROLES = frozenset({BlockRole.BODY, BlockRole.HEADING, BlockRole.TABLE, BlockRole.CAPTION, BlockRole.FOOTNOTE})
"""Headers, footers and page numbers are kept in the canonical text but never retrieved."""

_MAX_LEAD_CHARS = 200
_ROW = re.compile(r"[^\n]+")


@dataclass(frozen=True, slots=True)
class ChunkRules:
    """Token budget of a chunk, and the share of it that is repeated from the chunk before (0–50)."""

    budget_tokens: int = 512
    overlap_percent: int = 10

    @property
    def overlap_tokens(self) -> int:
        """Return the most tokens that a chunk repeats."""
        return self.budget_tokens * self.overlap_percent // 100


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of canonical text that becomes a chunk."""

    start: int
    end: int
    heading_path: tuple[str, ...]
    token_count: int
    chunk_type: ChunkType = ChunkType.TEXT


@dataclass(slots=True)
class _Section:
    """Blocks under one heading path, in order and adjacent in the text."""

    heading_path: tuple[str, ...]
    blocks: list[Block] = field(default_factory=list[Block])


def pieces(
    canonical: CanonicalText,
    rules: ChunkRules,
    count_tokens: Callable[[Sequence[str]], list[int]],
    *,
    title: str = "",
    lang: str = "",
    pages_stand_alone: bool = False,
    apart: Collection[int] = (),
) -> Iterator[Piece]:
    """Yield the chunks of a text in order. Every non-blank character of a chunked block is in at least one of them.

    Tables are chunks of their own, with what stands over them to name them: headings, a caption, a short line that ends in a colon.
    So are the blocks that start at the places `apart`. With `pages_stand_alone` no heading holds beyond its page.
    """
    page_starts = _page_starts(canonical)
    for section in _sections(canonical, pages_stand_alone=pages_stand_alone):
        trail = " › ".join((title, *section.heading_path))
        budget = max(rules.budget_tokens // 4, rules.budget_tokens - count_tokens([trail])[0])
        narrowed = ChunkRules(budget, rules.overlap_percent)
        for chunk_type, blocks in _parts_of(canonical.text, section.blocks, apart):
            sentences = _sentences(canonical.text, blocks, narrowed, count_tokens, lang)
            for run in _pack(sentences, narrowed, page_starts):
                yield Piece(run[0].start, run[-1].end, section.heading_path, sum(s.tokens for s in run), chunk_type)


def _parts_of(text: str, blocks: Sequence[Block], apart: Collection[int]) -> Iterator[tuple[ChunkType, list[Block]]]:
    """Yield the tables of a section, one behind another together, what stands between them, and each block that stands apart."""
    for alone, some in groupby(blocks, key=lambda block: block.start if block.start in apart else None):
        part = list(some)
        yield from _tables_of(text, part) if alone is None else [(ChunkType.TEXT, part)]


def _tables_of(text: str, blocks: Sequence[Block]) -> Iterator[tuple[ChunkType, list[Block]]]:
    part: list[Block] = []
    is_table = False
    for block, following in zip(blocks, [*blocks[1:], None], strict=True):
        if block.role is BlockRole.TABLE and not is_table:
            named = len(part) - _names_from(text, part)
            if named:
                yield ChunkType.TEXT, part[:named]
            part, is_table = part[named:], True
        elif block.role is not BlockRole.TABLE and is_table and not _is_name_below(block, part, following):
            yield ChunkType.TABLE, part
            part, is_table = [], False
        part.append(block)
    if part:
        yield (ChunkType.TABLE if is_table else ChunkType.TEXT), part


def _is_name_below(block: Block, table: Sequence[Block], following: Block | None) -> bool:
    """Whether a caption names the table over it: one that has none, with no other table behind."""
    is_last = following is None or following.role is not BlockRole.TABLE
    return block.role is BlockRole.CAPTION and is_last and all(other.role is not BlockRole.CAPTION for other in table)


def _names_from(text: str, blocks: Sequence[Block]) -> int:
    """Return how many blocks before a table name it; headings do where nothing else stands between them and it."""
    count = 0
    for block in reversed(blocks):
        leads = block.end - block.start <= _MAX_LEAD_CHARS and text[block.end - 1] in ":："
        if block.role is not BlockRole.CAPTION and (count or not leads):
            break
        count += 1
    rest = blocks[: len(blocks) - count]
    return len(blocks) if all(block.role is BlockRole.HEADING for block in rest) else count


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence or row. `group_tokens` is set on the first row of a table behind another: those of the table and its name."""

    start: int
    end: int
    tokens: int
    group_tokens: int = 0


def _page_starts(canonical: CanonicalText) -> list[int]:
    """Offsets where the body flow enters another page, rising."""
    starts = [right.start for left, right in pairwise(canonical.runs) if right.page != left.page]
    return sorted(starts)


def _sections(canonical: CanonicalText, *, pages_stand_alone: bool) -> Iterator[_Section]:
    """Yield runs of chunked blocks with one heading path. Headings without text of their own join what follows them."""
    for _, blocks in groupby(canonical.blocks, key=lambda block: block.page if pages_stand_alone else None):
        yield from _sections_of(canonical, blocks)


def _sections_of(canonical: CanonicalText, blocks: Iterable[Block]) -> Iterator[_Section]:
    path: list[tuple[int, str]] = []
    section = _Section(())
    previous_role: BlockRole | None = None
    for block in blocks:
        if block.role not in CHUNKED_ROLES:
            previous_role = block.role
            continue
        lifted = block.role is BlockRole.FOOTNOTE
        breaks = previous_role not in CHUNKED_ROLES and previous_role is not None
        if block.role is BlockRole.HEADING:
            while path and path[-1][0] >= max(block.level, 1):
                path.pop()
            path.append((max(block.level, 1), _one_line(canonical.text[block.start : block.end])))
            breaks = breaks or previous_role is not BlockRole.HEADING
        heading_path = () if lifted else tuple(text for _, text in path)
        if section.blocks and (breaks or (section.heading_path != heading_path and block.role is not BlockRole.HEADING)):
            yield section
            section = _Section(heading_path)
        section.heading_path = heading_path
        section.blocks.append(block)
        previous_role = block.role
    if section.blocks:
        yield section


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _sentences(
    text: str, blocks: Sequence[Block], rules: ChunkRules, count_tokens: Callable[[Sequence[str]], list[int]], lang: str
) -> list[_Sentence]:
    """Split blocks into sentences and rows of tables, and what is over the budget into parts that fit."""
    parts = [
        [(block.start + start, block.start + end) for start, end in _parts(text[block.start : block.end], block.role, lang)]
        for block in blocks
    ]
    counts = iter(count_tokens([text[start:end] for spans in parts for start, end in spans]))
    sentences: list[_Sentence] = []
    tokens_of = [list(islice(counts, len(spans))) for spans in parts]
    for at, (spans, tokens) in enumerate(zip(parts, tokens_of, strict=True)):
        group = _group_tokens(blocks, tokens_of, at)
        for (start, end), number in zip(spans, tokens, strict=True):
            if number <= rules.budget_tokens:
                sentences.append(_Sentence(start, end, number, group))
            else:
                sentences.extend(_hard_split(text, start, end, number, rules.budget_tokens, count_tokens))
            group = 0
    return sentences


def _group_tokens(blocks: Sequence[Block], tokens_of: Sequence[Sequence[int]], at: int) -> int:
    if not at or blocks[at].role is not BlockRole.TABLE or blocks[at - 1].role is not BlockRole.TABLE:
        return 0
    has_name_below = at + 1 < len(blocks) and blocks[at + 1].role is BlockRole.CAPTION
    return sum(tokens_of[at]) + (sum(tokens_of[at + 1]) if has_name_below else 0)


def _parts(text: str, role: BlockRole, lang: str) -> Sequence[tuple[int, int]]:
    """Return the rows of a table, the sentences of anything else. Rows of a PDF have tabs, which tell no sentence end."""
    if role is not BlockRole.TABLE:
        return sentence_spans(text, lang)
    rows = (_trim(text, *found.span()) for found in _ROW.finditer(text))
    return [(start, end) for start, end in rows if start < end]


def _hard_split(
    text: str, start: int, end: int, tokens: int, budget: int, count_tokens: Callable[[Sequence[str]], list[int]]
) -> Iterator[_Sentence]:
    """Cut a monster into parts within the budget, at a blank where there is one near the cut."""
    width = max(1, (end - start) * budget // tokens)
    while start < end:
        stop = _cut_at_blank(text, start, min(end, start + width))
        count = count_tokens([text[start:stop]])[0]
        while count > budget and stop - start > 1:
            stop = _cut_at_blank(text, start, start + max(1, (stop - start) * budget // count * 9 // 10))
            count = count_tokens([text[start:stop]])[0]
        first, last = _trim(text, start, stop)
        if first < last:
            yield _Sentence(first, last, count)
        start = stop


def _cut_at_blank(text: str, start: int, stop: int) -> int:
    """Move a cut back to just behind a blank, if one stands in the last quarter of the part."""
    if stop >= len(text) or text[stop].isspace():
        return stop
    floor = start + (stop - start) * 3 // 4
    for position in range(stop - 1, floor, -1):
        if text[position].isspace():
            return position + 1
    return stop


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _pack(sentences: list[_Sentence], rules: ChunkRules, page_starts: list[int]) -> Iterator[list[_Sentence]]:
    """Fill chunks greedily. A chunk ends with its page, so that its page is where its sentences begin.

    Of tables that stand one behind another, one that has no room begins a chunk: its rows stay under their head.
    """
    run: list[_Sentence] = []
    fresh = used = page = 0
    for sentence in sentences:
        before, page = page, bisect_right(page_starts, sentence.start)
        turns = bool(run) and (page != before or used + sentence.group_tokens > rules.budget_tokens)
        if run and (turns or used + sentence.tokens > rules.budget_tokens):
            yield run
            run = [] if turns else _tail(run[-fresh:] if fresh else run, rules, sentence.tokens)
            fresh, used = 0, sum(s.tokens for s in run)
        run.append(sentence)
        fresh += 1
        used += sentence.tokens
    if run:
        yield run


def _tail(run: list[_Sentence], rules: ChunkRules, next_tokens: int) -> list[_Sentence]:
    """Return the last sentences of a chunk that its successor repeats."""
    room = min(rules.overlap_tokens, rules.budget_tokens - next_tokens)
    tail: list[_Sentence] = []
    for sentence in reversed(run[1:]):
        room -= sentence.tokens
        if room < 0:
            break
        tail.insert(0, sentence)
    return tail
