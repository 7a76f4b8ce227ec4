from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from foible._core import ChessPosition
from foible.analysis.puzzles.criterion import Looks
from foible.analysis.puzzles.mining import SEARCH, MinedPart, MiningJournal, look_at, mine
from foible.analysis.puzzles.mining_sources import SourceGame, read_games
from foible.analysis.puzzles.mining_stages import REASONS, Memory, Tools, position_key
from foible.analysis.puzzles.puzzle import Puzzle
from foible.analysis.puzzles.puzzle_table import read_table
from foible.errors import ConfigError, GameFileError
from foible.nets import open_net
from foible.runs.folder import check_folder, declare
from tests.analysis.puzzles.known import PUZZLES, QUICK, every_game, looks, pgn_game, to_solve, write_games
from tests.shared_data import shared


def tools(player: str | None = None) -> Tools:
    return Tools(looks(), QUICK, player=player)


def mine_part(games: Sequence[SourceGame], tools: Tools, memory: Memory) -> MinedPart:
    """The puzzles of some games; the memory learns from them."""
    return look_at(games, tools, memory).settled(memory.covered)


def found(games: Sequence[SourceGame], player: str | None = None) -> list[Puzzle]:
    return mine_part(games, tools(player), Memory()).puzzles


def game(theme: str, moves: str | None = None, *, white: str = "Doe", black: str = "Roe") -> SourceGame:
    fen, mistake, _ = PUZZLES[theme]
    return SourceGame("game", fen, (mistake, *(moves or "").split()), white, black)


@pytest.mark.parametrize("theme", PUZZLES)
def test_a_known_puzzle_is_found_with_its_solution_and_its_theme(theme: str) -> None:
    (puzzle,) = found([game(theme)])
    fen, mistake, line = PUZZLES[theme]
    assert (puzzle.fen, puzzle.setup) == (fen, mistake)
    assert puzzle.solution[::2] == tuple(line.split()[::2])
    assert {"mate in one": "mateIn1", "mate in two": "mateIn2"}.get(theme, theme) in puzzle.themes
    assert puzzle.before is not None
    assert puzzle.after is not None
    assert puzzle.margin is not None
    assert puzzle.after - puzzle.before >= QUICK.delta
    assert puzzle.margin >= QUICK.margin
    assert "after a mistake of" in puzzle.source


@pytest.mark.parametrize(("number", "opening"), [(19, "Italian_Game"), (20, "")])
def test_the_opening_is_named_before_move_20_alone(number: int, opening: str) -> None:
    late = game("fork")
    assert late.start_fen is not None
    start = " ".join([*late.start_fen.split()[:5], str(number)])
    (puzzle,) = found([replace(late, start_fen=start, opening="Italian_Game")])
    assert puzzle.opening == opening


def test_the_quiet_start_is_none() -> None:
    part = mine_part([SourceGame("start", None), SourceGame("open game", None, ("e2e4", "e7e5"))], tools(), Memory())
    assert part.puzzles == []
    assert part.positions == 4


def test_every_position_is_a_puzzle_or_has_a_reason_why_not(tmp_path: Path) -> None:
    games = list(read_games([write_games(tmp_path / "games.pgn", *every_game(solved=True))]))
    part = mine_part(games, tools(), Memory())
    over = sum(1 for one in games if ChessPosition(one.start_fen, one.moves).outcome() is not None)
    assert sum(part.dropped.values()) + len(part.puzzles) == part.positions
    assert part.dropped["forced"] >= over > 0
    assert set(part.dropped) <= set(REASONS)
    assert part.puzzles


def test_a_lone_position_needs_no_mistake() -> None:
    position = to_solve("fork")
    (puzzle,) = found([SourceGame("some.epd, position 1", position.fen)])
    assert (puzzle.fen, puzzle.setup, puzzle.source) == (position.fen, None, "some.epd, position 1")
    assert puzzle.solution[0] == "c3e2"


def test_the_same_position_in_two_games_is_one_puzzle() -> None:
    part = mine_part([game("fork"), game("fork", "h7h6")], tools(), Memory())
    assert len(part.puzzles) == 1
    assert part.dropped["known"] == 1


def test_the_moves_of_a_solution_that_was_played_are_no_further_puzzles() -> None:
    solved = [game(theme, line) for theme, (*_, line) in PUZZLES.items()]
    assert len(found(solved)) == len(PUZZLES)


