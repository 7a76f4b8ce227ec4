"""`python -m foible.interfaces.uci`: the same as `foible-uci`."""

from foible.interfaces.uci.program import main

main()
