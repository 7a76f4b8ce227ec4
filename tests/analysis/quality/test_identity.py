from pathlib import Path

import msgspec
import pytest

from foible.agents.spec import NetSearchSpec, UciSpec
from foible.analysis.quality.identity import folder_name, identity
from foible.nets.shelf import BorrowedShelf, NetShelf


def test_what_changes_no_answer_does_not_count() -> None:
    one = identity(UciSpec(command="sf", depth=3, name="A", processes=4, hang_after=3.0), {})
    assert one == identity(UciSpec(command="sf", depth=3, name="B"), {})
    assert one != identity(UciSpec(command="sf", depth=4), {})


def test_another_program_of_the_same_name_is_another_engine(tmp_path: Path) -> None:
    engine, found = tmp_path / "engine", []
    for text in ("#!/bin/sh\n", "#!/bin/sh\nexit\n"):
        engine.write_text(text)
        engine.chmod(0o755)
        found.append(identity(UciSpec(command=[str(engine), "--quiet"], depth=1), {})["files"])
    assert found[0].keys() == found[1].keys() == {str(engine)}
    assert found[0] != found[1]


class Prepared(msgspec.Struct):
    """A player made from a file of games."""

    file: str


def test_other_games_in_a_file_make_another_player(tmp_path: Path) -> None:
    path, found = tmp_path / "player.pgn", []
    for text in ("1. e4 *", "1. d4 *"):
        path.write_text(text)
        found.append(identity(Prepared(str(path)), {}))
    assert found[0] != found[1]


def test_nets_count_with_what_runs_them_and_only_those_that_were_taken() -> None:
    shelf = NetShelf()
    evaluator = shelf.evaluator("material")
    taken = BorrowedShelf(shelf)
    assert taken.resolved() == {}
    assert taken.evaluator(["material"]) is evaluator
    assert taken.resolved() == shelf.resolved() == {"material": evaluator.name}
    about = identity(NetSearchSpec(net="material"), taken.resolved())
    assert about["nets"] == {"material": evaluator.name}


@pytest.mark.parametrize(
    ("name", "start"),
    [("maia-1900 at 100 nodes", "maia-1900-at-100-nodes-"), ("../ä/..", "unnamed-"), ("x" * 200, "x" * 60 + "-")],
)
def test_folders_have_plain_names(name: str, start: str) -> None:
    folder = folder_name(name, {"a": 1})
    assert folder.startswith(start)
    assert len(folder) == len(start) + 8
    assert folder != folder_name(name, {"a": 2})
