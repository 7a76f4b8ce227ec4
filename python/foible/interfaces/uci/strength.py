"""`UCI_LimitStrength`: which human-like net plays at a rating."""

import re
from typing import Final, Literal

from foible.errors import FoibleError
from foible.interfaces.uci.protocol import Send, described
from foible.nets import Evaluator, KnownNet, Precision, Runtime, known_nets, open_net
from foible.nets.catalogue import MATERIAL

_HUMAN: Final = re.compile(r"maia-(\d{3,4})", re.ASCII)


def ratings() -> list[int]:
    """Ratings for which there are human nets, on this machine or to be fetched."""
    return sorted(_humans())


def open_human(
    elo: int, send: Send, *, runtime: Runtime | Literal["auto"], precision: Precision, threads: int
) -> Evaluator:
    """The human net nearest to a rating; where it cannot be had, the nearest that lies on this machine.

    Where there is none at all the built-in evaluator stands in, and an `info string` says so.
    """
    humans = sorted(_humans().items(), key=lambda human: (abs(human[0] - elo), human[0]))
    for number, (rating, net) in enumerate(humans):
        if number > 0 and net.path is None:
            continue  # What could not be fetched once is not tried again and again.
        try:
            evaluator = open_net(net.name, runtime=runtime, precision=precision, threads=threads)
        except FoibleError as error:
            send(f"info string {described(error)}")
            continue
        send(f"info string UCI_Elo {elo}: plays as {evaluator.name}, rating {rating}, one node per move")
        return evaluator
    send(
        f"info string UCI_Elo {elo}: no human net is to be had (see FOIBLE_NETS); the built-in evaluator plays instead"
    )
    return open_net(MATERIAL)


def _humans() -> dict[int, KnownNet]:
    matches = ((_HUMAN.fullmatch(net.name), net) for net in known_nets())
    return {int(match[1]): net for match, net in matches if match}
