"""Questions on nets: list them, describe one, fetch a public one, and report how much they have computed."""

import asyncio
import threading
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Final, Literal

from foible.errors import ConfigError
from foible.interfaces.web.protocol import PageQuestion, PageReply, ShortText, changes
from foible.interfaces.web.shared import Shared
from foible.nets import KnownNet, describe_net, known_nets
from foible.nets.named_nets import PublicNet, public_nets
from foible.search.scheduler import scheduler

BETWEEN_NEWS: Final = 0.25
"""Seconds between two replies about a download."""


class NetListed(PageReply, frozen=True, kw_only=True):
    """A net in the list of nets."""

    name: str
    kind: Literal["built-in", "folder", "shipped", "download", "by hand"]
    """`by hand`: people have to download the net themselves, as its server requires a click."""
    here: bool
    """Whether the net is on this machine."""
    about: str
    """A description in one line; empty for the user's own nets."""
    licence: str
    """The licence; empty for the user's own nets."""
    size: int | None
    """The size of the file in bytes, where it is known."""
    source: str
    """The address from which a public net is fetched."""


class Nets(PageReply, frozen=True, kw_only=True):
    """All nets that have a name here."""

    nets: list[NetListed]


class ListNets(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="list_nets"):
    """List the nets, now and whenever the list changes. Nothing is fetched."""

    async def answer(self, shared: Shared) -> AsyncGenerator[Nets, None]:
        """The stream of replies has no end."""
        async with aclosing(changes(known_nets)) as found:
            async for nets in found:
                yield Nets(nets=[_listed(net) for net in nets])


def _listed(net: KnownNet) -> NetListed:
    return NetListed(
        name=net.name,
        kind=net.kind,
        here=_is_here(net),
        about=net.about,
        licence=net.licence,
        size=net.size,
        source=net.source,
    )


def _is_here(net: KnownNet) -> bool:
    return net.path is not None or net.kind == "built-in"


class NetShown(PageReply, frozen=True, kw_only=True):
    """The description of a net."""

    name: str
    facts: dict[str, str]
    """All that is known of the net, in words: each fact by its name."""


class ShowNet(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="show_net"):
    """Describe a net on this machine: its file, shape, heads and encoding."""

    name: ShortText

    async def answer(self, shared: Shared) -> AsyncGenerator[NetShown, None]:
        """:raises FoibleError: no net in the list has this name, it is not on this machine, or its file is damaged."""
        yield await asyncio.to_thread(_shown, self.name)


def _shown(name: str) -> NetShown:
    net = next((net for net in known_nets() if net.name == name), None)
    if net is None:
        raise ConfigError(f"no net is called {name!r}; the list of nets has the names")
    if not _is_here(net):
        raise ConfigError(f"{name} is not on this machine; fetch it first")
    return NetShown(name=name, facts=describe_net(name).facts())


class Fetched(PageReply, frozen=True, kw_only=True):
    """The progress of a download."""

    done: int
    """The bytes that have been downloaded."""
    size: int | None
    here: bool
    """Whether the net is on this machine now."""


class FetchNet(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="fetch_net"):
    """Fetch a public net, under the licence given in the list; stopping the question stops the download."""

    name: ShortText

    async def answer(self, shared: Shared) -> AsyncGenerator[Fetched, None]:
        """:raises FoibleError: no public net is called so, or it cannot be fetched; nothing is kept then."""
        net = public_nets().get(self.name)
        if net is None:
            raise ConfigError(f"no public net is called {self.name!r}; the list of nets has the names")
        download = _Download(net)
        fetching = asyncio.ensure_future(asyncio.to_thread(download.run))
        fetching.add_done_callback(lambda task: task.cancelled() or task.exception())  # also where nobody awaits it
        try:
            while not fetching.done():
                yield Fetched(done=download.done, size=net.size, here=False)
                await asyncio.wait([fetching], timeout=BETWEEN_NEWS)
            size = fetching.result().stat().st_size
            yield Fetched(done=size, size=size, here=True)
        finally:
            download.stopped.set()


class _Download:
    """The download of a net in a thread."""

    def __init__(self, net: PublicNet) -> None:
        self._net = net
        self.done = 0
        """The bytes downloaded so far."""
        self.stopped = threading.Event()

    def run(self) -> Path:
        """Fetch the net. Errors as `PublicNet.fetch`."""
        return self._net.fetch(self._tell, self.stopped)

    def _tell(self, done: int) -> None:
        self.done = done


class NetLoad(PageReply, frozen=True, kw_only=True):
    """How much one net has computed since the server began."""

    name: str
    evaluations: int
    batches: int
    """The number of calls of the net."""
    mean_batch: float
    """The mean number of evaluations in a call."""
    seconds: float
    """The seconds in which the net computed."""


class LoadOf(PageReply, frozen=True, kw_only=True):
    """How much each net has computed since the server began."""

    nets: list[NetLoad]


class Load(PageQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="load"):
    """Report how much each net has computed since the server began."""

    async def answer(self, shared: Shared) -> AsyncGenerator[LoadOf, None]:
        yield LoadOf(
            nets=[
                NetLoad(
                    name=name,
                    evaluations=usage.evaluations,
                    batches=usage.batches,
                    mean_batch=usage.mean_batch,
                    seconds=usage.busy,
                )
                for name, usage in scheduler().usage.items()
                if usage.batches
            ]
        )
