"""From a configuration to a report: what `foible match` does, for a notebook."""

from collections.abc import Callable
from pathlib import Path

import msgspec

from foible._core import __version__
from foible.agents.base import Limits
from foible.agents.files import file_hashes
from foible.agents.spec import with_chosen_nets
from foible.agents.workshop import Workshop
from foible.arena.config import MatchConfig, recorded_runtime, to_toml_dict, with_random_plies
from foible.arena.frameworks import Framework
from foible.arena.match import Match, MatchSettings, Progress
from foible.arena.openings import find_openings
from foible.arena.report import Report, report_on
from foible.arena.store import RunStore
from foible.files import check_folder
from foible.nets.download import file_sha256
from foible.nets.shelf import BorrowedShelf, NetShelf

MAY_CHANGE = ("games", "concurrency", "threads", "judge")
"""Keys that a later run in the same folder may change: none changes the course of a game."""


def play(
    config: MatchConfig,
    folder: Path,
    on_progress: Callable[[Progress], None] | None = None,
    *,
    shelf: NetShelf | None = None,
    pairs: int | None = None,
) -> Report | None:
    """Play the match, or what is left of it, and report on all finished games; `None` when there is none.

    `shelf`: nets that are open already; it runs them in its own way.
    `pairs`: so many are finished when this returns, all of the match's when absent; with 0 nothing is played.

    :raises ConfigError: the folder is a file, or holds another match or a run of another kind.
    """
    check_folder(folder, "match")
    config = with_random_plies(with_chosen_nets(config))
    if config.runtime == "auto":
        config = msgspec.structs.replace(config, runtime=recorded_runtime(folder))
    framework = config.make_framework()
    workshop = config.make_workshop(framework, shelf and BorrowedShelf(shelf))
    with workshop.build(config.focal) as focal, workshop.build(config.alter) as alter:
        resolved = _resolved(config, framework, workshop)
        judge = workshop.shelf.evaluator(config.judge) if config.judge else None
        config = msgspec.structs.replace(config, runtime=workshop.shelf.runtime, resolved=resolved)
        with RunStore(folder, to_toml_dict(config), MAY_CHANGE) as store:
            if framework.coins:
                store.write_text("bits.txt", framework.coins.text)
            records = store.records
            if pairs != 0:
                settings = _settings(config, pairs or config.pairs)
                records = Match(focal, alter, framework, settings, store=store, on_progress=on_progress).run()
            store.write_results()
            if not records:
                return None
            report = report_on(records, framework, judge)
            store.write_report(report.to_json())
            return report


def _resolved(config: MatchConfig, framework: Framework, workshop: Workshop) -> dict[str, str]:
    """What the names in a configuration stand for: another net, engine or book, other coins, openings or games of a
    player make another match.
    """
    files = {**file_hashes(config.focal), **file_hashes(config.alter)}
    found = {"foible": __version__, **files, **workshop.shelf.resolved()}
    if framework.coins:
        found["coins"] = f"sha256 {framework.coins.sha256}"
    if config.openings:
        found["openings"] = f"sha256 {file_sha256(find_openings(config.openings.file))}"
    return found


def _settings(config: MatchConfig, pairs: int) -> MatchSettings:
    return MatchSettings(
        pairs=pairs,
        seed=config.seed,
        concurrency=1 if config.seconds else config.concurrency,
        max_plies=config.max_plies,
        claim_draws=config.claim_draws,
        resignation=config.resignation,
        draw_agreement=config.draw_agreement,
        limits=Limits(nodes=config.nodes, seconds=config.seconds),
        versions="; ".join(f"{name} {what}" for name, what in config.resolved.items()),
    )
