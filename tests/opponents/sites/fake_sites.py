"""Servers on this machine that answer as lichess and chess.com do, and misbehave as told."""

import gzip
import json
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

NAME = "Jane_Doe"
Handler = BaseHTTPRequestHandler
Behaviour = Callable[[Handler], None]


@dataclass(frozen=True)
class Asked:
    """A request as it came."""

    path: str
    query: dict[str, str]
    headers: dict[str, str]
    """Names in lower case."""


class FakeSite:
    """Answers with `serve`, unless something else was planned for the next requests."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.plan: deque[Behaviour | None] = deque()
        """What happens to the next requests; `None`: they are served."""
        self.crowded = 0
        """Requests that came while another one was answered."""
        self._busy = threading.Lock()
        owner = self

        class Answering(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                owner._answer(self)

            def log_message(self, *_: object) -> None:
                return

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                return

        self.server = Quiet(("127.0.0.1", 0), Answering)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    @property
    def paths(self) -> list[str]:
        return [asked.path for asked in self.asked]

    def _answer(self, handler: Handler) -> None:
        parts = urlsplit(handler.path)
        asked = Asked(
            parts.path, dict(parse_qsl(parts.query)), {name.lower(): value for name, value in handler.headers.items()}
        )
        handler.close_connection = True
        # The thread of the answer before may still be on its way out.
        if not self._busy.acquire(timeout=20):
            self.crowded += 1
            return error(429)(handler)
        try:
            self.asked.append(asked)
            behaviour = self.plan.popleft() if self.plan else None
            if behaviour:
                behaviour(handler)
            else:
                self.serve(handler, asked)
        except OSError:
            return None
        finally:
            self._busy.release()

    def serve(self, handler: Handler, asked: Asked) -> None:
        raise NotImplementedError


@contextmanager
def running(site: FakeSite) -> Iterator[None]:
    try:
        yield
    finally:
        site.server.shutdown()
        site.server.server_close()


def send(handler: Handler, body: bytes, kind: str, status: int = 200, headers: Mapping[str, str] = {}) -> None:
    """An answer with its length."""
    handler.send_response(status)
    for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)


def send_chunks(handler: Handler, body: bytes, size: int, *, end: bool = True) -> None:
    """A stream in chunks of `size` bytes. `end`: it says where it ends."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/x-ndjson")
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    for start in range(0, len(body), size):
        piece = body[start : start + size]
        handler.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        handler.wfile.flush()
    if end:
        handler.wfile.write(b"0\r\n\r\n")


def page(title: str, status: int) -> Behaviour:
    """A page in HTML."""
    body = f"<!DOCTYPE html><html><head><title>{title}</title></head><body>!</body></html>".encode()
    return lambda handler: send(handler, body, "text/html; charset=utf-8", status)


def error(status: int, headers: Mapping[str, str] = {}, **members: object) -> Behaviour:
    """A refusal in JSON."""
    return lambda handler: send(handler, json.dumps(members).encode(), "application/json", status, headers)


def milliseconds(year: int, month: int, day: int) -> int:
    """Since 1970, at the beginning of the day by UTC."""
    return 1000 * int(datetime(year, month, day, tzinfo=UTC).timestamp())


def lichess_game(number: int, time: int, *, white: bool = True, moves: str = "e4 e5", **changes: Any) -> dict[str, Any]:
    """A blitz game as lichess sends it, with PGN inside; `changes` are to its members."""
    names = (NAME, f"Röe{number}") if white else (f"Röe{number}", NAME)
    when = datetime.fromtimestamp(time / 1000, UTC)
    speed = changes.get("speed", "blitz")
    control = {"bullet": "60+0", "blitz": "180+2", "rapid": "600+0", "correspondence": "3 days per move"}[speed]
    san = moves.split()
    tags = {
        "Event": f"rated {speed} game",
        "Site": f"https://lichess.org/g{number}",
        "Date": f"{when:%Y.%m.%d}",
        "White": names[0],
        "Black": names[1],
        "Result": "1-0",
        "UTCDate": f"{when:%Y.%m.%d}",
        "UTCTime": f"{when:%H:%M:%S}",
        "WhiteElo": "1712",
        "BlackElo": "?",
        "Variant": "Standard",
        "TimeControl": control,
    }
    numbered = " ".join(f"{ply // 2 + 1}. {move}" if ply % 2 == 0 else move for ply, move in enumerate(san))
    head = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
    sides = [{"user": {"name": name, "id": name.lower()}, "rating": 1712} for name in names]
    game = {
        "id": f"g{number}",
        "rated": True,
        "variant": "standard",
        "speed": speed,
        "perf": speed,
        "createdAt": time,
        "status": "resign",
        "players": {"white": sides[0], "black": sides[1]},
        "moves": moves,
        "pgn": f"{head}\n{numbered} 1-0\n\n\n",
        "somethingNew": {"deep": [1, 2]},
    }
    return game | changes


