"""The UCI engine on foible's search: for any chess GUI, bot runner or match program.

`foible.interfaces.uci.serve()` or `python -m foible.interfaces.uci`. Priorities, in order: it answers whatever it is
sent, `stop` at once, and plays well.
"""

from typing import TYPE_CHECKING

from foible.faces import names_from

if TYPE_CHECKING:
    from foible.interfaces.uci.options import UCI_SEARCH, Settings, change
    from foible.interfaces.uci.personalities import Personality, read_personalities
    from foible.interfaces.uci.program import serve

__all__ = ["UCI_SEARCH", "Personality", "Settings", "change", "read_personalities", "serve"]

_HOMES = {
    "foible.interfaces.uci.options": ["UCI_SEARCH", "Settings", "change"],
    "foible.interfaces.uci.personalities": ["Personality", "read_personalities"],
    "foible.interfaces.uci.program": ["serve"],
}

__getattr__, __dir__ = names_from(__name__, _HOMES)
