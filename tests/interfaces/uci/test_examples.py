"""The example configurations do what they say, read as the programs that they are for read them."""

import random
import re
from pathlib import Path
from typing import Any

import chess
import chess.engine
import pytest

from foible._core import ChessPosition
from foible.games.odds import ODDS, odds_fen
from foible.interfaces.uci.options import BUILT_IN, Settings, change, options
from foible.interfaces.uci.personalities import choose_personality, parse_personalities, read_personalities
from tests.interfaces.uci.program import COMMAND, environment

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples" / "engines"
PERSONALITIES = EXAMPLES / "personalities.toml"
GUIDE = (ROOT / "docs" / "engines.md").read_text("utf-8")


@pytest.fixture(scope="module")
def lichess_bot() -> Any:
    yaml = pytest.importorskip("yaml", reason="needs PyYAML, which lichess-bot reads its configuration with")
    text = (EXAMPLES / "lichess-bot.yml").read_text("utf-8").replace("/path/to/foible", str(ROOT))
    return yaml.safe_load(text)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_every_file_of_personalities_is_valid(path: Path) -> None:
    assert read_personalities(path)


def test_the_guide_shows_personalities_that_are_valid_and_options_that_there_are() -> None:
    for text in re.findall(r"```toml\n(.*?)```", GUIDE, re.DOTALL):
        assert len(parse_personalities(text, "the guide")) == 2
    named = re.findall(
        r"`(\w+)`", "".join(re.findall(r"^\| (`.*?) \|", GUIDE.partition("## Personalities")[0], re.MULTILINE))
    )
    assert len(named) > 15
    assert set(named) - {"WeightsFile"} <= {option.name for option in options()}
    for name in BUILT_IN:
        assert f"| `{name}` |" in GUIDE


@pytest.mark.parametrize(
    ("fen", "opponent", "expected"),
    [
        (odds_fen(ODDS["queen"], chess.WHITE), "none 1500 human X", "queen-odds"),
        (odds_fen(ODDS["knight"], chess.WHITE), "none 1500 human X", "small-odds"),
        (chess.STARTING_FEN, "BOT 1500 computer X", "plain"),
        (chess.STARTING_FEN, "none 1100 human X", "human"),
        (chess.STARTING_FEN, "none 1500 human X", "trapper"),
        (chess.STARTING_FEN, "GM 2700 human X", "none"),
        (chess.STARTING_FEN, "<empty>", "none"),
    ],
)
def test_the_example_chooses_by_start_position_and_rating(fen: str, opponent: str, expected: str) -> None:
    settings = change(Settings(threads=1), "UCI_Opponent", opponent)
    assert choose_personality(read_personalities(PERSONALITIES), settings, ChessPosition(fen)).name == expected


def test_lichess_bot_finds_what_it_requires(lichess_bot: Any) -> None:
    assert isinstance(lichess_bot["token"], str)
    assert isinstance(lichess_bot["url"], str)
    assert isinstance(lichess_bot["challenge"]["variants"], list)
    engine = lichess_bot["engine"]
    assert engine["protocol"] == "uci"
    assert Path(engine["working_dir"]).is_dir()
    assert (engine["dir"], engine["name"]) == (str(ROOT / ".venv/bin"), "foible-uci")
    settings = Settings()
    for name, value in engine["uci_options"].items():
        assert name in {option.name for option in options()}
        settings = change(settings, name, str(value))
    assert settings != Settings()


@pytest.mark.parametrize(
    ("rating", "fen", "expected"),
    [
        (1100, chess.STARTING_FEN, "personality human (the opponent is rated 1100)"),
        (
            1500,
            odds_fen(ODDS["queen"], chess.WHITE),
            "personality queen-odds (the start position lacks the white queen)",
        ),
    ],
)
def test_lichess_bot_starts_the_engine_and_gets_the_personality(
    lichess_bot: Any, rating: int, fen: str, expected: str, tmp_path: Path
) -> None:
    config = lichess_bot["engine"]
    arguments = [
        f"--{name}={'material' if name == 'net' else value}" for name, value in config["engine_options"].items()
    ]
    opponent = chess.engine.Opponent("X", None, rating, False)
    where = {"cwd": config["working_dir"], "env": environment(tmp_path)}
    with chess.engine.SimpleEngine.popen_uci([*COMMAND, *arguments], timeout=300, **where) as engine:
        engine.configure({**config["uci_options"], "Threads": 1, "Precision": "f32", "Backend": "onnxruntime"})
        engine.send_opponent_information(opponent=opponent)
        board, heard = chess.Board(fen), []
        with engine.analysis(board, chess.engine.Limit(nodes=5)) as analysis:
            heard += [info.get("string", "") for info in analysis]
        assert expected in heard
        board.push(random.Random(1).choice(list(board.legal_moves)))
        assert engine.play(board, chess.engine.Limit(nodes=5)).move in list(board.legal_moves)
