"""The page in a real browser: ask, watch, check the sources; by keyboard; without a model; nothing from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from graph.repository import Repository
from tests.serving import Live, live_server, scripted, service_of

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

pytestmark = pytest.mark.browser

_CHROMIUM = Path("/usr/bin/chromium")
_ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]

_HOSTILE = "<img src=x onerror=alert(1)> ![x](http://evil.example/x.png) [a](javascript:alert(1)) **bold**"
_REPLIES: list[dict[str, object]] = [
    {"when": {"contains": "break"}, "text": ["Half ", "an"], "fail": {"message": "The engine is gone.", "after": 1}},
    {"when": {"contains": "hang"}, "text": ["Half ", "an"], "piece_delay_ms": 3_600_000},
    {"when": {"contains": "hostile"}, "text": _HOSTILE},
    {"when": {"contains": ""}, "text": ["`place` ", "reserves the item."]},
]


@pytest.fixture(scope="module")
def browser() -> Iterator[playwright.Browser]:
    if not _CHROMIUM.exists():
        pytest.skip(f"there is no {_CHROMIUM}")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=str(_CHROMIUM), args=_ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Repository]:
    root = tmp_path_factory.mktemp("house")
    (root / "shop").mkdir()
    (root / "shop" / "orders.py").write_text(
        "import shop\n\n\ndef place(item):\n    # now\n    return shop.get(item)\n"
    )
    with Repository.open(root, cache_home=tmp_path_factory.mktemp("cache")) as repository:
        repository.sync()
        yield repository


@pytest.fixture(scope="module")
def live(opened: Repository, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    engine = scripted(tmp_path_factory.mktemp("script"), _REPLIES)
    with live_server(service_of(engine, repository=opened), engine) as server:
        yield server


@pytest.fixture
def page(browser: playwright.Browser, live: Live) -> Iterator[playwright.Page]:
    """Open the page; whatever the console complains about, or is loaded from elsewhere, fails the test."""
    context = browser.new_context()
    shown = context.new_page()
    complaints: list[str] = []
    shown.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    shown.on("pageerror", lambda error: complaints.append(str(error)))
    shown.on("request", lambda sent: None if sent.url.startswith(live.url) else complaints.append(sent.url))
    shown.goto(live.url)
    shown.wait_for_selector("#facts dd")
    yield shown
    context.close()
    assert complaints == []


def _ask(page: playwright.Page, question: str) -> playwright.Locator:
    page.get_by_label("Ask about this repository").fill(question)
    page.keyboard.press("Enter")
    return page.locator("article").last


def test_ask_watch_and_check_a_source(page):
    """Steps, answer, sources with their state, and the lines in the file."""
    turn = _ask(page, "What does place do?")
    playwright.expect(turn.get_by_text("✓ verified")).to_be_visible()
    playwright.expect(turn.locator(".answer")).to_contain_text("reserves the item.")
    playwright.expect(turn.locator(".answer code")).to_have_text("place")
    playwright.expect(turn.locator(".answer")).to_have_attribute("aria-busy", "false")
    step = turn.locator("details")
    playwright.expect(step.locator("pre")).to_be_hidden()
    step.locator("summary").click()
    playwright.expect(step.locator("pre")).to_have_text("<b>")
    turn.get_by_role("link", name="shop/orders.py:4-6").click()
    playwright.expect(page).to_have_url(re.compile(r"/file/shop/orders\.py\?lines=4-6#L4$"))
    assert page.locator(".code .hit").count() == 3
    playwright.expect(page.locator("#L4")).to_be_in_viewport()
    page.go_back()


def test_the_head_says_what_is_served(page, opened):
    """Repository, freshness, model, and that the source stays here."""
    facts = page.locator("#facts")
    for text in (opened.root.name, "up to date", "local-model", "stays on this machine"):
        playwright.expect(facts).to_contain_text(text)


def test_a_follow_up_sends_the_turns_before(page, live):
    """The conversation goes along; a failed turn does not."""
    _ask(page, "first question")
    playwright.expect(page.locator(".foot").last).to_contain_text("written")
    _ask(page, "please break")
    playwright.expect(page.get_by_role("alert")).to_have_text("The engine is gone.")
    _ask(page, "second question")
    playwright.expect(page.locator("article")).to_have_count(3)
    playwright.expect(page.locator("article").last.locator(".foot")).to_contain_text("written")
    contents = [message.content for message in live.engine.requests[-1].messages]
    assert contents == ["first question", "`place` reserves the item.", "second question"]
    page.get_by_role("button", name="New conversation").click()
    playwright.expect(page.locator("article")).to_have_count(0)


def test_what_a_model_says_is_made_harmless(page):
    """No image is loaded, no script link is left, markup is text."""
    turn = _ask(page, "hostile")
    playwright.expect(turn.locator(".answer strong")).to_have_text("bold")
    assert turn.locator(".answer img").count() == 0
    assert turn.locator(".answer a[href^=javascript]").count() == 0
    playwright.expect(turn.locator(".answer")).to_contain_text("<img src=x onerror=alert(1)>")


def test_stop_by_keyboard(page, live):
    """Escape ends the answer here and the generation there; what came stays."""
    turn = _ask(page, "hang")
    playwright.expect(turn.locator(".answer")).to_contain_text("Half")
    page.keyboard.press("Escape")
    playwright.expect(turn.locator(".foot")).to_have_text("Stopped.")
    playwright.expect(turn.locator(".answer")).to_contain_text("Half")
    playwright.expect(page.get_by_role("button", name="Ask")).to_be_enabled()
    served = live.service.models["local-model"]
    page.wait_for_function("() => fetch('/health').then(r => r.json()).then(h => h.running === 0)")
    assert served.slots.running == 0


def test_everything_is_reached_by_keyboard_in_order(page):
    """The box has the focus; Tab goes to Ask, Search; the slash comes back."""
    assert page.evaluate("document.activeElement.id") == "question"
    order = []
    for _ in range(2):
        page.keyboard.press("Tab")
        order.append(page.evaluate("document.activeElement.id"))
    assert order == ["send", "find"]
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "question"
    playwright.expect(page.locator("#question")).to_have_value("")


def test_search_only(page):
    """Hits lead to their lines."""
    page.get_by_label("Ask about this repository").fill("place")
    page.get_by_role("button", name="Search only").click()
    hit = page.locator(".hits a").first
    playwright.expect(hit).to_have_text("place")
    hit.click()
    playwright.expect(page).to_have_url(re.compile("lines=4-6"))
    page.go_back()


def test_without_a_model_search_is_the_way(browser, opened, tmp_path):
    """The page says so and Enter searches."""
    engine = scripted(tmp_path, [{"text": "x"}])
    with live_server(service_of(None, repository=opened), engine) as server:
        context = browser.new_context()
        page = context.new_page()
        page.goto(server.url)
        playwright.expect(page.locator("#notice")).to_contain_text("No model is loaded")
        playwright.expect(page.get_by_role("button", name="Ask")).to_be_disabled()
        page.get_by_label("Ask about this repository").fill("place")
        page.keyboard.press("Enter")
        playwright.expect(page.locator(".hits a").first).to_have_text("place")
        context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_is_enough_in_both_schemes(browser, live, scheme):
    """All pairs of text and ground have a contrast of 4.5 or more, and nothing is wider than a phone."""
    context = browser.new_context(color_scheme=scheme, viewport={"width": 360, "height": 740})
    page = context.new_page()
    page.goto(live.url)
    turn = _ask(page, "What does place do?")
    playwright.expect(turn.get_by_text("✓ verified")).to_be_visible()
    turn.locator("summary").click()
    poor = page.evaluate(_CONTRAST)
    width = page.evaluate("document.documentElement.scrollWidth")
    context.close()
    assert poor == []
    assert width <= 360


_CONTRAST = r"""() => {
  const parse = (c) => c.match(/[\d.]+/g).map(Number);
  const lum = ([r, g, b]) => [r, g, b].map((v) => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length < 4 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const e of document.body.querySelectorAll("*")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.getClientRects().length || e.closest(".skip, noscript") || e.disabled) continue;
    const [a, b] = [lum(parse(getComputedStyle(e).color)), lum(ground(e))].sort((x, y) => y - x);
    const ratio = (a + .05) / (b + .05);
    if (ratio < 4.5) poor.push(`${e.tagName}.${e.className}: ${ratio.toFixed(2)}`);
  }
  return poor;
}"""
