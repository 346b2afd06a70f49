"""Code: lines as they stand, under the names of what they define, in many languages."""

import pytest

from pincite.adapters.parsers.source_code import read_code
from pincite.core.documents import ParsedDocument


def read(text: str, name: str) -> ParsedDocument:
    return read_code(text, name=name, max_chars=1_000_000)


def paths(document: ParsedDocument) -> list[str]:
    """Headings with the names that lead to them."""
    path: list[str] = []
    found: list[str] = []
    for block in document.canonical.blocks:
        if block.level:
            path[block.level - 1 :] = [document.canonical.text[block.start : block.end]]
            found.append(".".join(path[1:]))
    return found


def path_of(document: ParsedDocument, said: str) -> str:
    at = document.canonical.text.index(said)
    path: list[str] = []
    for block in document.canonical.blocks:
        if block.start > at:
            break
        if block.level:
            path[block.level - 1 :] = [document.canonical.text[block.start : block.end]]
    return ".".join(path)


PYTHON = '''"""Fees."""
import os

RATE = 3

# Counts what is due.
@cache
def fee(days):
    if days:
        return days * RATE

    return 0


class Book:
    title = "x"

    async def lend(self,
        to):
        def inner():
            pass
        return inner

print(fee(2))
'''
SCRIPT = """\
export default class Book<T> {
  private async lend(to: string): Promise<void> {
    if (to) {
      go();
    }
  }
}
export const fee = async (days: number) => {
  return days;
};
function pay() {}
interface Due { n: number }
"""
JAVA = """\
package x;

public final class Book {
    private int n = 0;

    @Override
    public List<String> lend(String to) {
        for (int i = 0; i < 3; i++) {
            go(i);
        }
        return null;
    }
}
"""
GO = """\
package x

type Book struct {
	n int
}

func (b *Book) Lend(to string) error {
	return go(to)
}

func main() {
}
"""
C = """\
#include <a.h>

struct book {
  int n;
};

static int *lend(struct book *b,
                 int n)
{
  while (n) {
    go(n);
  }
}
"""
RUST = """\
pub struct Book { n: u8 }

impl Book {
    pub(crate) async fn lend(&self) -> u8 {
        match self.n {
            _ => 1,
        }
    }
}

mod tests {
}
"""
RUBY = """\
module M
  class Book
    def lend!
      go
    end
  end
end
"""
SQL = """\
-- Books.
CREATE TABLE IF NOT EXISTS books (
  n int
);

create or replace view lent as select 1;
"""
TOML = """\
name = 1

[tool.x]
a = 1
b = 2
[tool.y]
c = 3
"""
SHELL = """\
set -e
lend() {
  go
}
lend
"""
YAML = """\
# What runs.
services:
  web:  # first
    image: x
    env:
      A: "1"
    run: |
      a: b
steps:
- name: go
- uses: this
version: 3
"""
CODE = [
    ("a.py", PYTHON, ["", "fee", "Book", "Book.lend", "Book.lend.inner", "Book.lend", ""]),
    ("a.ts", SCRIPT, ["", "Book", "Book.lend", "fee", "pay", "Due"]),
    ("Book.java", JAVA, ["", "Book", "Book.lend"]),
    ("a.go", GO, ["", "Book", "Lend", "main"]),
    ("a.c", C, ["", "book", "lend"]),
    ("a.rs", RUST, ["", "Book", "Book", "Book.lend", "tests"]),
    ("a.rb", RUBY, ["", "M", "M.Book", "M.Book.lend!"]),
    ("a.sql", SQL, ["", "books", "lent"]),
    ("a.toml", TOML, ["", "tool.x", "tool.y"]),
    ("a.yaml", YAML, ["", "services", "services.web", "steps", ""]),
    ("a.sh", SHELL, ["", "lend", ""]),
]


@pytest.mark.parametrize(("name", "text", "expected"), CODE, ids=[name for name, _, _ in CODE])
def test_definitions_are_headings_under_those_that_hold_them(name: str, text: str, expected: list[str]) -> None:
    assert paths(read(text, name)) == expected


@pytest.mark.parametrize(("name", "text"), [case[:2] for case in CODE], ids=[name for name, _, _ in CODE])
def test_every_line_stands_in_the_text_once_and_as_it_is(name: str, text: str) -> None:
    document = read(text, name)
    canonical = document.canonical
    written = [
        line for block in canonical.blocks if not block.level for line in canonical.text[block.start : block.end].split("\n")
    ]
    assert [line.strip() for line in written] == [line.strip() for line in text.splitlines() if line.strip()]
    for run in canonical.runs:
        assert text[run.index : run.index + run.length] == canonical.text[run.start : run.start + run.length]


def test_lines_behind_a_definition_belong_to_what_holds_it() -> None:
    document = read(PYTHON, "lib/a.py")
    assert path_of(document, "print(fee(2))") == "a.py"
    assert path_of(document, "RATE = 3") == "a.py"
    assert path_of(document, "# Counts what is due.") == "a.py.fee"
    assert path_of(document, "return inner") == "a.py.Book.lend"


def test_aliases_of_yaml_are_text_and_never_expanded() -> None:
    bomb = "a: &a [x, x]\n" + "".join(f"b{n}: &b{n} [*a, *a, *a]\n" for n in range(50))
    assert len(read(bomb, "bomb.yaml").canonical.text) < 2 * len(bomb)


@pytest.mark.parametrize("name", ["a.py", "a.yaml", "a.ts", "a.java", "a.c", "a.rs", "a.sql", "a.toml"])
@pytest.mark.parametrize(
    "line", ["a " * 190, "a<" * 190, "(" * 390, "public " * 50, "@a(" * 120, "x" * 4000, "[" * 300, "\t" * 5000]
)
def test_odd_lines_take_no_time(name: str, line: str) -> None:
    assert read("\n".join([line] * 200) + "\nend", name).canonical.text
