"""`python -m foible.interfaces.gtp`: the built-in evaluator, all settings as they come."""

from foible.interfaces.gtp import Settings, serve

serve(Settings())