def test_a_puzzle_of_a_player_is_what_they_missed_or_allowed() -> None:
    # Black's fork: White, Doe, allowed it; Roe found it in one game and missed it in the other.
    allowed, missed = game("fork", "c3e2 g1h1 e2c1"), game("fork", "h7h6")
    assert [p.source.partition("; ")[2] for p in found([allowed], "doe")] == ["after a mistake of Doe"]
    assert found([allowed], "roe") == []
    assert [p.source.partition("; ")[2] for p in found([missed], "roe")] == ["missed by Roe"]
    assert [p.source.partition("; ")[2] for p in found([missed])] == ["after a mistake of Doe, missed by Roe"]


def test_what_is_remembered_changes_nothing() -> None:
    openings = [SourceGame("a", None, ("e2e4", "e7e5", "d1h5")), SourceGame("b", None, ("e2e4", "e7e5", "g1f3"))]
    games = [*openings, game("fork", "h7h6"), game("fork", "c3e2 g1h1 e2c1")]
    together = mine_part(games, tools(), Memory())
    memory = Memory()
    parts = [mine_part([one], tools(), memory) for one in games]
    assert memory.verdicts
    assert [puzzle for part in parts for puzzle in part.puzzles] == together.puzzles
    assert sum((Counter(part.dropped) for part in parts), Counter()) == together.dropped
    apart = [mine_part([one], tools(), Memory()) for one in openings]
    assert [part.dropped for part in apart] == [part.dropped for part in parts[:2]]


def test_who_gave_nothing_away_made_no_mistake() -> None:
    # White is a piece down whatever it plays: the move before the puzzle lost nothing.
    strict = Tools(looks(), replace(QUICK, mistake=0.95))
    part = mine_part([game("fork")], strict, Memory())
    assert (part.puzzles, part.dropped["no mistake"]) == ([], 1)


def test_a_wider_gap_finds_no_more() -> None:
    games = [game(theme) for theme in PUZZLES]
    keys = [
        {position_key(p.position) for p in mine_part(games, Tools(looks(), replace(QUICK, delta=d)), Memory()).puzzles}
        for d in (0.15, 0.4, 0.8)
    ]
    assert keys[0] >= keys[1] >= keys[2]
    assert len(keys[0]) > len(keys[2])


def test_stopped_after_any_part_and_continued_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foible.analysis.puzzles.mining.PART", 5)
    file = write_games(tmp_path / "games.pgn", *every_game(solved=True))
    with MiningJournal(tmp_path / "whole", {}) as journal:
        mine([file], tools(), journal)
        whole = [replace_seconds(part) for part in journal.parts]
    assert len(whole) > 2

    def stop() -> None:
        raise KeyboardInterrupt

    for _ in whole:
        with MiningJournal(tmp_path / "stopped", {}) as journal, pytest.raises(KeyboardInterrupt):
            mine([file], tools(), journal, stop)
    with MiningJournal(tmp_path / "stopped", {}) as journal:
        mine([file], tools(), journal, stop)
        assert [replace_seconds(part) for part in journal.parts] == whole


def replace_seconds(part: object) -> object:
    return [getattr(part, name) for name in ("games", "positions", "dropped", "puzzles")]


def test_a_source_that_has_grown_is_read_on(tmp_path: Path) -> None:
    games = every_game()
    file = write_games(tmp_path / "games.pgn", *games[:2])
    with MiningJournal(tmp_path / "out", {}) as journal:
        mine([file], tools(), journal)
        assert len(journal.puzzles) == 2
    write_games(file, *games)
    with MiningJournal(tmp_path / "out", {}) as journal:
        mine([file], tools(), journal)
        assert len(journal.parts) == 2
        assert len(journal.puzzles) == len(games)
        mine([file], tools(), journal)
        assert len(journal.parts) == 2


def test_games_of_others_are_passed_over(tmp_path: Path) -> None:
    fen, mistake, line = PUZZLES["fork"]
    other = pgn_game(fen, f"{mistake} {line}", white="Miller, Ann", black="Smith, Bob")
    file = write_games(tmp_path / "games.pgn", *every_game(), other)
    with MiningJournal(tmp_path / "out", {}) as journal:
        mine([file], tools("Ann Miller"), journal)
        assert [puzzle.source.partition("; ")[2] for puzzle in journal.puzzles] == ["after a mistake of Miller, Ann"]
        assert len(journal.done) == 1


