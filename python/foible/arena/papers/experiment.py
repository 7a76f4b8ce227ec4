"""The type of an experiment of a paper, and the players that several experiments share."""

from dataclasses import dataclass
from typing import Any, Literal

from foible.nets.catalogue import ATTUNED, TUNED

Table = dict[str, Any]


Quantity = Literal["share", "decided", "plies as White", "plies as Black"]
"""`share`: the focal team's share of the points, percent. `decided`: games that were no draws, percent. `plies as …`:
mean length of the games that the focal team won with a colour.
"""


@dataclass(frozen=True, slots=True)
class Published:
    """A figure of a paper."""

    value: float
    standard_error: float | None = None
    """The standard error, where the paper has it."""
    quantity: Quantity = "share"

    def __str__(self) -> str:
        error = "" if self.standard_error is None else f" ± {self.standard_error:g}"
        value = f"{self.value:g}{error}"
        return value if self.quantity == "share" else f"{value} {self.quantity}"


@dataclass(frozen=True, slots=True)
class Experiment:
    """A match and what was published of it."""

    source: str
    """Where it stands in the paper; `ours` where it does not."""
    what: str
    published: tuple[Published, ...]
    config: Table
    quantity: Quantity = "share"
    """The quantity that the experiment measures where nothing was published."""


def share(value: float, standard_error: float) -> tuple[Published, ...]:
    return (Published(value, standard_error),)


LEELA_NET = ["maia-1900", "master"]
"""The nets that may play LEELA: the first that is on this machine does."""


def attuned_net(framework: str, junior: int | str, plies: str = "all") -> str:
    """The name of LEELA's net when it is attuned to a junior, the level of a Maia or `sfw`: `foible papers run` makes
    it; for other matches `foible attune` does, and it is put under this name into a folder of one's own nets.
    """
    return f"{ATTUNED}{framework}-{junior}" + (f"-{plies}" if plies != "all" else "")


PLAYER = "jishanshaikh4"
"""The account of table 10's stand-in, whose median rating is 1845: 17 178 games of it are in a public collection."""
PLAYER_NET = f"{TUNED}{PLAYER}"
"""The net of this player: `foible papers run` makes it as well."""


def maia(level: int) -> list[str]:
    return [f"maia-{level}", f"club:{level}"]


def maia_model(level: int) -> Table:
    return {"kind": "net", "net": maia(level)}


def maia_player(level: int, temperature: float = 0.0) -> Table:
    return {"kind": "net_policy", "name": "MAIA", "net": maia(level), "temperature": temperature}
