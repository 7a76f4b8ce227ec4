"""What notebooks show."""

from xml.etree import ElementTree

import foible
from foible.games.pictures import go_svg
from foible.nets.evaluator import Material


def test_a_chess_position_shows_its_board_and_last_move() -> None:
    picture = foible.ChessPosition(moves=["e2e4", "e7e5"])._repr_svg_()  # type: ignore[attr-defined]
    root = ElementTree.fromstring(picture)
    assert root.tag.endswith("svg")
    assert "lastmove" in picture


def test_a_go_position_shows_its_stones_and_the_last_one() -> None:
    position = foible.GoPosition(7, ["D4", "C3", "pass"])
    stones = [c for c in ElementTree.fromstring(go_svg(position)).iter() if c.get("stroke") == "#111"]
    assert sorted(stone.get("fill") or "" for stone in stones) == ["#111", "#fff"]
    marked = go_svg(position.play("E5"))
    assert marked.count('stroke="#c33"') == 1
    assert 'stroke="#c33"' not in go_svg(position)
    assert position._repr_svg_() == go_svg(position)  # type: ignore[attr-defined]


def test_a_search_shows_the_moves_that_it_visited() -> None:
    found = foible.wait(foible.Trees([Material()]).search(foible.ChessPosition(), 10))
    page = found._repr_html_()  # type: ignore[attr-defined]
    ElementTree.fromstring(page)
    assert page.count("<tr>") == 1 + sum(move.n > 0 for move in found.moves)
