"""Chunks that tell of pictures: the document's own words for each, and apart from these what a model wrote of it. Pure."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace

from pincite.core.documents import Block, BlockRole, CanonicalText, Chunk, ChunkType, PageSpan
from pincite.core.figures import Figure
from pincite.core.ids import ChunkId, new_id
from pincite.ingest.fitting import fitted
from pincite.language.detect import detect
from pincite.language.sentences import sentence_spans

_MOST_CHARS = 500
_LEAST_CHARS = 25
_MOST_HEADING_CHARS = 200


def blocks_apart(canonical: CanonicalText, figures: Sequence[Figure]) -> frozenset[int]:
    """Return where the blocks start that tell of figures alone, and would hide these in the text around them: captions that stand
    for them, and what OCR read in them.
    """
    runs = {(figure.place.start, figure.place.end) for figure in figures}
    captions = (block for block in canonical.blocks if block.role is BlockRole.CAPTION)
    read = (figure.place.read[0] for figure in figures if figure.place.read[1])
    return frozenset([*(block.start for block in captions if (block.start, block.end) in runs), *read])


def with_figures(
    chunks: Sequence[Chunk],
    canonical: CanonicalText,
    figures: Sequence[Figure],
    *,
    like: Chunk,
    budget_tokens: int,
    count_tokens: Callable[[Sequence[str]], list[int]],
) -> list[Chunk]:
    """Return the chunks of a text in order, those that tell of its figures behind the others. `like` has what all of them share.

    Where a chunk is all that stands for a figure, it becomes the figure's.
    """
    read = [figure for figure in figures if figure.place.read[1]]
    found = [_of_picture(chunk, read, chunks) for chunk in chunks]
    known = {(chunk.start, chunk.end): at for at, chunk in enumerate(chunks)}
    for figure in figures:
        start, end = _run(canonical, figure, like.lang)
        shared = replace(
            like,
            heading_path=_headings_at(chunks, start),
            chunk_type=ChunkType.IMAGE_DESCRIPTION,
            figure_id=figure.id,
            pages=_pages(canonical, figure, start, end),
            start=start,
            end=end,
        )
        if (at := known.pop((start, end), None)) is not None:
            found[at] = replace(found[at], chunk_type=ChunkType.IMAGE_DESCRIPTION, figure_id=figure.id)
        elif start < end:
            found.append(_written(shared, canonical.text[start:end], len(found), budget_tokens, count_tokens))
        if figure.description:
            headings = (*shared.heading_path, *_caption(canonical, start, end))
            written = replace(shared, generated=True, heading_path=headings)
            found.append(_written(written, figure.description, len(found), budget_tokens, count_tokens))
    return found


def _of_picture(chunk: Chunk, figures: Sequence[Figure], chunks: Sequence[Chunk]) -> Chunk:
    """Return a chunk of what OCR read in a figure as the figure's, under its headings; others as they are."""
    for figure in figures:
        start, end = figure.place.read
        if start <= chunk.start and chunk.end <= end:
            headings = _headings_at(chunks, figure.place.start) if figure.place.end else chunk.heading_path
            return replace(chunk, chunk_type=ChunkType.IMAGE_DESCRIPTION, figure_id=figure.id, heading_path=headings)
    return chunk


def _written(chunk: Chunk, text: str, index: int, budget_tokens: int, count_tokens: Callable[[Sequence[str]], list[int]]) -> Chunk:
    """Return a chunk with its text, cut to the budget."""
    text, tokens = fitted(text, budget_tokens, count_tokens)
    end = chunk.end if chunk.generated else chunk.start + len(text)
    return replace(
        chunk, id=ChunkId(new_id()), text=text, end=end, chunk_index=index, token_count=tokens, lang=detect(text) or chunk.lang
    )


def _run(canonical: CanonicalText, figure: Figure, lang: str) -> tuple[int, int]:
    """Return the run that stands for a figure: few words are told together with the block before them, many are cut."""
    start, end = figure.place.start, figure.place.end
    if start < end < start + _LEAST_CHARS:
        before = _block_before(canonical, start)
        if before and before.page == figure.place.page and end - before.start <= _MOST_CHARS:
            return before.start, end
    if end - start <= _MOST_CHARS:
        return start, end
    spans = sentence_spans(canonical.text[start:end], lang)
    last = max((to for _, to in spans if to <= _MOST_CHARS), default=_MOST_CHARS)
    return start, start + len(canonical.text[start : start + last].rstrip())


def _caption(canonical: CanonicalText, start: int, end: int) -> tuple[str, ...]:
    """Return the caption that stands for a figure as the last of its headings: what a model wrote is found by it, too."""
    found = next((block for block in canonical.blocks if block.start == start and block.role is BlockRole.CAPTION), None)
    text = " ".join(canonical.text[start:end].split())
    return (text,) if found and text and len(text) <= _MOST_HEADING_CHARS else ()


def _block_before(canonical: CanonicalText, start: int) -> Block | None:
    at = bisect_right([block.start for block in canonical.blocks], start) - 2
    return canonical.blocks[at] if at >= 0 else None


def _headings_at(chunks: Sequence[Chunk], start: int) -> tuple[str, ...]:
    before = [chunk for chunk in chunks if chunk.start <= start]
    return max(before, key=lambda chunk: chunk.start).heading_path if before else ()


def _pages(canonical: CanonicalText, figure: Figure, start: int, end: int) -> tuple[PageSpan, ...]:
    page = figure.place.page
    spans = canonical.page_spans(start, end)
    if page is None or any(span.page == page for span in spans):
        return spans
    label = next((each.label for each in canonical.pages if each.number == page), str(page))
    return (PageSpan(page, label, start, end),)
