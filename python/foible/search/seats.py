"""Who owns the plies of an ordinary search."""

from foible._core import FreezeAfter, Seat
from foible.search.params import SearchParams


def seats(params: SearchParams) -> tuple[Seat, Seat]:
    """The seats of the side to move at the root and of the other side, for a search with one evaluator.

    One and the same seat without contempt: then a tree may be kept after any move, else only after an even number.
    """
    ordinary = Seat()
    if params.contempt_visits is None:
        return ordinary, ordinary
    freeze = FreezeAfter(
        params.contempt_visits,
        draw=params.contempt_draw,
        temperature=params.contempt_temperature,
        at=params.contempt_freeze_at,
    )
    return ordinary, Seat(freeze)
