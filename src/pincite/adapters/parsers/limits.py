"""What one file may cost before it is refused."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """Bounds of one parse. A file that passes one is refused with a reason; the others are not touched.

    `stall_s` is the longest silence between two pages, `timeout_s` the longest parse in all; both with two seconds more for each
    megabyte of the file. `cpu_s` is the longest processor time, where it is given.
    `memory_bytes` bounds the child's address space, of which the interpreter and PDFium take about 80 MB; `data_bytes` what of it
    the child may write to, where it is given. `pixels` bounds an image, before it is decoded. `nice` is how far the child stands
    back behind others that need the processor.
    """

    file_bytes: int = 512 * 1024 * 1024
    memory_bytes: int = 768 * 1024 * 1024
    stall_s: float = 20.0
    timeout_s: float = 600.0
    cpu_s: float = 0.0
    pages: int = 10_000
    text_chars: int = 50_000_000
    depth: int = 100
    unpacked_bytes: int = 512 * 1024 * 1024
    pixels: int = 100_000_000
    files_per_child: int = 200
    data_bytes: int = 0
    nice: int = 0

    def for_child(self) -> dict[str, int | float]:
        """Return the bounds that the child itself must keep, as JSON values."""
        return {
            "memory_bytes": self.memory_bytes,
            "cpu_s": self.cpu_s or self.timeout_s,
            "pages": self.pages,
            "text_chars": self.text_chars,
            "depth": self.depth,
            "unpacked_bytes": self.unpacked_bytes,
            "pixels": self.pixels,
            "data_bytes": self.data_bytes,
            "nice": self.nice,
        }