class FakeLichess(FakeSite):
    """The export of one player's games, and the account."""

    def __init__(self) -> None:
        super().__init__()
        self.games: list[dict[str, Any]] = []
        self.account: dict[str, Any] | None = {"id": NAME.lower()}
        self.cap = 10_000
        """Games of an answer at most."""
        self.chunk = 1000
        """Bytes."""

    @property
    def queries(self) -> list[dict[str, str]]:
        """Of the requests for games."""
        return [asked.query for asked in self.asked if asked.path.startswith("/api/games/")]

    def serve(self, handler: Handler, asked: Asked) -> None:
        agent = asked.headers.get("user-agent", "")
        if agent.startswith(("Python-urllib", "curl")):
            page("Page not found", 404)(handler)
        elif self.account is None or asked.path.rpartition("/")[2].lower() != NAME.lower():
            error(404, error="Not found")(handler)
        elif asked.path.startswith("/api/user/"):
            send(handler, json.dumps(self.account).encode(), "application/json")
        else:
            send_chunks(handler, self.export(asked), self.chunk)

    def export(self, asked: Asked) -> bytes:
        """What is sent for a request, all of it."""
        return "".join(json.dumps(game, ensure_ascii=False) + "\n" for game in self._chosen(asked.query)).encode()

    def _chosen(self, query: Mapping[str, str]) -> list[dict[str, Any]]:
        kinds = query["perfType"].split(",")
        found = [
            game
            for game in self.games
            if game["speed"] in kinds
            and int(query.get("since", 0)) <= game["createdAt"] <= int(query.get("until", 1 << 60))
            and ("color" not in query or self._color(game) == query["color"])
        ]
        assert query["sort"] == "dateDesc"
        found.sort(key=lambda game: -int(game["createdAt"]))
        return found[: min(self.cap, int(query.get("max", self.cap)))]

    def _color(self, game: dict[str, Any]) -> str:
        user = game["players"]["white"].get("user", {})
        return "white" if user.get("id") == NAME.lower() else "black"

    def cut(self, games: int, extra: int = 0, *, loud: bool = True) -> Behaviour:
        """The next answer breaks off after so many whole games and `extra` bytes; `loud`: without its last chunk."""

        def behave(handler: Handler) -> None:
            lines = self.export(self.asked[-1]).splitlines(keepends=True)
            body = b"".join(lines[:games]) + (lines[games][:extra] if extra else b"")
            send_chunks(handler, body, self.chunk, end=not loud)

        return behave


def chesscom_game(
    number: int, end: int, *, white: bool = True, pgn: str | None = None, **changes: Any
) -> dict[str, Any]:
    """A game as chess.com sends it; `end` in milliseconds."""
    names = (NAME, f"roe{number}") if white else (f"roe{number}", NAME)
    when = datetime.fromtimestamp(end / 1000, UTC)
    tags = {
        "Event": "Live Chess",
        "Site": "Chess.com",
        "Date": f"{when:%Y.%m.%d}",
        "White": names[0],
        "Black": names[1],
        "Result": "1-0",
        "UTCDate": f"{when:%Y.%m.%d}",
        "UTCTime": f"{when:%H:%M:%S}",
        "WhiteElo": "1712",
        "BlackElo": "1650",
        "TimeControl": str(changes.get("time_control", "180+2")),
    }
    head = "".join(f'[{name} "{value}"]\n' for name, value in tags.items())
    moves = "1. c3 {[%clk 0:03:00]} 1... e6 {[%clk 0:02:57.9]} 2. d4 {[%clk 0:02:50]} 1-0"
    game: dict[str, Any] = {
        "url": f"https://www.chess.com/game/live/{number}",
        "pgn": f"{head}\n{moves}\n" if pgn is None else pgn,
        "time_control": "180+2",
        "time_class": "blitz",
        "rules": "chess",
        "rated": True,
        "end_time": end // 1000,
        "white": {"username": names[0], "rating": 1712, "result": "win"},
        "black": {"username": names[1], "rating": 1650, "result": "resigned"},
        "tcn": "mC0K",
    }
    return game | changes


class FakeChessCom(FakeSite):
    """Months of games, each with its ETag."""

    def __init__(self) -> None:
        super().__init__()
        self.months: dict[str, list[dict[str, Any]]] = {}
        """By `2024/05`."""
        self.absent: set[str] = set()
        """Listed, and yet not to be had."""
        self.archives = True
        """The list of months is to be had."""
        self.joined: int | None = milliseconds(2024, 3, 5) // 1000
        """When the player did, in seconds since 1970; `None`: nobody is called so."""

    @property
    def fetched(self) -> list[str]:
        """The months that were asked for."""
        return [asked.path.rpartition("/games/")[2] for asked in self.asked if asked.path[-7:-5] == "20"]

    def serve(self, handler: Handler, asked: Asked) -> None:
        name, _, what = asked.path.removeprefix("/pub/player/").partition("/")
        if name != name.lower():
            send(handler, b"", "text/plain", 301, {"Location": asked.path.replace(name, name.lower())})
        elif self.joined is None or name != NAME.lower():
            error(404, code=0, message=f'User "{name}" not found.')(handler)
        elif not what:
            self._send(handler, {"username": NAME, "joined": self.joined, "status": "basic"})
        elif what != "games/archives":
            self._serve_month(handler, asked, what.removeprefix("games/"))
        elif self.archives:
            host = "https://api.chess.com/pub/player"
            self._send(handler, {"archives": [f"{host}/{name}/games/{month}" for month in self.months]})
        else:
            error(404, code=0, message="An internal error has occurred.")(handler)

    def _serve_month(self, handler: Handler, asked: Asked, month: str) -> None:
        if month not in self.months or month in self.absent:
            return error(404, code=0, message="Data not found.")(handler)
        etag = f'W/"{month}-{len(self.months[month])}"'
        if asked.headers.get("if-none-match") == etag:
            handler.send_response(304)
            handler.send_header("ETag", etag)
            return handler.end_headers()
        return self._send(handler, {"games": self.months[month]}, {"ETag": etag})

    def _send(self, handler: Handler, value: object, headers: Mapping[str, str] = {}) -> None:
        packed = gzip.compress(json.dumps(value).encode())
        send(handler, packed, "application/json", headers={"Content-Encoding": "gzip", **headers})
