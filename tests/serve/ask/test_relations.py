"""Questions about an edge of the graph: recognised, answered from callers and callees, never refused."""

from __future__ import annotations

import pytest

from graph.repository import Repository
from serve.ask.loop import AskLoop
from serve.ask.priming import prime
from serve.ask.relations import relation_in
from serve.ask.result import collect
from serve.ask.retrieval import MIN_CONFIDENCE, Question, retrieve
from serve.settings import AskSettings

FILES = {
    "stock.py": '''\
class OutOfStockError(Exception):
    """There is not enough left."""


class Stock:
    """How many of each article are there."""

    def __init__(self, counts):
        self._counts = dict(counts)

    def reserve(self, article, count):
        """Take articles out of the stock."""
        if self._counts.get(article, 0) < count:
            raise OutOfStockError(article)

    def release(self, article, count):
        self._counts[article] += count
''',
    "orders.py": '''\
from stock import Stock


def place_order(stock: Stock, basket):
    """Reserve everything in a basket and return the price."""
    for article, count in basket.items():
        stock.reserve(article, count)
    return total_price(basket)


def total_price(basket):
    return sum(PRICES[article] * count for article, count in basket.items())


PRICES = {"apple": 3, "pear": 4}
''',
    "main.py": """\
from orders import place_order
from stock import Stock


def run():
    stock = Stock({"apple": 10})
    print(place_order(stock, {"apple": 2}))


run()
""",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """Return a repository of three files."""
    root = tmp_path_factory.mktemp("shop")
    for path, text in FILES.items():
        (root / path).write_text(text)
    with Repository.open(root) as opened:
        opened.sync()
        yield opened


@pytest.mark.parametrize(
    ("question", "direction", "name"),
    [
        ("who calls reserve?", "callers", "reserve"),
        ("Which functions call Session.send", "callers", "Session.send"),
        ("What uses the Stock class?", "callers", "Stock"),
        ("list all callers of reserve()", "callers", "reserve"),
        ("where is Stock used?", "callers", "Stock"),
        ("Where is `total_price` called from?", "callers", "total_price"),
        ("is reserve called anywhere?", "callers", "reserve"),
        ("who raises OutOfStockError?", "callers", "OutOfStockError"),
        ("show me where reserve is used", "callers", "reserve"),
        ("where in the code is reserve called?", "callers", "reserve"),
        ("What is calling place_order", "callers", "place_order"),
        ("does anything call release?", "callers", "release"),
        ("how many places call reserve?", "callers", "reserve"),
        ("which tests use Stock?", "callers", "Stock"),
        ("who calls the function reserve in stock.py?", "callers", "reserve"),
        ("what does the reserve method of Stock call?", "callees", "reserve"),
        ("What does place_order call?", "callees", "place_order"),
        ("what is called by run?", "callees", "run"),
        ("which functions does run invoke?", "callees", "run"),
    ],
)
def test_a_question_about_an_edge_is_recognised(question, direction, name):
    """In the ways that people ask it."""
    found = relation_in(question)
    assert found is not None
    assert (found.direction, found.name) == (direction, name)


@pytest.mark.parametrize(
    "question",
    [
        "Where is the session cookie signed?",
        "What does send use to sign cookies?",
        "Which class uses the session to store cookies?",
        "What does this project do?",
        "",
    ],
)
def test_other_questions_are_left_to_the_search(question):
    """Also those that hold the same verbs and ask for more."""
    assert relation_in(question) is None


@pytest.mark.parametrize(
    ("question", "tool", "places"),
    [
        ("who calls reserve?", "callers", ["place_order", "Stock.reserve"]),
        ("where is Stock used?", "callers", ["run", "Stock"]),
        ("where is `stock.Stock` used?", "callers", ["run", "Stock"]),
        ("who calls release?", "callers", ["Stock.release"]),
        ("What does place_order call?", "callees", ["Stock.reserve", "total_price", "place_order"]),
    ],
)
def test_the_graph_gives_the_evidence(shop, question, tool, places):
    """The other ends of the edge first, the symbol itself last; a name that nobody calls is told as such."""
    primed = prime(shop, Question(text=question), 500, 3)
    assert primed.step.tool == tool
    assert primed.confidence > MIN_CONFIDENCE
    assert [place.name for place in primed.shown] == places
    if question == "who calls release?":
        assert "is called by nothing in the indexed files" in primed.text


def test_a_call_site_is_shown_with_its_line(shop):
    """The line of code is what a person would look for."""
    primed = prime(shop, Question(text="who calls reserve?"), 500, 3)
    assert "function `place_order` in orders.py:4-8, line 7: stock.reserve(article, count)" in primed.text


def test_of_two_symbols_of_one_name_the_owner_decides(tmp_path):
    """A class, or a file."""
    (tmp_path / "one.py").write_text("class One:\n    def go(self):\n        pass\n\n\ndef a():\n    One().go()\n")
    (tmp_path / "two.py").write_text("class Two:\n    def go(self):\n        pass\n\n\ndef b():\n    Two().go()\n")
    with Repository.open(tmp_path) as repository:
        repository.sync()
        for question, caller in (
            ("who calls the go method of Two?", "b"),
            ("who calls go in one.py?", "a"),
            ("who calls Two.go?", "b"),
        ):
            assert prime(repository, Question(text=question), 500, 3).shown[0].name == caller


def test_a_pronoun_means_what_the_question_before_was_about(shop):
    """The best hit of that question."""
    question = Question(text="Who calls it?", previous="What takes articles out of the stock?")
    assert [place.name for place in prime(shop, question, 500, 3).shown] == ["place_order", "Stock.reserve"]


def test_a_name_that_no_symbol_has_is_searched_as_text(shop):
    """Nothing is made up."""
    primed = prime(shop, Question(text="who calls frobnicate?"), 500, 3)
    assert primed.step.tool == "search"
    assert primed.confidence < MIN_CONFIDENCE


def test_the_list_stays_within_the_budget_and_counts_the_rest(tmp_path):
    """Forty callers do not fit; the answer says how many are missing."""
    calls = "\n\n".join(f"def caller_{index}():\n    return wanted({index})" for index in range(40))
    (tmp_path / "many.py").write_text(f"def wanted(x):\n    return x\n\n\n{calls}\n")
    with Repository.open(tmp_path) as repository:
        repository.sync()
        primed = prime(repository, Question(text="Who calls `wanted`?"), 200, 3)
    assert len(primed.text) < 200 * 3.3 + 200
    assert f"- and {40 - len(primed.shown) + 1} more" in primed.text


async def test_the_answer_cites_the_encloser_of_the_call_and_the_definition(shop, written, asked):
    """Both verified: they exist, were shown, and are named."""
    loop = AskLoop(written("`place_order` calls `reserve`, once for each article."), shop, AskSettings())
    result = await collect(loop.run(asked("who calls reserve?")))
    assert not result.is_refusal
    cited = [(place.path, place.start_line, place.end_line, place.verified) for place in result.citations]
    assert cited == [("orders.py", 4, 8, True), ("stock.py", 11, 14, True)]


async def test_that_the_answer_repeats_the_asked_name_does_not_outweigh_a_caller(shop, written, asked):
    """The line of the call is quoted: its encloser is cited first."""
    loop = AskLoop(written('`Stock` is used in main.py: `stock = Stock({"apple": 10})`.'), shop, AskSettings())
    result = await collect(loop.run(asked("where is Stock used?")))
    assert result.citations[0].name == "run"


@pytest.mark.parametrize(
    "question",
    ["How is the price computed?", "How does reserve work?", "Which error is raised when an article is sold out?"],
)
def test_a_small_repository_answers_with_the_few_words_it_has(shop, question):
    """A question in other words finds fewer of its own there."""
    assert retrieve(shop, Question(text=question)).confidence > MIN_CONFIDENCE


@pytest.mark.parametrize(
    "question",
    ["How is the Kafka offset committed?", "Where is the user password hashed?", "How are invoices rendered as PDF?"],
)
def test_a_small_repository_still_refuses_what_it_has_nothing_of(shop, question):
    """None of the words stand there."""
    assert retrieve(shop, Question(text=question)).confidence < MIN_CONFIDENCE
