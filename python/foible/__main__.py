"""`python -m foible`: the same as `foible`, where that is not on the path."""

from foible.interfaces.cli import main

main()
