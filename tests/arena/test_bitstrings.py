"""The coins of tag team."""

import gzip
import hashlib
from collections import Counter
from pathlib import Path

import pytest
from scipy.stats import binomtest

from foible.arena.bitstrings import Bitstrings
from foible.errors import ConfigError, GameFileError


def test_generated_coins_are_fair_and_recorded_by_their_seed() -> None:
    coins = Bitstrings.generate(3)
    assert len(coins.strings) == 5000
    assert {len(string) for string in coins.strings} == {1024}
    assert len(set(coins.strings)) == 5000
    seniors = sum(string.count("1") for string in coins.strings)
    assert binomtest(seniors, 5000 * 1024).pvalue > 0.001
    following = Counter(string[i : i + 2] for string in coins.strings[:500] for i in range(1023))
    assert binomtest(following["11"] + following["00"], sum(following.values())).pvalue > 0.001
    assert Bitstrings.generate(3).sha256 == coins.sha256 != Bitstrings.generate(4).sha256


@pytest.mark.parametrize(("seed", "count", "length"), [(-1, 1, 1), (0, 0, 1), (0, 1, 0), (0, -1, -1)])
def test_there_is_a_coin_at_least(seed: int, count: int, length: int) -> None:
    with pytest.raises(ConfigError, match=r"^coins: (seed|count|length) = -?\d: expected a whole number from [01] on$"):
        Bitstrings.generate(seed, count, length)


def test_a_file_holds_one_string_per_line(tmp_path: Path) -> None:
    coins = Bitstrings.generate(1, 3, 20)
    path = tmp_path / "bits.txt"
    path.write_text(coins.text)
    assert path.read_text().splitlines() == list(coins.strings)
    assert Bitstrings.read(path, 1) == coins
    assert coins.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("0101\n01x1\n", r"line 2: .*'01x1'"),
        ("", "no bitstring"),
        ("01\n\n10\n", "line 2"),
        ("0é\n", "line 1: only 0 and 1 make a bitstring"),
    ],
)
def test_anything_else_is_refused_by_line(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "bits.txt"
    path.write_text(content)
    with pytest.raises(GameFileError, match=message):
        Bitstrings.read(path, 0)


def test_there_are_no_more_coins_than_memory_is_for(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="100000000 bitstrings of 100000000 coins: expected at most 67,108,864"):
        Bitstrings.generate(0, 10**8, 10**8)
    path = tmp_path / "bits.txt.gz"
    path.write_bytes(gzip.compress(b"01" * (1 << 25) + b"\n", 1))
    with pytest.raises(GameFileError, match="more than 67,108,864 coins"):
        Bitstrings.read(path, 0)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(GameFileError, match=r"none\.txt"):
        Bitstrings.read(tmp_path / "none.txt", 0)


def test_both_games_of_a_pair_follow_its_string() -> None:
    coins = Bitstrings(("0110", "1001"), 0)
    for game, string in enumerate(["0110", "0110", "1001", "1001"]):
        assert [coins.senior_moves(game, ply) for ply in range(4)] == [bit == "1" for bit in string]


def test_a_string_that_ends_goes_on_reproducibly_and_is_counted() -> None:
    coins = Bitstrings(("0110", "0110"), 9)
    long = coins.of_pair(0, 300)
    assert long.startswith("0110")
    assert len(long) == 300
    assert coins.of_pair(0, 100) == long[:100]
    assert [coins.senior_moves(1, ply) for ply in range(300)] == [bit == "1" for bit in long]
    assert coins.of_pair(1, 300) != long
    assert Bitstrings(("0110",), 8).of_pair(0, 300) != long
    assert binomtest(coins.of_pair(0, 4004)[4:].count("1"), 4000).pvalue > 0.001
    assert coins.outlasted([(0, 4), (1, 5), (0, 300)]) == 2


def test_a_pair_without_a_string_is_refused() -> None:
    with pytest.raises(ConfigError, match="pair 2 has no bitstring"):
        Bitstrings(("01", "10"), 0).of_pair(2, 1)
    with pytest.raises(ConfigError, match="pair 2"):
        Bitstrings(("01", "10"), 0).senior_moves(4, 0)
