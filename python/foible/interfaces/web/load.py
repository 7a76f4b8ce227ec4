"""What a page asks of the server itself: what its nets have done for all pages together."""

from collections.abc import AsyncGenerator

from foible.interfaces.web.asking import Question, Reply
from foible.interfaces.web.house import House
from foible.search.floor import floor


class NetLoad(Reply, frozen=True, kw_only=True):
    """What one net has done since the server began."""

    name: str
    evaluations: int
    batches: int
    """Calls of the net."""
    mean_batch: float
    """Evaluations in a call."""
    seconds: float
    """In which it computed."""


class LoadOf(Reply, frozen=True, kw_only=True):
    """What the nets have done since the server began."""

    nets: list[NetLoad]


class Load(Question, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="load"):
    """What the nets have done since the server began."""

    async def answer(self, house: House) -> AsyncGenerator[LoadOf, None]:
        yield LoadOf(
            nets=[
                NetLoad(
                    name=name,
                    evaluations=usage.evaluations,
                    batches=usage.batches,
                    mean_batch=usage.mean_batch,
                    seconds=usage.busy,
                )
                for name, usage in floor().usage.items()
                if usage.batches
            ]
        )
