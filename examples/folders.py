"""A folder in step: what is new, changed, moved or gone there is so in the collection too, and nothing else is touched."""

import tempfile
from pathlib import Path

from pincite import Pincite

with tempfile.TemporaryDirectory() as name, Pincite.sync(collection="example") as pincite:
    folder = Path(name) / "contracts"
    folder.mkdir()
    for party in ("Acme", "Birch", "Cedar"):
        (folder / f"{party}.md").write_text(f"# Lease with {party}\n\nNotice is sixty days.\n")
    print(pincite.sync_folders(folder).as_dict()["added"])

    (folder / "Acme.md").write_text("# Lease with Acme\n\nNotice is ninety days.\n")
    (folder / "Birch.md").rename(folder / "Birch, ended.md")
    for change in pincite.sync_folders(folder).changes:
        print(change.outcome, change.moved_from, change.path)

    (folder / "Cedar.md").unlink()
    print(pincite.sync_folders(folder, dry_run=True).as_dict()["removed"])
    print(pincite.sync_folders(folder).unchanged)
