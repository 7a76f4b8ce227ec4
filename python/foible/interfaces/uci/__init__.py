"""The UCI engine on foible's search: for any chess GUI, bot runner or match program.

`foible.interfaces.uci.serve()` or `python -m foible.interfaces.uci`. Priorities, in order: it answers whatever it is
sent, `stop` at once, and plays well.
"""

from typing import TYPE_CHECKING

from foible.faces import face

if TYPE_CHECKING:
    from foible.interfaces.uci.options import UCI_SEARCH as UCI_SEARCH, Settings as Settings, change as change
    from foible.interfaces.uci.personalities import Personality as Personality, read_personalities as read_personalities
    from foible.interfaces.uci.program import serve as serve

__getattr__, __dir__ = face(__name__)
