"""What is kept between two fetches, and the times for which it is complete."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from foible.opponents.sites.games_cache import GamesCache, SiteGame, write_games

GAME = SiteGame("a", 5, True, "blitz", '[White "ä"]\n\n1. e4 *')
MOMENTS = st.integers(0, 30)


def test_what_was_saved_is_read(tmp_path: Path) -> None:
    cache = GamesCache(tmp_path / "folder" / "x.json")
    assert (cache.add(GAME), cache.add(GAME)) == (True, False)
    cache.cover(3, 9)
    cache.mark("2024/05", "etag")
    cache.save()
    found = GamesCache.read(cache.path)
    assert found.games == {"a": GAME}
    assert found.marks == {"2024/05": "etag"}
    assert found.covers(4, 9)
    assert not found.covers(4, 10)


def test_only_changes_are_written(tmp_path: Path) -> None:
    cache = GamesCache(tmp_path / "x.json")
    cache.save()
    cache.mark("2024/05", None)
    cache.cover(4, 4)
    cache.save()
    assert not cache.path.exists()
    cache.add(GAME)
    cache.save(at_least=2)
    assert not cache.path.exists()
    cache.cover(1, 2)
    cache.save(at_least=2)
    assert cache.path.exists()


@pytest.mark.parametrize("content", [b"", b"{}", b'{"games": 3}', b"\xff", b'{"games":[],"covered":[],"marks":{}'])
def test_a_file_of_another_kind_counts_as_none(
    tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "x.json").write_bytes(content)
    assert GamesCache.read(tmp_path / "x.json").games == {}
    assert "fetched anew" in caplog.text


def test_nothing_is_asked_for_twice_and_nothing_left_out_where_one_span_is_there() -> None:
    cache = GamesCache(Path("x"))
    cache.cover(10, 20)
    assert cache.gaps(0) == [(20, None), (0, 10)]
    assert cache.gaps(10) == cache.gaps(15) == [(20, None)]
    assert cache.gaps(20) == [(20, None)]
    assert cache.gaps(25) == [(25, None)]


@given(st.lists(st.tuples(MOMENTS, MOMENTS)), MOMENTS)
def test_gaps_and_what_is_covered_make_up_all_time(spans: list[tuple[int, int]], since: int) -> None:
    cache = GamesCache(Path("x"))
    for begin, end in spans:
        cache.cover(begin, end)
    # By intervals between two whole moments: those are either covered or not.
    covered = {moment for begin, end in spans for moment in range(begin, end)}
    asked = [set(range(begin, 40 if end is None else end)) for begin, end in cache.gaps(since)]
    assert set().union(*asked) == set(range(since, 40)) - covered
    assert sum(map(len, asked)) == len(set().union(*asked))
    assert asked == sorted(asked, key=min, reverse=True)
    for begin in range(30):
        assert cache.covers(begin, begin + 1) == (begin in covered)


def test_a_file_of_games_is_replaced_as_a_whole(tmp_path: Path) -> None:
    write_games(tmp_path / "x.pgn", [GAME, GAME])
    write_games(tmp_path / "x.pgn", [GAME])
    assert (tmp_path / "x.pgn").read_text("utf-8") == '[White "ä"]\n\n1. e4 *\n\n\n'
    assert [path.name for path in tmp_path.iterdir()] == ["x.pgn"]
