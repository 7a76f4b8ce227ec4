"""`python -m foible`: the same as the command `foible`, for where that is not on the path."""

from foible.interfaces.cli import main

main()
