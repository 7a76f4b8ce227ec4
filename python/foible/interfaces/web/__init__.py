"""foible in the browser: a local server, and the page that it serves.

`server.py` serves and says to whom, `page.py` is one page that is open, `messages.py` all that a page can ask.
What it can ask of one thing stands in one file: the records of the questions, how each is answered, and with what.
"""
