"""Against a local server that behaves, and one that does not."""

import hashlib
import multiprocessing
import socket
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from foible.errors import FoibleError, NetFileError
from foible.nets.download import Remote, cache_folder, fetch

BODY = bytes(range(256)) * 2000
SHA256 = hashlib.sha256(BODY).hexdigest()
Behaviour = Callable[[BaseHTTPRequestHandler], None]


def send(handler: BaseHTTPRequestHandler, body: bytes, length: int | None) -> None:
    handler.send_response(200)
    if length is not None:
        handler.send_header("Content-Length", str(length))
    handler.end_headers()
    handler.wfile.write(body)


def well(handler: BaseHTTPRequestHandler) -> None:
    send(handler, BODY, len(BODY))


def without_length(handler: BaseHTTPRequestHandler) -> None:
    send(handler, BODY, None)


def redirected(handler: BaseHTTPRequestHandler) -> None:
    if handler.path == "/elsewhere":
        return well(handler)
    handler.send_response(302)
    handler.send_header("Location", "/elsewhere")
    handler.send_header("Content-Length", "0")
    return handler.end_headers()


def cut_off(handler: BaseHTTPRequestHandler) -> None:
    send(handler, BODY[:1000], len(BODY))
    handler.wfile.flush()
    handler.connection.shutdown(socket.SHUT_RDWR)


def length_too_small(handler: BaseHTTPRequestHandler) -> None:
    send(handler, BODY, 5000)


def length_too_large(handler: BaseHTTPRequestHandler) -> None:
    send(handler, BODY, len(BODY) * 3)


def too_long(handler: BaseHTTPRequestHandler) -> None:
    send(handler, BODY * 20, len(BODY) * 20)


def wrong_bytes(handler: BaseHTTPRequestHandler) -> None:
    send(handler, BODY[:-1] + b"!", len(BODY))


def not_found(handler: BaseHTTPRequestHandler) -> None:
    handler.send_error(404)


def hang(handler: BaseHTTPRequestHandler) -> None:
    send(handler, BODY[:10], len(BODY))
    handler.wfile.flush()
    time.sleep(2)


def silent(_: BaseHTTPRequestHandler) -> None:
    time.sleep(2)


def drip(handler: BaseHTTPRequestHandler) -> None:
    send(handler, b"", len(BODY))
    for _ in range(40):
        handler.wfile.write(b"x")
        handler.wfile.flush()
        time.sleep(0.05)


def drip_headers(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
    for _ in range(100):
        handler.wfile.write(b"x")
        handler.wfile.flush()
        time.sleep(0.05)


def coloured(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 404 \x1b[31mred\r\n\r\n")


def garbage(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"\x00\x01\x02 what?\r\n\r\n")


class Server:
    def __init__(self) -> None:
        self.behaviour: Behaviour = well
        self.requests = 0
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                owner.requests += 1
                try:
                    owner.behaviour(self)
                except OSError:
                    return

            def log_message(self, *_: object) -> None:
                return

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                return

        self.server = Quiet(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/net.pb.gz"


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.server.shutdown()
    server.server.server_close()


def remote(server: Server) -> Remote:
    return Remote(server.url, len(BODY), SHA256)


@pytest.mark.parametrize("behaviour", [well, without_length, length_too_large, redirected])
def test_a_good_file_arrives_whole_and_is_fetched_once(server: Server, tmp_path: Path, behaviour: Behaviour) -> None:
    server.behaviour = behaviour
    target = tmp_path / "deep" / "net.pb.gz"
    assert fetch(remote(server), target).read_bytes() == BODY
    asked = server.requests
    assert fetch(remote(server), target) == target
    assert server.requests == asked
    assert [path.name for path in target.parent.iterdir()] == ["net.pb.gz"]


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (cut_off, "ended after 1000 of 512000 bytes|IncompleteRead"),
        (length_too_small, "ended after 5000 of 512000 bytes"),
        (too_long, "sends more than the expected 512000 bytes"),
        (wrong_bytes, "has sha256 .*, expected"),
        (not_found, "the server answers 404"),
        (hang, "no answer for 0.5 s"),
        (silent, "no answer for 0.5 s"),
        (drip, "bytes after 0.8 s, gave up"),
        (drip_headers, "0 of 512000 bytes after 0.8 s, gave up"),
        (coloured, r"the server answers 404 \\x1b\[31mred"),
        (garbage, "cannot be fetched"),
    ],
)
def test_bad_answers_give_one_clear_error_and_leave_nothing(
    server: Server, tmp_path: Path, behaviour: Behaviour, reason: str
) -> None:
    server.behaviour = behaviour
    target = tmp_path / "net.pb.gz"
    with pytest.raises(NetFileError, match=reason) as caught:
        fetch(remote(server), target, timeout=0.5, deadline=0.8)
    assert server.url in str(caught.value)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("behaviour", [hang, silent, drip, drip_headers])
def test_a_download_that_is_stopped_ends_at_once(server: Server, tmp_path: Path, behaviour: Behaviour) -> None:
    server.behaviour = behaviour
    stopped = threading.Event()
    threading.Timer(0.2, stopped.set).start()
    begun = time.monotonic()
    with pytest.raises(NetFileError, match=f"^{server.url}.*: the download was stopped$"):
        fetch(remote(server), tmp_path / "net.pb.gz", stopped=stopped)
    assert time.monotonic() - begun < 1.5
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_is_not_there_gives_one_clear_error(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with pytest.raises(NetFileError, match=r"cannot be fetched: .*refused"):
        fetch(Remote(f"http://127.0.0.1:{port}/x", 1, "0"), tmp_path / "x", timeout=1)
    with pytest.raises(NetFileError, match="cannot be fetched: unknown url type"):
        fetch(Remote("nonsense", 1, "0"), tmp_path / "x", timeout=1)


def test_a_damaged_file_is_fetched_anew_and_survives_a_failure(server: Server, tmp_path: Path) -> None:
    target = tmp_path / "net.pb.gz"
    target.write_bytes(b"half")
    server.behaviour = cut_off
    with pytest.raises(NetFileError):
        fetch(remote(server), target)
    assert target.read_bytes() == b"half"
    server.behaviour = well
    assert fetch(remote(server), target).read_bytes() == BODY


def test_a_folder_that_cannot_be_written_gives_one_clear_error(server: Server, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(NetFileError, match="cannot be written: "):
        fetch(remote(server), tmp_path / "file" / "net.pb.gz")


def test_processes_that_fetch_at_once_do_not_harm_each_other(server: Server, tmp_path: Path) -> None:
    target = tmp_path / "net.pb.gz"
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=fetch, args=(remote(server), target)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert target.read_bytes() == BODY
    assert [path.name for path in tmp_path.iterdir()] == ["net.pb.gz"]


def test_who_watches_is_told_the_bytes_and_may_end_the_download(server: Server, tmp_path: Path) -> None:
    told: list[int] = []
    fetch(remote(server), tmp_path / "net.pb.gz", on_bytes=told.append)
    assert told == sorted(set(told))
    assert told[-1] == len(BODY)

    def enough(done: int) -> None:
        raise FoibleError(f"enough after {done}")

    with pytest.raises(FoibleError, match="enough after"):
        fetch(remote(server), tmp_path / "other.pb.gz", on_bytes=enough)
    assert [path.name for path in tmp_path.iterdir()] == ["net.pb.gz"]


def test_a_user_without_a_home_has_a_cache_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    assert cache_folder().is_dir()
    assert cache_folder() == cache_folder()
