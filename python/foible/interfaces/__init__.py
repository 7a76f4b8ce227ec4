"""How people and programs use foible: command line and UCI. No logic that a library user could miss."""
