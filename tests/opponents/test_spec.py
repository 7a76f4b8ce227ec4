"""Models as people write them down."""

import tomllib
from pathlib import Path

import msgspec
import numpy as np
import pytest

from foible._core import ChessPosition
from foible.errors import ConfigError, FoibleError
from foible.loop import wait
from foible.nets.shelf import NetShelf
from foible.opponents.spec import (
    EstimateModelSpec,
    FloorModelSpec,
    MixtureModelSpec,
    ModelSpec,
    NetModelSpec,
    RatingModelSpec,
    SearchModelSpec,
    parse_model,
)
from tests.shared_data import shared

NESTED = (
    '{kind="mixture", weights=[1, 3], of=[{kind="floor", of={kind="net", net=["no-such-net", "material"]}},'
    ' {kind="floor", epsilon=0.5, of={kind="mixture", of=[{kind="net", net="material", temperature=2.0}]}}]}'
)


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("maia-1500", NetModelSpec(net="maia-1500")),
        (" nets/mine.pb.gz ", NetModelSpec(net="nets/mine.pb.gz")),
        ("master@28", SearchModelSpec(net="master", visits=28)),
        ('{kind="net_search", net="master", temperature=1.5}', SearchModelSpec(net="master", temperature=1.5)),
        ("1537", RatingModelSpec(rating=1537)),
        ("1537.5", RatingModelSpec(rating=1537.5)),
        ('{kind="rating", rating=1200}', RatingModelSpec(rating=1200)),
        ('{kind="estimate", tau=1.0}', EstimateModelSpec(tau=1)),
        (
            '{kind="estimate", nets={1100="a", 1900=["b", "c"]}}',
            EstimateModelSpec(nets={"1100": "a", "1900": ["b", "c"]}),
        ),
        (
            '{kind="floor", of={kind="mixture", of=[{kind="net", net="x"}]}}',
            FloorModelSpec(of=MixtureModelSpec(of=[NetModelSpec(net="x")])),
        ),
    ],
)
def test_a_model_is_a_net_a_rating_or_a_table(text: str, spec: ModelSpec) -> None:
    assert parse_model(text) == spec


def test_a_model_may_stand_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "model.toml"
    file.write_text('kind = "floor"\nepsilon = 0.1\n[of]\nkind = "rating"\nrating = 1650\n')
    assert parse_model(str(file)) == FloorModelSpec(of=RatingModelSpec(rating=1650), epsilon=0.1)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ["empty model"]),
        ("master@0", ["model 'master@0'", "(master@28)"]),
        ("stockfish", ["model 'stockfish'", '{kind = "engine", command = "stockfish"']),
        ("uci:stockfish:depth=8", ["model 'uci:stockfish:depth=8'", '{kind = "engine", command = "stockfish"']),
        ('{kind="net_search", net="master", visits=0}', ["visits = 0: "]),
        ("{kind=", ["model '{kind=", "not TOML"]),
        ('{kind=\n"net"}', ["model '{kind=\\n", "not TOML"]),
        ('{kind="engines"}', ['kind = "engines": near is engine']),
        ('{net="maia-1100"}', ["kind"]),
        ('{kind="mixture", of=[{kind="net", net="a"}, {kind="net"}]}', ["of[1].net is missing"]),
        ('{kind="mixture", of=[]}', ["of: expected a list that is not empty"]),
        ('{kind="floor", of={kind="rating", rating="x"}}', ['of.rating = "x": expected a number']),
        ('{kind="floor", of={kind="rating", rating=1500}, epsilon=2}', ["epsilon = 2: "]),
        ('{kind="estimate", tua=1}', ["tua"]),
        ('{kind="estimate", nets={low="a"}}', ["a key of nets: expected text that matches"]),
        ("99999", ["rating = 99999.0: expected a number, at most 5000"]),
        ("none.toml", ["none.toml", "no such file"]),
        ("{a=" * 3000, ["nested too deep"]),
    ],
)
def test_what_is_wrong_is_said_in_one_line_with_its_place(text: str, parts: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_model(text)
    assert "\n" not in str(caught.value)
    assert [part for part in parts if part not in str(caught.value)] == []


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    file = tmp_path / "model.toml"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="not UTF-8"):
        parse_model(str(file))


def test_specs_survive_being_written_and_read_again() -> None:
    spec = parse_model(NESTED)
    assert msgspec.convert(msgspec.to_builtins(spec), ModelSpec) == spec
    assert msgspec.convert(tomllib.loads(f"x = {NESTED}")["x"], ModelSpec) == spec


