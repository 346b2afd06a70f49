"""What of a passage is embedded and indexed."""


def index_text(title: str, heading_path: tuple[str, ...], text: str) -> str:
    """Join title, heading path and text as they are embedded and indexed, without repeating a heading."""
    trail = [part for part in (title, *heading_path) if part]
    if len(trail) > 1 and trail[0] == trail[1]:
        trail = trail[1:]
    if trail and _begins_with(text, trail[-1]):
        trail = trail[:-1]
    return f"{' › '.join(trail)}\n{text}" if trail else text


def _begins_with(text: str, heading: str) -> bool:
    return text.startswith(heading) and not text[len(heading) : len(heading) + 1].isalnum()
