"""What happens to files: a bit flips, the end is lost, all of it, or the file itself."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from hypothesis import strategies as st

from foible.errors import FoibleError

T = TypeVar("T")
Damage = tuple[str, Callable[[bytes], bytes | None]]
"""Of a file: its name, and what becomes of its content; `None`: it is gone."""


@st.composite
def damages(draw: st.DrawFn, files: Sequence[str]) -> Damage:
    """Some damage to one of the files."""
    name = draw(st.sampled_from(list(files)))
    where, bit = draw(st.floats(0, 1, exclude_max=True)), draw(st.integers(0, 7))
    how = draw(st.sampled_from(["flipped", "flipped", "flipped", "cut", "emptied", "deleted"]))

    def damage(content: bytes) -> bytes | None:
        place = int(where * len(content))
        if how == "flipped":
            return content[:place] + bytes([content[place] ^ 1 << bit]) + content[place + 1 :]
        return {"cut": content[:place], "emptied": b"", "deleted": None}[how]

    return name, damage


def is_found(run: Path, folder: Path, damage: Damage, opened: Callable[[Path], T]) -> None:
    """Whether a damaged copy of a run is either as it was, or refused in a line that names what lies in the folder.

    `opened`: gives all that a folder holds.
    """
    shutil.copytree(run, folder)
    name, change = damage
    content = change((folder / name).read_bytes())
    if content is None:
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(content)
    refused, found = "", None
    try:
        found = opened(folder)
    except FoibleError as error:
        refused = str(error)
    if refused:
        assert str(folder) in refused
        assert "\n" not in refused
    else:
        assert found == opened(run)
