"""foible in the browser: a local server, and the page that it serves.

`server.py` is the server, which also checks who may connect; `page.py` answers one open page; `messages.py` lists all
messages of a page. Each of the other modules that define questions holds those on one subject: the records of the
questions and of the replies, and the code that answers.
"""
