"""The GTP engine on foible's search: for Go interfaces, bots and match programs.

`foible gtp`, or `foible.interfaces.gtp.engine(Settings(...))`. Priorities, in order: it answers whatever it is sent,
once; it does what Leela Zero's family of engines does; and it plays well.
"""

from foible.interfaces.gtp.engine import serve
from foible.interfaces.gtp.settings import Settings

__all__ = ["Settings", "serve"]
