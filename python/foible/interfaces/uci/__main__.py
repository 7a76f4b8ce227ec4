"""`python -m foible.interfaces.uci`: options come from the GUI."""

from foible.interfaces.uci import serve

serve()