def test_public_puzzles_are_found_with_their_first_moves() -> None:
    public = list(read_table(shared("data/puzzles/lichess_puzzles.csv")))[:10]
    net = open_net(str(shared("nets/maia-1900.pb.gz")))
    games = [SourceGame(puzzle.id, puzzle.fen, (puzzle.setup or "",)) for puzzle in public]
    one_visit = replace(QUICK, shallow=1, nodes=200, check_nodes=200)
    ours = mine_part(games, Tools(Looks(net, SEARCH), one_visit), Memory()).puzzles
    first = {position_key(puzzle.position): puzzle.solution[0] for puzzle in public}
    known = [puzzle for puzzle in ours if position_key(puzzle.position) in first]
    assert len(known) >= 5
    right = sum(puzzle.solution[0] == first[position_key(puzzle.position)] for puzzle in known)
    assert right >= 0.95 * len(known)
    assert all(len(puzzle.solution) % 2 == 1 for puzzle in ours)
    assert len({puzzle.id for puzzle in ours}) == len(ours)


ABOUT = {"criterion": {"delta": 0.15}, "player": None}
PUZZLE = Puzzle(
    fen="8/8/7P/8/8/5k2/r7/6K1 w - - 0 1",
    setup=None,
    solution=("h6h7",),
    rating=1234,
    themes=("promotion",),
    before=0.5,
    after=0.9,
    found={"maia-1100": (0.25,)},
)
PARTS = [
    MinedPart(["a", "b"], 100, 2.0, {"quiet": 99}, [PUZZLE]),
    MinedPart(["c"], 50, 1.0, {"quiet": 48, "won": 2}, []),
]


def test_what_is_kept_is_there_again(tmp_path: Path) -> None:
    with MiningJournal(tmp_path / "out", ABOUT) as journal:
        for part in PARTS:
            journal.append(part)
    with MiningJournal(tmp_path / "out", ABOUT) as journal:
        assert journal.parts == PARTS
        assert journal.done == {"a", "b", "c"}
        assert journal.puzzles == [PUZZLE]
        assert (journal.positions, journal.seconds) == (150, 3.0)
        assert journal.dropped == {"quiet": 147, "won": 2}


def test_an_unfinished_line_is_cut_off_wherever_the_kill_came(tmp_path: Path) -> None:
    with MiningJournal(tmp_path, ABOUT) as journal:
        for part in PARTS:
            journal.append(part)
    path = tmp_path / "journal.jsonl"
    data = path.read_bytes()
    first = data.index(b"\n") + 1
    for length in range(first, len(data), 7):
        path.write_bytes(data[:length])
        (tmp_path / "finished.json").unlink()  # which is written behind the last line
        with MiningJournal(tmp_path, ABOUT) as journal:
            assert journal.parts == PARTS[:1]
            journal.append(PARTS[1])
        assert path.read_bytes() == data


def test_other_settings_need_another_folder(tmp_path: Path) -> None:
    MiningJournal(tmp_path, ABOUT).close()
    with pytest.raises(ConfigError, match=r'no player \(now "Doe"\); choose another folder'):
        MiningJournal(tmp_path, ABOUT | {"player": "Doe"})


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    declare(tmp_path, "match")
    with pytest.raises(ConfigError, match="holds a match run; choose another folder"):
        MiningJournal(tmp_path, ABOUT)


def test_a_journal_without_its_settings_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "journal.jsonl").write_text("a line\n")
    with pytest.raises(ConfigError, match=r"holds journal\.jsonl without config\.toml; choose another folder"):
        MiningJournal(tmp_path, ABOUT)


def test_no_other_run_is_written_among_puzzles(tmp_path: Path) -> None:
    MiningJournal(tmp_path, ABOUT).close()
    with pytest.raises(ConfigError, match="holds a puzzles run; choose another folder"):
        check_folder(tmp_path, "match")


def test_two_processes_do_not_share_a_folder(tmp_path: Path) -> None:
    with MiningJournal(tmp_path, ABOUT), pytest.raises(ConfigError, match="another process"):
        MiningJournal(tmp_path, ABOUT)
    MiningJournal(tmp_path, ABOUT).close()


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    MiningJournal(tmp_path, ABOUT).close()
    (tmp_path / "journal.jsonl").write_text('{"games": 3}\n')
    with pytest.raises(GameFileError, match=r"journal\.jsonl, line 1"):
        MiningJournal(tmp_path, ABOUT)
    (tmp_path / "journal.jsonl").unlink()
    MiningJournal(tmp_path, ABOUT).close()
