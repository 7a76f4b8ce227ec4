"""Maia-2 and Maia-3 by the names under which they are public: fetched from a server, or put into place by hand."""

import hashlib
import logging
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from foible._core import Batch, ChessPosition
from foible.errors import ConfigError, NetFileError
from foible.nets import catalogue, describe_net, find_net, named_nets, net_sha256, open_net, short_name
from foible.nets.named_nets import PublicNet, public_nets
from foible.nets.shelf import at_hand
from tests.nets.maia_nets import checkpoint, maia2, maia3

SMALL = {"maia3-5m": checkpoint(maia3()), "maia2-rapid": checkpoint(maia2()), "maia2-blitz": checkpoint(maia2(seed=2))}


class Handler(BaseHTTPRequestHandler):
    """Serves the small nets under the names of the large ones."""

    def do_GET(self) -> None:
        body = SMALL.get(self.path.rpartition("/")[2].removesuffix(".pt"))
        self.send_response(200 if body else 404)
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@pytest.fixture(autouse=True)
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Where the nets are fetched; what is known of them is that of the small ones."""
    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=running.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{running.server_port}/maia"
    monkeypatch.setenv("FOIBLE_NETS_URL", url)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("FOIBLE_NETS", raising=False)
    small = {
        name: replace(net, size=len(SMALL[name]), sha256=hashlib.sha256(SMALL[name]).hexdigest())
        if name in SMALL
        else net
        for name, net in public_nets().items()
    }
    for module in (catalogue, named_nets):
        monkeypatch.setattr(module, "public_nets", lambda: small)
    yield url
    running.shutdown()
    running.server_close()


def test_a_name_with_ratings_is_fetched_once_and_plays(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert not at_hand("maia3-5m:1500")
    net = open_net("maia3-5m:1500-1900", runtime="onnxruntime", threads=1)
    assert net.name == "maia3-5m:1500-1900 (onnxruntime f32)"
    assert len(net.evaluate(Batch([ChessPosition()])).logits) == 20
    assert find_net("maia3-5m") == tmp_path / "foible" / "nets" / "maia3-5m.pt"
    assert at_hand("maia3-5m:1500")
    assert short_name("maia3-5m:1500-1900") == "maia3-5m:1500-1900"
    assert net_sha256("maia3-5m:1500") == net_sha256("maia3-5m:1900")
    assert "not settled" in (describe_net("maia3-5m:1500").licence or "")
    assert [record.getMessage()[:46] for record in caplog.records] == ["fetching maia3-5m.pt; licence: not settled: CC"]


def test_the_licence_is_said_before_anything_is_fetched(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("FOIBLE_NETS_URL", "http://127.0.0.1:9")
    with caplog.at_level(logging.INFO), pytest.raises(NetFileError, match="maia-1100 is not on this machine"):
        find_net("maia-1100")
    assert [record.getMessage() for record in caplog.records] == ["fetching maia-1100.pb.gz; licence: GPL-3.0"]


def test_what_is_to_be_fetched_by_hand_says_from_where_and_where_to_put_it(tmp_path: Path) -> None:
    goal = tmp_path / "foible" / "nets" / "maia2-rapid.pt"
    with pytest.raises(NetFileError) as error:
        open_net("maia2-rapid:1500")
    said = str(error.value)
    assert "download it from https://drive.google.com/file/d/1gbC1-c7c0EQOPPAVpGWubezeEW8grVwc/view" in said
    assert f"save it as {goal} (licence: MIT says the repository" in said
    assert "\n" not in said
    goal.parent.mkdir(parents=True)
    goal.write_bytes(b"<!DOCTYPE html>")
    with pytest.raises(NetFileError, match=rf"{goal}: has sha256 [0-9a-f]+, expected [0-9a-f]+"):
        open_net("maia2-rapid:1500")
    goal.write_bytes(SMALL["maia2-rapid"])
    assert open_net("maia2-rapid:1500", runtime="openvino", threads=1).name == "maia2-rapid:1500 (openvino f32)"


def test_names_of_nets_without_ratings_are_refused_with_one_before_they_are_fetched(tmp_path: Path) -> None:
    for name in ("maia-1500:1500", "maia-1500:1500-1900", "master:1500"):
        with pytest.raises(ConfigError, match="only club, a Maia-2 or Maia-3, or a file"):
            find_net(name)
    assert not (tmp_path / "foible").exists()


@pytest.mark.parametrize("name", ["maia3-5m", "maia3-23m", "maia3-79m"])
def test_maia_3_comes_from_its_authors_at_a_fixed_revision(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FOIBLE_NETS_URL")
    known: PublicNet = public_nets()[name]
    size = name.removeprefix("maia3-").upper()
    assert known.remote.url.startswith(f"https://huggingface.co/UofTCSSLab/Maia3-{size}/resolve/")
    assert known.remote.url.endswith(f"/{name}.pt")
    assert known.unsettled
    assert known.licence.startswith("not settled")
