"""What net and search thought of a position of Go, as a comment in a game record (SAI, §8.1, end)."""

from foible._core import GoPosition, RootSummary
from foible.nets.margin import Sigmoid
from foible.search.go import winrate


def remark(*, black: Sigmoid | None, search: float, visits: int, bonus: tuple[float, float] | None = None) -> str:
    """In one line, all of it in Black's view.

    `margin=3.25 beta=0.4120 net=0.7924 search=0.7512 bonus=0.00,-2.10 visits=400`: by the net, margin after komi, beta
    and winrate; the mean winrate of the search; the bonus points of mu and lambda at this decision; visits of the root.

    :param black: what the net said; `None` of a net without margins.
    :param bonus: left out where it is `None`.
    """
    words = []
    if black is not None:
        words += [f"margin={black.margin:.2f}", f"beta={black.beta:.4f}", f"net={black.winrate():.4f}"]
    words.append(f"search={search:.4f}")
    if bonus is not None:
        words.append(f"bonus={bonus[0]:.2f},{bonus[1]:.2f}")
    return " ".join([*words, f"visits={visits}"])


def remark_on(position: GoPosition, found: RootSummary) -> str:
    """The remark on what a search found in a position."""
    black_moves, mean = position.turn == "first", winrate(found)
    search = mean if black_moves else 1 - mean
    if found.decided is None:
        return remark(black=None, search=search, visits=found.n)
    black = Sigmoid.of_black(found.decided.alpha, found.decided.beta, position.komi, black_moves)
    start, end = found.decided.interval
    bonus = (start, end) if black_moves else (-start, -end)
    return remark(black=black, search=search, visits=found.n, bonus=bonus)
