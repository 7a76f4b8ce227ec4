"""Where Stockfish is on this machine."""

import shutil


def installed_stockfish() -> str | None:
    """On the path, or where Debian keeps games, which is not on everybody's path; `None` where there is none."""
    return shutil.which("stockfish") or shutil.which("stockfish", path="/usr/games")
