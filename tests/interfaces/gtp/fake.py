"""A small GTP engine that errs as it is told, for the tests of whoever asks engines.

It answers with the first empty point row by row from A1, and passes when there is none. It knows no captures.
"""

from tests.engines.fake import Fake as EngineFake

SCRIPT = """
import os, signal, sys, time
from pathlib import Path

# What it does wrong, in which of its processes (the first, or all), from which `genmove` of that process on.
behaviour, log, when, after = sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
starts = log.read_text().count("started") if log.exists() else 0
erring = when == "always" or starts == 0
size, played, asked = 19, [], 0

def note(text):
    with log.open("a") as file:
        file.write(f"{os.getpid()} {text}\\n")

def say(text):
    sys.stdout.buffer.write(text if isinstance(text, bytes) else text.encode())
    sys.stdout.buffer.flush()

def genmove(colour):
    global asked
    asked += 1
    bad = behaviour if erring and asked > after else "good"
    if bad == "crash":
        sys.exit(3)
    if bad == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if bad == "dislikes white" and colour == "white":
        sys.exit(4)
    if bad == "hang":
        time.sleep(1000)
    if bad == "slow":
        time.sleep(0.2)
    if bad == "flood":
        while True:
            say("thinking\\n" * 100)
    if bad == "blank":
        while True:
            say("\\n" * 100)
    if bad == "endless":
        say(f"={number} A1\\n")
        while True:
            say("more\\n" * 100)
    if bad in ("open", "cut"):
        say(f"={number} A1\\n" if bad == "open" else f"={number} A")
        time.sleep(1000) if bad == "open" else sys.exit(3)
    if bad == "chatter":
        say(b"\\xff\\xfe thinking...\\n\\n? what\\nof A1\\n")
    if bad == "illegal":
        return "A9"
    if bad == "nonsense":
        return "hello"
    if bad == "empty":
        return ""
    if bad == "resign":
        return "RESIGN"
    taken = {move for _, move in played}
    points = [f"{x}{y + 1}" for y in range(size) for x in "ABCDEFGHJKLMNOPQRST"[:size]]
    move = next((point for point in points if point not in taken), "PASS")
    played.append((colour, move))
    return move.lower() if bad == "small" else move

note("started")
for line in sys.stdin:
    number, _, command = line.strip().partition(" ")
    note(command)
    words = command.split()
    name, good, text = words[0], True, ""
    if behaviour == "silent" or (behaviour == "deaf" and name == "genmove"):
        continue
    if behaviour == "echo":
        say(line)
        continue
    if name == "protocol_version":
        text = "1" if behaviour == "old" else "2"
    elif name == "name":
        text = "\\x1b[31mFake\\x07" if behaviour == "coloured" else "Fake"
    elif name == "version":
        text = "1.0"
    elif name == "list_commands":
        names = ["boardsize", "clear_board", "komi", "play", "genmove", "time_settings", "set_free_handicap"]
        text = "\\n".join(names + ["undo"] * (behaviour != "no undo"))
    elif name == "boardsize":
        size = int(words[1])
        good, text = (False, "unacceptable size") if behaviour == "one size" and size != 19 else (True, "")
    elif name == "clear_board":
        played = []
    elif name == "play":
        played.append((words[1], words[2]))
        if behaviour == "strict":
            good, text = False, "illegal move"
    elif name == "set_free_handicap":
        played += [("black", stone) for stone in words[1:]]
    elif name == "undo":
        good = bool(played) and behaviour != "no undo"
        text = "" if good else "cannot undo"
        played = played[:-1] if good else played
    elif name == "genmove":
        text = genmove(words[1])
        if behaviour == "refuses" and erring:
            good, text = False, "out of ideas"
        if behaviour == "coloured":
            good, text = False, "\\x1b[31mno\\x07"
    elif name not in ("komi", "time_settings", "quit", "setup"):
        good, text = False, "unknown command"
    answer = f"{'=' if good else '?'}{'' if behaviour == 'numberless' else number} {text}\\n\\n"
    say(answer * 2 if behaviour == "twice" else answer)
    if name == "quit":
        break
"""


class Fake(EngineFake):
    """The same for engines that speak GTP."""

    script = SCRIPT

    def told(self, *words: str) -> list[str]:
        """The commands of these names; all after the greeting without any."""
        greeting = ("started", "protocol_version", "name", "version", "list_commands")
        return super().told(*words) if words else [text for _, text in self.lines() if text not in greeting]
