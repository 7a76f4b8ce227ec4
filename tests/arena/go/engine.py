"""A program that speaks GTP and always passes, or says what it is told to; for the tests."""

import sys

WORD = sys.argv[1] if len(sys.argv) > 1 else "pass"
ANSWERS = {"protocol_version": "2", "name": "stub", "version": "1", "list_commands": "genmove\nundo", "genmove": WORD}

for line in sys.stdin:
    number, command, *_ = line.split()
    print(f"={number} {ANSWERS.get(command, '')}\n", flush=True)
    if command == "quit":
        break
