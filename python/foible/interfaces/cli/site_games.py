"""Options by which a command takes a player's games from a file, or fetches them from a site by user name."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from foible.errors import ConfigError
from foible.interfaces.cli import Stopped
from foible.interfaces.cli.options import check_files
from foible.interfaces.cli.output import Console
from foible.interfaces.cli.progress import progress_line
from foible.opponents.game_tags import Speed
from foible.opponents.sites import SITES, FetchedGames, SiteName, fetch_games

Player = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help='The name in the file, "Last, First" or "First Last", in any case.', show_default=False
    ),
]
Games = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="PGN file with the player's games, plain or packed.", show_default=False),
]
Lichess = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Fetch the games of this user from lichess, instead of a file.", show_default=False
    ),
]
Chesscom = Annotated[str | None, typer.Option(metavar="NAME", help="Fetch them from chess.com.", show_default=False)]
MaxGames = Annotated[int | None, typer.Option(min=1, help="Only so many of them, the newest.", show_default="all")]
Since = Annotated[
    datetime | None,
    typer.Option(formats=["%Y-%m-%d"], metavar="YYYY-MM-DD", help="Only those since this day.", show_default="all"),
]
Refresh = Annotated[bool, typer.Option("--refresh", help="Fetch all of them anew, not only what is new.")]
Offline = Annotated[bool, typer.Option("--offline", help="Fetch nothing, use the games that were fetched before.")]

EXPECTED = "expected --player NAME --games FILE, --lichess NAME or --chesscom NAME"


@dataclass(frozen=True, slots=True)
class SiteOptions:
    """The options of a command that concern fetching games from a site."""

    lichess: str | None
    chesscom: str | None
    max_games: int | None
    since: datetime | None
    refresh: bool
    offline: bool

    @property
    def users(self) -> dict[SiteName, str]:
        """The user whose games are asked for, by site."""
        named: dict[SiteName, str | None] = {"lichess": self.lichess, "chesscom": self.chesscom}
        return {site: name for site, name in named.items() if name is not None}


@dataclass(frozen=True, slots=True)
class GamesSource:
    """A file with a player's games."""

    path: Path
    player: str
    site: SiteName | None
    """The site from which the games were fetched; `None` for a file that the user named."""


def games_source(
    player: str | None,
    games: Path | None,
    options: SiteOptions,
    *,
    white: bool | None,
    speeds: Collection[Speed],
) -> GamesSource:
    """The file that was named, or that of games fetched from a site now, which is reported on the error stream.

    `white`: fetch only games in which the player had White, or Black where it is false; `None`: both.

    :raises ConfigError: no source or more than one was named, or an option does not go with the source.
    :raises SiteError: as `fetch_games`.
    """
    users = options.users
    if len(users) + (games is not None) != 1:
        raise ConfigError(EXPECTED if games is None and not users else f"more than one source of games: {EXPECTED}")
    if games is not None:
        if player is None:
            raise ConfigError(f"--games {games}: whose games? --player NAME is missing")
        if options.max_games or options.since or options.refresh or options.offline:
            raise ConfigError("--max-games, --since, --refresh and --offline are for --lichess and --chesscom")
        check_files([games])
        return GamesSource(games, player, None)
    ((site, user),) = users.items()
    if player is not None:
        raise ConfigError(f"--player: is {user} with --{site}, which names the player already")
    fetched = _fetch(site, user, options, white, speeds)
    return GamesSource(fetched.path, fetched.player, site)


def rating_remark(site: SiteName | None, rating: float | None) -> None:
    """Warn where the rating that chooses a model is from chess.com, since models know lichess' ratings."""
    if site == "chesscom" and rating is not None:
        _say(
            f"the rating, {rating:.0f}, is chess.com's, and models know lichess's, which differ by some hundred points;"
            " --base names another level"
        )


def _fetch(
    site: SiteName, user: str, options: SiteOptions, white: bool | None, speeds: Collection[Speed]
) -> FetchedGames:
    title = SITES[site].title
    if not options.offline:
        _say(f"games of {user} from {title}, {SITES[site].url}; Ctrl-C keeps what has come")
    came = 0
    try:
        with progress_line("games") as line:

            def show(done: int, total: int | None, note: str) -> None:
                nonlocal came
                came = done
                line.show(title, done, total, note=note)

            fetched = fetch_games(
                site,
                user,
                color=None if white is None else "white" if white else "black",
                speeds=speeds,
                max_games=options.max_games,
                since=options.since and options.since.date(),
                refresh=options.refresh,
                offline=options.offline,
                on_progress=show,
            )
    except KeyboardInterrupt:
        if came:
            kept = f"new games kept: {came}; the same command goes on from there, with --offline it does with them"
            raise Stopped(f"interrupted; {kept}") from None
        raise
    new = "" if options.offline else f", new: {fetched.new}"
    reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(fetched.left_out.items()))
    _say(f"games: {fetched.games}{new}{reasons and f'; left out: {reasons}'}; kept in {fetched.path}")
    return fetched


def _say(text: str) -> None:
    Console(stderr=True, highlight=False).print(text, soft_wrap=True)
