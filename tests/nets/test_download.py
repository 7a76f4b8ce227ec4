"""Against a local server that behaves, and one that does not."""

import hashlib
import multiprocessing
import socket
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest

from foible.errors import FoibleError, NetFileError
from foible.nets.download import Remote, cache_folder, fetch
from foible.runs.folder import taking_turns

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


def ranged(handler: BaseHTTPRequestHandler, body: bytes = BODY, tag: str = '"one"', upto: int | None = None) -> None:
    """A file with an entity tag, of which the rest may be asked for; `upto`: nothing more comes from there on."""
    begin = 0
    if handler.headers["If-Range"] == tag:
        begin = int(handler.headers["Range"].removeprefix("bytes=").removesuffix("-"))
    handler.send_response(206 if begin else 200)
    handler.send_header("ETag", tag)
    handler.send_header("Accept-Ranges", "bytes")
    if begin:
        handler.send_header("Content-Range", f"bytes {begin}-{len(body) - 1}/{len(body)}")
    handler.send_header("Content-Length", str(len(body) - begin))
    handler.end_headers()
    handler.wfile.write(body[begin:upto])
    handler.wfile.flush()


def breaking(handler: BaseHTTPRequestHandler) -> None:
    ranged(handler, upto=200_000)
    handler.connection.shutdown(socket.SHUT_RDWR)


