from pathlib import Path

import msgspec
import pytest

from foible.agents.exploit import ExploitSpec
from foible.agents.named_files import file_hashes, missing, stand_ins, with_chosen_nets
from foible.agents.spec import HandBrainSpec, NetPolicySpec, NetSearchSpec, RandomSpec, TagTeamSpec, TeamSpec, UciSpec
from foible.fields import AnyNet, FileName
from foible.judges.spec import UciJudgeSpec
from foible.nets.download import file_sha256
from foible.opponents.spec import RatingModelSpec


def hashes(**description: object) -> dict[str, str]:
    spec: msgspec.Struct = msgspec.convert(description, TeamSpec)
    return file_hashes(spec)


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "sf"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    return path


def test_programs_are_found_where_programs_are_and_their_arguments_do_not_count(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "log").touch()
    expected = {"sf": f"sha256 {file_sha256(engine)}"}
    assert hashes(kind="uci", command="sf", nodes=1) == expected
    assert hashes(kind="uci", command=["sf", str(tmp_path / "log")], nodes=1) == expected


def test_games_books_and_files_of_options_are_found_at_any_depth(engine: Path, tmp_path: Path) -> None:
    files = {name: tmp_path / name for name in ("player.pgn", "book.epd", "big.nnue")}
    for name, path in files.items():
        path.write_text(name)
    estimate = {"kind": "estimate", "book": str(files["book.epd"])}
    games = {"kind": "games", "file": str(files["player.pgn"]), "player": "A", "base": estimate}
    options = {"EvalFile": str(files["big.nnue"]), "Hash": 16}
    exploit = {
        "kind": "exploit",
        "opponent": {"kind": "mixture", "of": [games]},
        "judge": {"kind": "uci", "command": "sf", "depth": 1, "options": options},
    }
    found = hashes(kind="tag_team", senior=exploit, junior={"kind": "random"})
    assert found == {str(path): f"sha256 {file_sha256(path)}" for path in files.values()} | {
        "sf": f"sha256 {file_sha256(engine)}"
    }


def test_names_that_are_no_files_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("random", "me", "lc0-0.28"):
        (tmp_path / name).touch()
    assert hashes(kind="random", name="me") == {}
    assert hashes(kind="net_search", net="me", preset="lc0-0.28") == {}
    assert hashes(kind="uci", command="no-such-engine", nodes=1) == {}


class Coach(msgspec.Struct, frozen=True):
    """A description of somebody else's, whose keys have names of their own."""

    pupil: AnyNet
    books: dict[str, FileName]
    helpers: list[TeamSpec]
    title: str


def test_what_a_key_names_is_told_by_its_type_and_not_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "book.epd").write_text("book")
    coach = Coach(
        pupil=["no-such-net", "master"],
        books={"main": str(tmp_path / "book.epd"), "spare": "none.epd"},
        helpers=[NetSearchSpec(net=["other", "club:1500"]), UciSpec(command="no-such-sf")],
        title=str(tmp_path / "book.epd"),
    )
    assert list(file_hashes(coach)) == [str(tmp_path / "book.epd")]
    assert stand_ins(coach) == {("no-such-net", "master"), ("other", "club:1500")}
    chosen = with_chosen_nets(coach)
    assert (chosen.pupil, chosen.helpers[0]) == ("master", NetSearchSpec(net="club:1500"))
    assert missing(coach) == ["the program no-such-sf"]


def test_a_list_whose_names_would_not_be_found_is_refused() -> None:
    kind = msgspec.defstruct("Reader", [("shelf", list[FileName])])
    with pytest.raises(TypeError, match="a list of names"):
        file_hashes(kind(shelf=["book.epd"]))


def only_master(net: str) -> bool:
    return net == "master"


def test_nets_and_programs_of_all_members_are_named_once() -> None:
    team: TeamSpec = TagTeamSpec(senior=NetSearchSpec(net="maia-1900"), junior=NetPolicySpec(net="maia-1900"))
    assert missing(team, only_master) == ["the net maia-1900 (foible nets get maia-1900)"]
    team = HandBrainSpec(brain=UciSpec(command="no-such-sf"), hand=NetPolicySpec(net="mine"))
    assert missing(team, only_master) == ["the program no-such-sf", "the net mine"]


def test_what_is_at_hand_is_not_named() -> None:
    assert missing(NetSearchSpec(net=["maia-1900", "master"])) == []
    assert missing(UciSpec(command=["sh", "-c", "exit"])) == []
    assert missing(RandomSpec()) == []


def test_models_and_judges_need_theirs() -> None:
    trapper = ExploitSpec(
        opponent=RatingModelSpec(rating=1500, nets={"1500": "maia-1500"}),
        judge=UciJudgeSpec(command="no-such-sf", nodes=1),
    )
    assert missing(trapper, only_master) == [
        "the net maia-1500 (foible nets get maia-1500)",
        "the program no-such-sf",
    ]


def test_a_net_that_cannot_be_is_told() -> None:
    (told,) = missing(NetPolicySpec(net="club:9"))
    assert "1000 to 2000" in told
