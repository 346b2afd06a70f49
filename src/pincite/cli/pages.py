"""`pincite page`: a page of a document as a picture."""

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import click

from pincite.cli.options import collection_option, json_option, with_client
from pincite.cli.render import print_json
from pincite.core.errors import ConflictError, StoreError
from pincite.ingest.naming import printable
from pincite.retrieval.pages import LEAST_WIDTH, MOST_WIDTH, USUAL_WIDTH

if TYPE_CHECKING:
    from pincite.client import Pincite
    from pincite.core.documents import Document, PagePicture


@click.command("page")
@click.argument("document")
@click.argument("number", type=click.IntRange(1))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="The file to write, by default NAME-NUMBER.png."
)
@click.option("--width", default=USUAL_WIDTH, show_default=True, type=click.IntRange(LEAST_WIDTH, MOST_WIDTH), help="Pixels.")
@click.option("--force", is_flag=True, help="Overwrite the file when it is there.")
@click.option("--version", "version_id", default="", help="The id of an earlier version (`pincite history`), as a citation has it.")
@collection_option
@json_option
def page(
    document: str, number: int, output: Path | None, width: int, force: bool, version_id: str, collection: str, as_json: bool
) -> None:
    """Draw a page of a PDF as a picture (PNG). Boxes of quotes, in points, lie on it when scaled by width / page width.

    With --version also a page of a document that was removed, by its id or path, as long as what answers cite of it is kept.
    """

    async def work(client: "Pincite") -> "tuple[Document, PagePicture]":
        row = await client.document(document, removed=bool(version_id))
        return row, await client.page_picture(row.id, number, width=width, version_id=version_id)

    row, drawn = with_client(collection, work)
    path = output or Path(f"{printable(PurePosixPath(row.path).stem) or 'page'}-{number}.png")
    try:
        with path.open("wb" if force else "xb") as file:
            file.write(drawn.png)
    except FileExistsError as error:
        raise ConflictError(f"{path} is there already. Name another file with -o, or overwrite it with --force.") from error
    except OSError as error:
        raise StoreError(f"{path} can't be written ({error.strerror}). Name another file with -o.", code="output") from error
    if as_json:
        size = {"width": drawn.width, "height": drawn.height, "page_size": [drawn.page_width, drawn.page_height]}
        print_json({"document_id": row.id, "page": number, "path": str(path), **size})
    else:
        click.echo(f"{path}  {drawn.width} × {drawn.height} pixels, {drawn.page_width:g} × {drawn.page_height:g} points")
