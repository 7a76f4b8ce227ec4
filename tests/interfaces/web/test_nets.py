"""What a page is told of nets, and fetching one from a server of this machine."""

import hashlib
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from foible.nets import find_net
from foible.nets.named_nets import public_nets
from tests.interfaces.web.site import WAIT_SECONDS, RefusedError, Site, serving

NAME = "maia-1100"
HALF = 1 << 16
ENDLESS = 1 << 40


class Gate(ThreadingHTTPServer):
    """Serves one file, and its second half only when the event is set that was `opened` when the file was asked for."""

    daemon_threads = True

    def __init__(self, content: bytes) -> None:
        self.content, self.endless = content, False
        self.opened, self.gone = threading.Event(), threading.Event()
        super().__init__(("127.0.0.1", 0), Answer)
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()


class Answer(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        gate = self.server
        assert isinstance(gate, Gate)
        opened = gate.opened
        self.send_response(200)
        self.send_header("Content-Length", str(ENDLESS if gate.endless else len(gate.content)))
        self.end_headers()
        try:
            self.wfile.write(gate.content[:HALF])
            while gate.endless:
                self.wfile.write(gate.content[:HALF])
                opened.wait(0.01)
            opened.wait(600)
            for at in range(HALF, len(gate.content), HALF):
                self.wfile.write(gate.content[at : at + HALF])
        except OSError:
            gate.gone.set()

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    """Where public nets come from: `maia-1100` is `club`'s file there."""
    content = find_net("club").read_bytes()
    known = replace(public_nets()[NAME], size=len(content), sha256=hashlib.sha256(content).hexdigest())
    for module in ("foible.nets.catalogue", "foible.interfaces.web.nets"):
        monkeypatch.setattr(f"{module}.public_nets", lambda: {NAME: known})
    found = Gate(content)
    monkeypatch.setenv("FOIBLE_NETS_URL", f"http://127.0.0.1:{found.server_port}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("FOIBLE_NETS", raising=False)
    yield found
    found.opened.set()
    found.shutdown()
    found.server_close()


@pytest.fixture
def site(tmp_path: Path, gate: Gate) -> Iterator[Site]:
    with serving(tmp_path) as found:
        yield found


def listed(reply: Any) -> dict[str, Any]:
    return {net["name"]: net for net in reply["nets"]}


def test_the_list_says_what_nets_are_and_under_which_licence(site: Site) -> None:
    with site.page() as talk:
        nets = listed(next(talk.replies(talk.begin("list_nets"))))
    assert nets["material"]["kind"] == "built-in"
    assert nets["club"]["here"]
    assert "club players" in nets["club"]["about"]
    assert nets["club"]["size"] == find_net("club").stat().st_size
    public = nets[NAME]
    assert (public["here"], public["kind"], public["licence"]) == (False, "download", "GPL-3.0")
    assert "CSSLab" in public["source"]


def test_a_net_is_fetched_with_progress_and_the_list_says_so(site: Site, gate: Gate, tmp_path: Path) -> None:
    with site.page() as talk, site.page() as other:
        lists = other.replies(other.begin("list_nets"))
        assert not listed(next(lists))[NAME]["here"]
        told = talk.replies(talk.begin("fetch_net", name=NAME))
        while (now := next(told))["done"] < HALF:
            assert not now["here"]
        assert now == {"done": HALF, "size": len(gate.content), "here": False}
        gate.opened.set()
        *_, last = told
        assert last == {"done": len(gate.content), "size": len(gate.content), "here": True}
        assert listed(next(lists))[NAME]["here"]
    (shown,) = site.ask("show_net", name=NAME)
    assert shown["facts"]["blocks"] == "6"
    assert shown["facts"]["licence"] == "GPL-3.0"
    assert shown["facts"]["path"] == str(tmp_path / "cache" / "foible" / "nets" / f"{NAME}.pb.gz")


def test_a_download_ends_when_nobody_wants_it_any_more(
    site: Site, gate: Gate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate.endless = True
    known = replace(public_nets()[NAME], size=ENDLESS)
    monkeypatch.setattr("foible.interfaces.web.nets.public_nets", lambda: {NAME: known})
    with site.page() as talk:
        told = talk.replies(talk.begin("fetch_net", name=NAME))
        while next(told)["done"] < HALF:
            pass
    assert gate.gone.wait(WAIT_SECONDS)
    while any(path.suffix != ".lock" for path in (tmp_path / "cache").rglob(f"*{NAME}*")):
        time.sleep(0.01)


def test_what_cannot_be_fetched_is_told_in_a_line(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOIBLE_NETS_URL", "http://127.0.0.1:9")
    with pytest.raises(RefusedError, match=r"cannot be fetched: .*refused"):
        site.ask("fetch_net", name=NAME)


def test_nets_that_are_not_here_are_not_fetched_to_be_shown(site: Site) -> None:
    with pytest.raises(RefusedError, match="not on this machine; fetch it first"):
        site.ask("show_net", name=NAME)


@pytest.mark.parametrize("name", ["nothing", "/etc/passwd", "../x.pb.gz", "club:1300", "master:int8", ""])
def test_only_names_of_the_list_are_known(site: Site, name: str) -> None:
    for kind in ("show_net", "fetch_net"):
        with pytest.raises(RefusedError, match="net is called"):
            site.ask(kind, name=name)


def test_the_built_in_net_is_described(site: Site) -> None:
    (shown,) = site.ask("show_net", name="material")
    assert shown["facts"]["format"] == "built-in"