def wrong_range(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(206)
    handler.send_header("Content-Range", f"bytes 7-{len(BODY) - 1}/{len(BODY)}")
    handler.end_headers()
    handler.wfile.write(BODY[7:])


def to_another_host(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(302)
    handler.send_header("Location", "http://example.org/net.pb.gz")
    handler.send_header("Content-Length", "0")
    handler.end_headers()


def wrong_bytes(handler: BaseHTTPRequestHandler) -> None:
    send(handler, BODY[:-1] + b"!", len(BODY))


def not_found(handler: BaseHTTPRequestHandler) -> None:
    handler.send_error(404)


def hang(handler: BaseHTTPRequestHandler) -> None:
    send(handler, BODY[:10], len(BODY))
    handler.wfile.flush()
    silent(handler)


def silent(handler: BaseHTTPRequestHandler) -> None:
    """Until the other side has gone, which sends nothing any more."""
    handler.connection.recv(1)


def drip(handler: BaseHTTPRequestHandler) -> None:
    send(handler, b"", len(BODY))
    drip_on(handler, b"x")


def drip_on(handler: BaseHTTPRequestHandler, drop: bytes) -> None:
    """Until the other side has gone."""
    while True:
        handler.wfile.write(drop)
        handler.wfile.flush()
        time.sleep(0.05)


def drip_chunk_size(handler: BaseHTTPRequestHandler) -> None:
    handler.protocol_version = "HTTP/1.1"
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    drip_on(handler, b"0")


def drip_headers(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
    drip_on(handler, b"x")


def coloured(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 404 \x1b[31mred\r\n\r\n")


def garbage(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"\x00\x01\x02 what?\r\n\r\n")


class Server:
    def __init__(self) -> None:
        self.behaviour: Behaviour = well
        self.requests = 0
        self.ranges: list[str | None] = []
        """The range that each request asks for."""
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                owner.requests += 1
                owner.ranges.append(self.headers["Range"])
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


def left(folder: Path) -> list[str]:
    """What is in a folder; some systems keep the lock."""
    return sorted(path.name for path in folder.iterdir() if path.suffix != ".lock")


@pytest.mark.parametrize("behaviour", [well, ranged, without_length, length_too_large, redirected])
def test_a_good_file_arrives_whole_and_is_fetched_once(server: Server, tmp_path: Path, behaviour: Behaviour) -> None:
    server.behaviour = behaviour
    target = tmp_path / "deep" / "net.pb.gz"
    assert fetch(remote(server), target).read_bytes() == BODY
    asked = server.requests
    assert fetch(remote(server), target) == target
    assert server.requests == asked
    assert left(target.parent) == ["net.pb.gz"]


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (cut_off, "ended after 1000 of 512000 bytes|IncompleteRead"),
        (length_too_small, "ended after 5000 of 512000 bytes"),
        (too_long, "sends more than the expected 512000 bytes"),
        (wrong_bytes, "has sha256 .*, expected"),
        (not_found, "the server answers 404"),
        (to_another_host, "cannot be fetched: http://example.org is not encrypted; expected https"),
        (coloured, r"the server answers 404 \\x1b\[31mred"),
        (garbage, "cannot be fetched"),
    ],
)
def test_bad_answers_give_one_clear_error_and_leave_nothing(
    server: Server, tmp_path: Path, behaviour: Behaviour, reason: str
) -> None:
    server.behaviour = behaviour
    with pytest.raises(NetFileError, match=reason) as caught:
        fetch(remote(server), tmp_path / "net.pb.gz")
    assert "kept" not in str(caught.value)
    assert server.url in str(caught.value)
    assert "\n" not in str(caught.value)
    assert left(tmp_path) == []


@pytest.mark.parametrize("behaviour", [hang, silent, drip_chunk_size, drip_headers])
def test_silence_gives_one_clear_error_and_leaves_nothing(server: Server, tmp_path: Path, behaviour: Behaviour) -> None:
    server.behaviour = behaviour
    with pytest.raises(NetFileError, match=rf"^{server.url}.*: no answer (for 0\.5|within 0\.8) s$"):
        fetch(remote(server), tmp_path / "net.pb.gz", timeout=0.5, deadline=0.8)
    assert left(tmp_path) == []


@pytest.mark.parametrize("behaviour", [hang, silent, drip, drip_headers])
def test_a_download_that_is_stopped_ends_at_once(server: Server, tmp_path: Path, behaviour: Behaviour) -> None:
    server.behaviour = behaviour
    stopped = threading.Event()
    threading.Timer(0.2, stopped.set).start()
    with pytest.raises(NetFileError, match=f"^{server.url}.*: the download was stopped$"):
        fetch(remote(server), tmp_path / "net.pb.gz", stopped=stopped, timeout=100_000, deadline=100_000)
    assert left(tmp_path) == []


def test_a_server_that_is_not_there_gives_one_clear_error(tmp_path: Path) -> None:
    with socket.socket() as nobody_listens:
        nobody_listens.bind(("127.0.0.1", 0))
        port = nobody_listens.getsockname()[1]
        with pytest.raises(NetFileError, match=r"cannot be fetched: .*refused"):
            fetch(Remote(f"http://127.0.0.1:{port}/x", 1, "0"), tmp_path / "x")
    with pytest.raises(NetFileError, match="cannot be fetched: unknown url type"):
        fetch(Remote("nonsense", 1, "0"), tmp_path / "x")


@pytest.mark.parametrize("url", ["http://example.org/net.pb.gz", "ftp://127.0.0.1/net.pb.gz"])
def test_what_is_not_encrypted_is_not_fetched_from_another_machine(tmp_path: Path, url: str) -> None:
    with pytest.raises(NetFileError, match="is not encrypted; expected https"):
        fetch(Remote(url, 1, "0"), tmp_path / "x")
    assert left(tmp_path) == []


def test_a_download_that_breaks_off_goes_on_from_there(server: Server, tmp_path: Path) -> None:
    server.behaviour = breaking
    target = tmp_path / "net.pb.gz"
    with pytest.raises(NetFileError, match=r"; 200000 of 512000 bytes are kept, and the next try goes on from there$"):
        fetch(remote(server), target)
    assert left(tmp_path) == ["net.pb.gz.part", "net.pb.gz.part.validator"]
    server.behaviour = ranged
    told: list[int] = []
    assert fetch(remote(server), target, on_bytes=told.append).read_bytes() == BODY
    assert server.ranges == [None, "bytes=200000-"]
    assert told[0] > 200_000
    assert left(tmp_path) == ["net.pb.gz"]


@pytest.mark.parametrize("behaviour", [well, lambda handler: ranged(handler, tag='"two"')])
def test_a_server_that_does_not_go_on_is_read_from_the_beginning(
    server: Server, tmp_path: Path, behaviour: Behaviour
) -> None:
    server.behaviour = lambda handler: ranged(handler, b"?" * len(BODY), upto=200_000)
    with pytest.raises(NetFileError, match="goes on from there"):
        fetch(remote(server), tmp_path / "net.pb.gz")
    server.behaviour = behaviour
    assert fetch(remote(server), tmp_path / "net.pb.gz").read_bytes() == BODY
    assert left(tmp_path) == ["net.pb.gz"]


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (wrong_range, "sends other bytes than those from 200000 on"),
        (lambda handler: ranged(handler, b"?" * len(BODY)), "has sha256 .*, expected"),
        (lambda handler: ranged(handler, BODY * 2), "sends more than the expected 512000 bytes"),
        (lambda handler: handler.send_error(416), "the server answers 416"),
    ],
)
def test_a_part_that_became_another_file_is_not_kept(
    server: Server, tmp_path: Path, behaviour: Behaviour, reason: str
) -> None:
    server.behaviour = breaking
    with pytest.raises(NetFileError, match="goes on from there"):
        fetch(remote(server), tmp_path / "net.pb.gz")
    server.behaviour = behaviour
    with pytest.raises(NetFileError, match=reason) as caught:
        fetch(remote(server), tmp_path / "net.pb.gz")
    assert "kept" not in str(caught.value)
    assert left(tmp_path) == []


def test_a_slow_download_may_last_longer_than_any_silence(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, told = 0.0, [0]
    monkeypatch.setattr("foible.nets.download.time", SimpleNamespace(monotonic=lambda: now))

    def slowly(handler: BaseHTTPRequestHandler) -> None:
        nonlocal now
        send(handler, b"", len(BODY))
        for at in range(0, len(BODY), 32_000):
            while told[-1] < at:
                time.sleep(0.001)
            now += 10
            handler.wfile.write(BODY[at : at + 32_000])
            handler.wfile.flush()

    server.behaviour = slowly
    asked = fetch(remote(server), tmp_path / "net.pb.gz", on_bytes=told.append, timeout=30, deadline=30)
    assert asked.read_bytes() == BODY
    assert now == 160


def test_a_killed_download_goes_on_from_what_came(server: Server, tmp_path: Path) -> None:
    killed = threading.Event()

    def waiting(handler: BaseHTTPRequestHandler) -> None:
        ranged(handler, upto=200_000)
        killed.wait(600)

    server.behaviour = waiting
    target = tmp_path / "net.pb.gz"
    process = multiprocessing.get_context("spawn").Process(target=fetch, args=(remote(server), target))
    process.start()
    part = tmp_path / "net.pb.gz.part"
    while not part.exists() or part.stat().st_size < 190_000:
        assert process.is_alive()
        time.sleep(0.02)
    process.kill()
    process.join()
    killed.set()
    server.behaviour = ranged
    assert fetch(remote(server), target).read_bytes() == BODY
    first, second = server.ranges
    assert first is None
    assert second is not None
    assert int(second.removeprefix("bytes=").removesuffix("-")) >= 190_000
    assert left(tmp_path) == ["net.pb.gz"]


def test_a_large_file_takes_little_memory(server: Server, tmp_path: Path) -> None:
    body = bytes(50_000_000)
    server.behaviour = lambda handler: send(handler, body, len(body))
    tracemalloc.start()
    try:
        fetch(Remote(server.url, len(body), hashlib.sha256(body).hexdigest()), tmp_path / "net.pb.gz")
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_one_who_waits_for_another_download_can_be_stopped(server: Server, tmp_path: Path) -> None:
    target, stopped = tmp_path / "net.pb.gz", threading.Event()
    told: list[int] = []

    def tell(done: int) -> None:
        told.append(done)
        stopped.set()

    with (
        taking_turns(tmp_path / "net.pb.gz.lock", lambda: None),
        pytest.raises(NetFileError, match=r"the download was stopped$"),
    ):
        fetch(remote(server), target, on_bytes=tell, stopped=stopped)
    assert told == [0]
    assert server.requests == 0


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
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert server.requests == 1
    assert target.read_bytes() == BODY
    assert left(tmp_path) == ["net.pb.gz"]


def test_who_watches_is_told_the_bytes_and_may_end_the_download(server: Server, tmp_path: Path) -> None:
    told: list[int] = []
    fetch(remote(server), tmp_path / "net.pb.gz", on_bytes=told.append)
    assert told == sorted(set(told))
    assert told[-1] == len(BODY)

    def enough(done: int) -> None:
        raise FoibleError(f"enough after {done}")

    with pytest.raises(FoibleError, match="enough after"):
        fetch(remote(server), tmp_path / "other.pb.gz", on_bytes=enough)
    assert left(tmp_path) == ["net.pb.gz"]


def test_a_user_without_a_home_has_a_cache_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    assert cache_folder().is_dir()
    assert cache_folder() == cache_folder()