def test_nested_models_are_built_whole_and_name_themselves() -> None:
    model = parse_model(NESTED).build(NetShelf())
    position = ChessPosition(moves=["e4", "d5"])
    [found] = wait(model.predict([position]))
    [sharp] = wait(NetModelSpec(net="material").build(NetShelf()).predict([position]))
    [soft] = wait(NetModelSpec(net="material", temperature=2).build(NetShelf()).predict([position]))
    n = len(sharp)
    assert found == pytest.approx(0.25 * (0.98 * sharp + 0.02 / n) + 0.75 * (0.5 * soft + 0.5 / n), abs=1e-12)
    assert model.name == "material with floor 0.02 + material with floor 0.5"
    assert FloorModelSpec(of=NetModelSpec(net="material"), name="me").build(NetShelf()).name == "me"


def test_a_missing_net_and_a_wrong_number_of_weights_are_named() -> None:
    with pytest.raises(FoibleError, match="no-such-net"):
        parse_model("no-such-net").build(NetShelf())
    with pytest.raises(ConfigError, match="2 weights for 1 models"):
        parse_model('{kind="mixture", of=[{kind="net", net="material"}], weights=[1, 2]}').build(NetShelf())


def test_a_rating_lies_between_the_nets_of_its_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOIBLE_NETS", str(shared("nets")))
    shelf, position = NetShelf(), ChessPosition(moves=["e4", "e5"])

    def predict(text: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return wait(parse_model(text).build(shelf).predict([position]))[0]

    low, high = predict("maia-1500"), predict("maia-1600")
    assert predict("1525") == pytest.approx(0.75 * low + 0.25 * high, abs=1e-12)
    assert predict("1500") == pytest.approx(low, abs=1e-15)
    assert predict("3000") == pytest.approx(predict("club:2000"), abs=1e-15)
    assert parse_model("3000").build(shelf).name == "rating 3000 (as 2000)"
    assert predict('{kind="rating", rating=1550, nets={1500="maia-1600", 1600="maia-1500"}}') == pytest.approx(
        predict("1550"), abs=1e-12
    )
    assert set(shelf.resolved()) == {"maia-1500", "maia-1600", "club:2000"}


def test_a_rating_without_maia_is_the_club_net_at_that_rating(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOIBLE_NETS", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shelf, position = NetShelf(), ChessPosition(moves=["e4", "e5"])
    for text, net in (("1537", "club:1537"), ("800", "club:1000"), ("2600.5", "club:2000")):
        [found] = wait(parse_model(text).build(shelf).predict([position]))
        [expected] = wait(parse_model(net).build(shelf).predict([position]))
        assert found == pytest.approx(expected, abs=1e-15)
    assert set(shelf.resolved()) == {"club:1537", "club:1000", "club:2000"}
    assert parse_model("2600").build(shelf).name == "rating 2600 (as 2000)"
    assert parse_model("1500").build(shelf).name == "club:1500"
    estimate = EstimateModelSpec().build(shelf)
    assert list(estimate.levels) == list(range(1000, 2001, 100))


def test_a_book_of_an_estimate_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = '{{kind="estimate", nets={{1100="material"}}, book="{}"}}'
    with pytest.raises(FoibleError, match="no such file"):
        parse_model(table.format(tmp_path / "none.epd")).build(NetShelf())
    (tmp_path / "book.epd").write_text("8/8/8/4k3/8/8/4K2R/8 w - -\n")
    model = parse_model(table.format(tmp_path / "book.epd")).build(NetShelf())
    assert wait(model.predict([ChessPosition()]))[0].sum() == pytest.approx(1)


def test_models_of_one_level_know_it() -> None:
    assert parse_model("maia-1300").level == 1300
    assert parse_model("some/folder/maia-1300.pb.gz").level == 1300
    assert parse_model('{kind="floor", of={kind="rating", rating=1537}}').level == 1537
    assert parse_model("club:1300").level == 1300
    assert parse_model("club").level is None
    assert parse_model("material").level is None
    assert parse_model('{kind="estimate"}').level is None


def test_files_may_lie_in_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    (tmp_path / "games.pgn").write_text('[White "Jane"]\n[Black "Joe"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n')
    (tmp_path / "book.epd").write_text("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n")
    for model, name in (
        ('{kind = "games", file = "~/games.pgn", player = "jane", base = {kind = "net", net = "material"}}', "Jane"),
        ('{kind = "estimate", book = "~/book.epd", nets = {1100 = "material"}}', "estimate"),
    ):
        assert name in parse_model(model).build(NetShelf()).name
