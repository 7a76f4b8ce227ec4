"""How people and programs use foible: the command line, the engines for UCI and GTP, and the page in the browser. No
logic that a library user could miss.
"""
