"""The page's routes: page, static files, status, search, file view, models."""

from __future__ import annotations

import shutil
from pathlib import Path

import httpx
import pytest

from graph.repository import Repository
from serve.http.errors import ROUTES
from serve.web.repository import PAGE_LINES
from tests.requirements import requirement
from tests.serving import DEADLINE_S, live_server, scripted, service_of

_FILES = {
    "shop/orders.py": "from shop.stock import reserve\n\n\ndef place(item):\n    # now\n    return reserve(item)\n",
    "shop/stock.py": 'def reserve(item):\n    """Reserve one item of the stock."""\n    return bool(item)\n',
    "shop/<b>.py": "x = '<script>alert(1)</script>'\n",
    "shop/long.py": "".join(f"x{number} = {number}\n" for number in range(1, 2501)),
    ".env": "KEY=secret\n",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory):
    """Serve a small repository without a model."""
    root = tmp_path_factory.mktemp("house") / "shop"
    for name, text in _FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    opened = Repository.open(root, cache_home=tmp_path_factory.mktemp("cache"))
    opened.sync()
    engine = scripted(tmp_path_factory.mktemp("script"), [{"text": "x"}])
    with (
        live_server(service_of(None, repository=opened), engine) as live,
        httpx.Client(base_url=live.url, timeout=DEADLINE_S, trust_env=False) as client,
    ):
        yield client
    opened.close()


def test_the_page_and_its_files(client):
    """The page loads nothing from elsewhere and is strict about it."""
    page = client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for name in ("app.js", "style.css", "icon.svg", "vendor/markdown-it-15.0.3.min.js", "vendor/LICENSES.txt"):
        asset = client.get(f"/static/{name}")
        assert asset.status_code == 200
        again = client.get(f"/static/{name}", headers={"if-none-match": asset.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
    assert "http" not in page.text
    assert client.get("/static/../app.py").status_code == 404
    missing = client.get("/static/none.js")
    assert (missing.status_code, missing.json()["error"]["type"]) == (404, "not_found_error")


def test_head_of_the_page_answers(client):
    """A client asks so whether somebody is there."""
    answer = client.head("/")
    assert (answer.status_code, answer.content) == (200, b"")


def test_status_tells_what_is_served(site):
    """Repository, freshness and that there is no model; changed files are counted."""
    status = site.get("/api/status").json()
    assert (status["repository"]["name"], status["repository"]["changed_files"]) == ("shop", 0)
    assert status["model"] is None
    assert "search works" in status["notice"]
    new = Path(status["repository"]["root"], "new.py")
    new.write_text("x = 1\n")
    assert site.get("/api/status").json()["repository"]["changed_files"] == 1
    new.unlink()


def test_search_works_without_a_model(site):
    """Ranked hits with their places."""
    hits = site.get("/api/search", params={"q": "reserve item"}).json()["hits"]
    assert (hits[0]["qualname"], hits[0]["path"], hits[0]["start_line"]) == ("reserve", "shop/stock.py", 1)


@pytest.mark.parametrize(
    ("query", "param"), [("", "q"), ("q=", "q"), ("q=x&limit=9999", "limit"), ("q=x&limit=no", "limit")]
)
def test_a_bad_search_names_its_field(site, query, param):
    """400 with a sentence."""
    answer = site.get(f"/api/search?{query}")
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, param)


def test_the_file_view_marks_the_cited_lines(site):
    """Anchors for every line, the span marked, everything escaped."""
    page = site.get("/file/shop/orders.py?lines=4-6").text
    assert page.count('class="l hit"') == 3
    assert '<span class="l hit" id="L4">' in page
    assert "lines 4 to 6 marked" in page
    assert "<script>alert(1)" not in site.get("/file/shop/%3Cb%3E.py").text
    assert "&lt;script&gt;alert(1)" in site.get("/file/shop/%3Cb%3E.py").text


def test_a_long_file_comes_in_pages(site):
    """The page that holds the lines asked for, with ways on and back."""
    first = site.get("/file/shop/long.py").text
    assert first.count('class="l') == PAGE_LINES
    assert 'href="/file/shop/long.py?from=1001">Next page' in first
    assert "Previous page" not in first
    middle = site.get("/file/shop/long.py?lines=1500-1501").text
    assert 'id="L1001"' in middle
    assert 'id="L2001"' not in middle
    last = site.get("/file/shop/long.py?from=2001").text
    assert 'id="L2500"' in last
    assert "Next page" not in last


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("shop/none.py", 404),
        (".env", 404),
        ("../../etc/passwd", 404),
        ("%2e%2e/%2e%2e/etc/passwd", 404),
        ("/etc/passwd", 404),
        ("shop", 404),
        ("shop/orders.py?lines=0", 400),
        ("shop/orders.py?lines=9-4", 400),
        ("shop/orders.py?lines=99999-100000", 400),
        ("shop/orders.py?lines=%3Cb%3E", 400),
    ],
)
def test_what_cannot_be_shown_says_why_on_a_page(site, path, status):
    """Only files of the index are shown; the reason is readable and escaped."""
    answer = site.get(f"/file/{path}")
    assert answer.status_code == status
    assert "KEY=secret" not in answer.text
    assert "root:" not in answer.text
    assert "<b>" not in answer.text


