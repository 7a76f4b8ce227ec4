"""A player's games by user name, from the sites where people play.

`fetch_games("lichess", "jane_doe")` gives a PGN file for `read_player_games` to read. No site is contacted except by
this call.
"""

from foible.opponents.sites.fetching import SITE_NAMES, SITES, FetchedGames, Site, SiteName, fetch_games
from foible.opponents.sites.intake import OnProgress
from foible.opponents.sites.site_client import SystemClock

__all__ = ["SITES", "SITE_NAMES", "FetchedGames", "OnProgress", "Site", "SiteName", "SystemClock", "fetch_games"]
