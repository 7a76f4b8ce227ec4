"""Trees of games of Go, kept from move to move."""

import asyncio
from collections.abc import Sequence

import pytest

from foible import Batch, Bonus, GoPosition
from foible.agents.base import Decision
from foible.interfaces.web.go_trees import MOST_TREES, GoTrees
from foible.loop import wait
from foible.nets import Evaluation, open_net
from foible.nets.go.evaluator import GoRuntimeNet
from tests.interfaces.web.site import Site

VISITS = 60


class Counting:
    """A net that counts the positions that it is asked for."""

    def __init__(self, net: GoRuntimeNet) -> None:
        self._net, self.asked = net, 0
        self.name, self.batch_size = net.name, net.batch_size

    def evaluate(self, batch: Batch) -> Evaluation:
        self.asked += len(batch)
        return self._net.evaluate(batch)


@pytest.fixture
def net() -> Counting:
    found = open_net("go-5x5")
    assert isinstance(found, GoRuntimeNet)
    return Counting(found)


def chosen(
    trees: GoTrees, net: Counting, moves: Sequence[str], visits: int = VISITS, *, tree: str = "t", mu: float = 0
) -> tuple[Decision, int]:
    """What is played, and how many evaluations that took."""
    before = net.asked
    found = wait(trees.choose(tree, net, Bonus(0.5, mu), GoPosition(5, moves, komi=24.5), visits))
    return found, net.asked - before


def opened(*names: str) -> GoTrees:
    trees = GoTrees()
    for name in names:
        trees.open(name)
    return trees


def test_what_was_searched_below_the_moves_played_is_kept(net: Counting) -> None:
    trees = opened("t")
    first, all_of_it = chosen(trees, net, ["C3"], 200)
    reply = max(chosen(opened(), net, ["C3", first.move])[0].policy or {}, key=lambda move: move != "pass")
    second, less = chosen(trees, net, ["C3", first.move, reply], 200)
    assert second.info["nodes"] == 200
    assert 0 < less < all_of_it


@pytest.mark.parametrize(
    ("then", "visits", "mu"),
    [
        (["C3"], VISITS, 0.0),
        (["C3", "B3", "pass"], VISITS, 0.0),
        (["A1"], VISITS, 0.0),
        (["C3", "B2"], VISITS // 6, 0.0),
        (["C3", "B2"], VISITS, 0.25),
    ],
    ids=["taken back", "another line", "another game", "fewer visits", "another mu"],
)
def test_where_the_tree_is_of_no_use_the_answer_is_that_of_a_new_one(
    net: Counting, then: list[str], visits: int, mu: float
) -> None:
    trees = opened("t")
    chosen(trees, net, ["C3", "B2"])
    assert chosen(trees, net, then, visits, mu=mu)[0] == chosen(opened(), net, then, visits, mu=mu)[0]


def test_memory_is_given_back_with_the_tree(net: Counting) -> None:
    trees = opened("t")
    _, anew = chosen(trees, net, [])
    assert chosen(trees, net, [])[1] < anew
    trees.close("t")
    assert [chosen(trees, net, [])[1] for _ in range(2)] == [anew, anew]


def test_the_tree_used_longest_ago_gives_way(net: Counting) -> None:
    names = [str(number) for number in range(MOST_TREES + 1)]
    trees = opened(*names)
    for tree in [*names[:-1], names[0], names[-1]]:
        _, anew = chosen(trees, net, [], 2, tree=tree)
    for kept in [*names[2:-1], names[0], names[-1]]:
        assert chosen(trees, net, [], 2, tree=kept)[1] < anew
    assert chosen(trees, net, [], 2, tree=names[1])[1] == anew


def test_a_search_that_nobody_waits_for_leaves_nothing(net: Counting) -> None:
    trees = opened("t")

    async def leave() -> None:
        search = asyncio.ensure_future(trees.choose("t", net, Bonus(0.5), GoPosition(5, komi=24.5), 10_000))
        await asyncio.sleep(0)
        search.cancel()
        await asyncio.gather(search, return_exceptions=True)

    wait(leave())
    assert chosen(trees, net, []) == chosen(opened(), net, [])


def test_a_page_has_its_tree_while_it_is_open(site: Site) -> None:
    line = {"size": 5, "komi": 24.5, "rules": "chinese", "moves": ["C3"]}
    with site.page() as talk:
        seat = talk.begin("go_tree")
        tree = talk.receive()["reply"]["tree"]
        fields = {"aim": {"net": "go-5x5"}, "visits": VISITS, "tree": tree}
        (first,) = talk.ask("go_move", line=line, **fields)
        line["moves"] = ["C3", first["move"], "pass"]
        (second,) = talk.ask("go_move", line=line, **fields)
        assert second["visits"] == VISITS
        talk.send({"do": "stop", "id": seat})
        line["moves"] = ["C3"]
        assert talk.ask("go_move", line=line, **fields) == [first]