def test_no_repository_is_said(client):
    """Search and file view answer 501 with a sentence."""
    assert client.get("/api/search?q=x").status_code == 501
    assert "No repository" in client.get("/api/search?q=x").json()["error"]["message"]


def test_health_says_who_we_are(client):
    """`roteiro ask` finds the server of its root by it."""
    health = client.get("/health").json()
    assert (health["name"], health["root"], health["model"], health["status"]) == (
        "roteiro",
        "/repo",
        "local-model",
        "ok",
    )


@requirement("models.codex-catalog")
def test_models_with_and_without_the_catalog(client):
    """Codex reads a `models` array, the SDKs `data`."""
    assert "models" not in client.get("/v1/models").json()
    for base in ("/general/v1", "/ask/v1"):
        assert client.get(f"{base}/models").json() == client.get("/v1/models").json(), base
    body = client.get("/v1/models?client_version=0.171.0").json()
    assert [entry["slug"] for entry in body["models"]] == ["local-model", "other"]
    assert body["models"][0]["context_window"] == 32_768
    assert [entry["id"] for entry in body["data"]] == ["local-model", "other"]


def test_the_listed_routes_exist(client, live):
    """What a 404 promises is there, and nothing that is there is left out."""
    app_routes = {
        f"{method} {path}"
        for route in live.service.models and live.server.config.app.routes
        for path in [route.path_format]
        for method in route.methods - {"OPTIONS", "HEAD"}
    }
    shown = {entry.replace("{id}", "{model_id}") for entry in ROUTES}
    hidden = {"GET /static/{name}"}
    scoped = {entry for entry in app_routes if entry.split(" ")[1].startswith(("/general", "/ask", "/v1/{project}"))}
    assert app_routes - scoped - hidden == shown


def test_a_damaged_store_is_told_and_the_server_goes_on_once_it_is_rebuilt(tmp_path):
    """Each route says how to mend it; nothing has to be restarted."""
    root = tmp_path / "shop"
    root.mkdir()
    for number in range(60):
        (root / f"m{number}.py").write_text(f"def place{number}(item):\n    return item\n" * 20)
    opened = Repository.open(root, cache_home=tmp_path / "cache")
    opened.sync()
    opened.store.shrink()
    engine = scripted(tmp_path, [{"text": "x"}])
    with (
        live_server(service_of(None, repository=opened), engine) as live,
        httpx.Client(base_url=live.url, timeout=DEADLINE_S, trust_env=False) as client,
    ):
        assert client.get("/file/m1.py").status_code == 200
        database = opened.places.database
        data = bytearray(database.read_bytes())
        data[8192:] = b"\x5a" * (len(data) - 8192)
        database.with_name("new.db").write_bytes(data)
        database.with_name("new.db").replace(database)
        for place in ("/api/search?q=place1", "/file/m1.py"):
            answer = client.get(place)
            assert (answer.status_code, "roteiro sync --rebuild" in answer.text) == (503, True)
        assert "roteiro sync --rebuild" in client.get("/api/status").json()["repository"]["reason"]
        with Repository.open(root, cache_home=tmp_path / "cache") as other:
            other.sync(rebuild=True)
        assert client.get("/api/search?q=place1").status_code == 200
        assert client.get("/file/m1.py").status_code == 200
        shutil.rmtree(opened.places.store_folder)
        assert client.get("/api/search?q=place1").status_code in {200, 503}
    opened.close()


def test_a_wrong_method_is_told_the_right_one(client):
    """Not that the route is missing."""
    answer = client.get("/api/ask")
    assert answer.status_code == 405
    assert answer.json()["error"]["message"] == "/api/ask does not answer GET; send POST."
    assert answer.json()["error"]["code"] == "method_not_allowed"


def test_head_of_the_page_has_its_type(client):
    """As the page itself does."""
    assert client.head("/").headers["content-type"].startswith("text/html")
