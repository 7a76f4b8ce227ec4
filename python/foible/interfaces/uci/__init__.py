"""The UCI engine on foible's search: for any chess GUI, bot runner or match program.

`foible.interfaces.uci.engine()` or `python -m foible.interfaces.uci`. Priorities, in order: it answers whatever it is
sent, `stop` at once, and plays well.
"""

from foible.interfaces.uci.engine import serve
from foible.interfaces.uci.options import UCI_SEARCH, Settings, change, options
from foible.interfaces.uci.personalities import read_personalities
from foible.interfaces.uci.personality import Personality

__all__ = ["UCI_SEARCH", "Personality", "Settings", "change", "options", "read_personalities", "serve"]
