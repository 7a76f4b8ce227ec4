"""Who is answered: pages of this server, and where a token is wanted those that show it."""

import socket
from http.cookies import SimpleCookie
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from foible.errors import ConfigError
from foible.interfaces.web.server import hosts_at, listen, name_of
from tests.interfaces.web.site import Site, serving

TOKEN = "a-token-of-the-test"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:80", ""])
def test_other_names_are_not_answered(site: Site, host: str) -> None:
    assert site.get("/", Host=host).status in (400, 421)


def test_the_names_of_the_loopback_address_are_answered(site: Site) -> None:
    assert site.get("/").status == 200
    assert site.get("/", Host=f"localhost:{site.port}").status == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://localhost", "http://["]
)
def test_pages_of_other_servers_are_not_answered(site: Site, origin: str) -> None:
    assert site.get("/", Origin=origin).status == 403
    with pytest.raises(InvalidStatus), site.page(origin):
        pass


def test_what_is_no_page_opens_no_websocket(site: Site) -> None:
    with pytest.raises(InvalidStatus, match="403"), connect(f"ws://{site.host}/ask"):
        pass


def test_pages_may_load_nothing_from_elsewhere(site: Site) -> None:
    answer = site.get("/")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert b"http" not in answer.body


@pytest.mark.parametrize(
    "path", ["/../server.py", "/..%2fserver.py", "/%2e%2e/server.py", "//etc/passwd", "/assets/../../server.py"]
)
def test_no_path_leaves_the_folder_of_the_page(site: Site, path: str) -> None:
    assert site.get(path).status in (400, 404)


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_an_address_of_all_networks_is_told_by_the_name_of_the_machine(host: str) -> None:
    assert name_of(host) == socket.gethostname()


def test_browsers_leave_out_the_port_of_http() -> None:
    assert hosts_at("::1", 80) == {"[::1]", "[::1]:80", "localhost", "localhost:80"}
    assert hosts_at("192.0.2.1", 8420) == {"192.0.2.1:8420"}


def test_where_nobody_can_listen_the_advice_is_one_that_helps() -> None:
    with listen("127.0.0.1", 0) as taken, pytest.raises(ConfigError, match=r"; --port 0 takes one that is free$"):
        listen("127.0.0.1", taken.getsockname()[1])
    with pytest.raises(ConfigError, match=r"^cannot listen on 192\.0\.2\.1 port 0: [^;(]*$"):
        listen("192.0.2.1", 0)  # an address of documentation, which no machine has
    with pytest.raises(ConfigError, match=r"^cannot listen on nowhere\.invalid port 0: [^;(\[]*$"):
        listen("nowhere.invalid", 0)


def test_a_token_is_wanted_where_one_is_set(tmp_path: Path) -> None:
    with serving(tmp_path, token=TOKEN) as site:
        assert site.get("/").status == 403
        assert site.get("/?token=wrong").status == 403
        with pytest.raises(InvalidStatus), site.page():
            pass
        shown = site.get(f"/?token={TOKEN}")
        assert shown.status == 303
        cookie = shown.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "samesite=strict" in cookie.lower()
        kept = cookie.partition(";")[0]
        assert site.get("/", Cookie=kept).status == 200
        assert site.get("/", Cookie=f"of/another={{server}}; {kept}").status == 200
        with site.page(Cookie=kept) as talk:
            assert talk.ask("read_game", text="1. e4")[0]["moves"][0]["uci"] == "e2e4"
        with pytest.raises(InvalidStatus), site.page("http://evil.example", Cookie=kept):
            pass


def test_two_servers_of_a_machine_keep_their_tokens_apart(tmp_path: Path) -> None:
    with serving(tmp_path, token=TOKEN) as site, serving(tmp_path, token="another") as other:
        jar = SimpleCookie()  # as browsers', which do not tell the ports of a host apart
        for server, token in ((site, TOKEN), (other, "another")):
            jar.load(server.get(f"/?token={token}").headers["set-cookie"].partition(";")[0])
        for server in (site, other):
            assert server.get("/", Cookie=jar.output([], header="", sep=";")).status == 200
