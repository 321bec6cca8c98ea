"""The table of tools: one way in, one way out."""

import msgspec
import pytest
from msgspec.structs import replace

from graph.errors import ArgumentError, KeyNotFoundError, PathError, StoreError
from graph.tools import call_tool, find_tool, input_schema, signature, tool_table
from tests.requirements import requirement

PLACE = {"path", "start_line", "end_line", "key", "name"}


def _text(repository, name, **arguments):
    return call_tool(repository, name, arguments).text


def test_the_table_has_every_tool_once():
    """In the order in which a reader should meet them."""
    names = [tool.name for tool in tool_table()]
    assert names == [
        *("search", "context", "source", "callers", "callees", "path", "impact", "overview"),
        *("explain", "outline", "list_kind", "debt", "changes"),
    ]
    assert [tool.name for tool in tool_table() if tool.is_default] == names[:8]


def test_a_signature_is_one_short_line():
    """What a prompt can afford."""
    assert signature(find_tool("callers")) == (
        "callers(key: str, depth?: int 1..5, include_inferred?: bool, limit?: int 1..200, cursor?: str)"
    )
    assert signature(find_tool("path")) == "path(from: str, to: str, max_hops?: int 1..12)"


def test_the_schema_names_what_is_required():
    """`project` comes last in every tool."""
    schema = input_schema(find_tool("path"))
    assert schema["required"] == ["from", "to"]
    assert list(schema["properties"]) == ["from", "to", "max_hops", "project"]


def test_an_unknown_tool_names_the_nearest_and_all(shop_repository):
    """A misspelt name leads to the right one."""
    with pytest.raises(ArgumentError, match=r"`calers`.*Did you mean `callers`.*overview"):
        call_tool(shop_repository, "calers", {})


@pytest.mark.parametrize(
    ("arguments", "argument", "words"),
    [
        ({"key": "price", "dept": 2}, "dept", "no argument `dept`. It takes: callers(key"),
        ({}, "key", "needs `key`"),
        ({"key": None}, "key", "needs `key`"),
        ({"key": 3}, "key", "expected `str`, got `int`; found 3"),
        ({"key": "price", "depth": 9}, "depth", "<= 5; found 9"),
        ({"key": "price", "depth": "two"}, "depth", "found 'two'"),
        ({"key": "price", "limit": [1]}, "limit", r"found [1]"),
        ({"key": "price", "cursor": "x"}, "cursor", "found"),
        ({"key": "price", "project": "other"}, "project", "only 'default' is served here"),
    ],
)
def test_a_wrong_argument_is_named_with_what_was_found(shop_repository, arguments, argument, words):
    """And with what would have worked."""
    with pytest.raises(ArgumentError) as raised:
        call_tool(shop_repository, "callers", arguments)
    assert raised.value.argument == argument
    assert words in str(raised.value) or words == "found"


def test_small_models_may_send_numbers_as_text_and_nulls(shop_repository):
    """What is meant is clear, so it is taken."""
    answer = call_tool(shop_repository, "callers", {"key": "price", "limit": "1", "cursor": None})
    assert (answer.arguments["limit"], answer.arguments["cursor"]) == (1, "")
    assert len(answer.result.calls) == 1


def test_callers_show_place_site_and_source_line(shop_repository):
    """Every place is `path:line`, which every tool takes as a key."""
    assert _text(shop_repository, "callers", key="price") == (
        "src/shop/cart.py:16-18 function price is called by 3 symbols at 3 places:\n"
        "- src/shop/cart.py:7-8 method Cart.total\n"
        "  line 8: return price(self)\n"
        "- src/shop/cart.py:25-29 function helper\n"
        "  line 29: return price(cart)\n"
        "- tests/test_cart.py:1-2 function test_price\n"
        "  line 2: price(None)\n"
        "[index of commit c0ffee, up to date]"
    )


def test_no_callers_says_why(shop_repository):
    """Nobody calls it by a rule; the candidates are counted."""
    text = _text(shop_repository, "callers", key="GiftCart.total")
    assert "no callers found" in text
    assert "1 unresolved call with a matching name: include_inferred=true" in text
    assert "Overrides src/shop/cart.py#Cart.total" in text


def test_inferred_callers_are_labelled(shop_repository):
    """A guess never looks like a fact."""
    text = _text(shop_repository, "callers", key="GiftCart.total", include_inferred=True)
    assert "main (inferred, confidence 0.5)" in text


def test_a_page_says_how_to_go_on(shop_repository):
    """The cursor that it prints gives the rest."""
    assert "2 more callers of 3: cursor=1" in _text(shop_repository, "callers", key="price", limit=1)
    rest = _text(shop_repository, "callers", key="price", limit=5, cursor="1")
    assert "helper" in rest
    assert "cursor=" not in rest


@pytest.mark.parametrize("limit_bytes", [250, 300, 500, 1_000])
def test_no_text_is_longer_than_its_limit_and_the_cursor_counts_what_is_shown(shop_repository, limit_bytes):
    """Following the printed cursors shows every caller once, however little fits at a time."""
    seen, cursor = [], ""
    for _ in range(5):
        answer = call_tool(shop_repository, "callers", {"key": "price", "cursor": cursor}, limit_bytes=limit_bytes)
        assert len(answer.text.encode()) <= limit_bytes
        seen += [line for line in answer.text.splitlines() if line.startswith("- ")]
        if "cursor=" not in answer.text:
            break
        cursor = answer.text.partition("cursor=")[2].split()[0]
    assert len(seen) == len(set(seen)) == 3


def test_source_shows_numbered_lines_of_a_symbol(shop_repository):
    """Exact text."""
    assert _text(shop_repository, "source", key="tax").splitlines()[:3] == [
        "src/shop/cart.py:21-22 of 29 lines, tax",
        "21  def tax(amount):",
        "22      return amount",
    ]


@pytest.mark.parametrize(
    ("lines", "span"), [("2-4", (2, 4)), ("5", (5, 5)), ("28-", (28, 29)), ("28-99", (28, 29)), ("", (1, 29))]
)
def test_source_shows_lines_of_a_file(shop_repository, lines, span):
    """A range, a line, an open end; all without any."""
    result = call_tool(shop_repository, "source", {"path": "src/shop/cart.py", "lines": lines}).result
    assert (result.start_line, result.end_line) == span


def test_a_symbol_where_a_path_is_asked_for_is_understood(shop_repository):
    """Models mix the two up; only one meaning is possible."""
    result = call_tool(shop_repository, "source", {"path": "src/shop/cart.py#tax"}).result
    assert (result.start_line, result.name) == (21, "tax")


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({}, ArgumentError, "either `key` or `path`"),
        ({"key": "tax", "path": "README.md"}, ArgumentError, "either `key` or `path`"),
        ({"path": "README.md", "lines": "9-3"}, ArgumentError, "`lines`"),
        ({"path": "README.md", "lines": "first"}, ArgumentError, "7 lines"),
        ({"path": "lib/cart.py"}, PathError, "Files of that name: src/shop/cart.py"),
        ({"path": "dist/app.min.js"}, PathError, "minified"),
        ({"path": "../secret"}, PathError, "index"),
        ({"key": "taxx"}, KeyNotFoundError, "cart.py#tax"),
    ],
)
def test_source_refuses_with_what_would_work(shop_repository, arguments, error, words):
    """Each by its own name."""
    with pytest.raises(error) as raised:
        call_tool(shop_repository, "source", arguments)
    assert words in str(raised.value)


def test_long_source_is_paged_by_lines(shop_repository):
    """The answer says which lines to ask for next."""
    text = call_tool(shop_repository, "source", {"path": "src/shop/cart.py"}, limit_bytes=600).text
    assert len(text.encode()) <= 600
    shown = [line for line in text.splitlines() if line[:2].strip().isdigit() and line[2:4] == "  "]
    assert f"lines={len(shown) + 1}-29" in text


def test_path_shows_each_hop_with_its_line_and_provenance(shop_repository):
    """The source line of the call stands below."""
    text = _text(shop_repository, "path", **{"from": "helper", "to": "tax"})
    assert "helper leads to src/shop/cart.py:21-22 function tax, in 2 hops:" in text
    assert "  calls src/shop/cart.py:16-18 function price  (line 29 of src/shop/cart.py, derived)\n" in text
    assert "     return price(cart)\n" in text


def test_path_says_how_an_edge_reads_from_its_end(shop_repository):
    """A call of a method may run the one that overrides it."""
    text = _text(shop_repository, "path", **{"from": "helper", "to": "GiftCart.total"})
    assert "  is overridden by src/shop/cart.py:12-13 method GiftCart.total" in text


def test_overview_fits_in_a_glance(shop_repository):
    """Languages, packages, entry points, hotspots."""
    text = _text(shop_repository, "overview")
    assert text.startswith("5 files indexed (1 skipped)")
    assert "python 4 files" in text


def test_context_names_what_it_left_out(shop_repository):
    """With the tool that shows the rest."""
    text = _text(shop_repository, "context", key="price", budget=100)
    assert text.startswith("Reading list for src/shop/cart.py:16-18 function price")
    assert "Left out:" in text


def test_an_answer_says_how_many_files_are_newer(shop_repository):
    """And why they were not indexed first."""
    shop_repository.fresh = replace(
        shop_repository.fresh, built_commit="abcdef0123456789", changed_files=3, reason="about 9 s of work"
    )
    last = _text(shop_repository, "callers", key="tax").splitlines()[-1]
    assert last == "[index of commit abcdef0123; 3 files are newer: about 9 s of work]"


def test_a_repository_that_is_not_indexed_says_what_to_do(shop_repository):
    """Never an empty answer that looks like a true one."""
    shop_repository.fresh = replace(shop_repository.fresh, is_indexed=False)
    with pytest.raises(StoreError, match="roteiro sync"):
        call_tool(shop_repository, "overview", {})


def test_results_carry_the_same_place_fields_everywhere(shop_repository):
    """`--json` prints them."""
    calls = msgspec.to_builtins(call_tool(shop_repository, "callers", {"key": "price"}).result)
    context = msgspec.to_builtins(call_tool(shop_repository, "context", {"key": "price"}).result)
    source = msgspec.to_builtins(call_tool(shop_repository, "source", {"key": "price"}).result)
    overview = msgspec.to_builtins(call_tool(shop_repository, "overview", {}).result)
    path = msgspec.to_builtins(call_tool(shop_repository, "path", {"from": "helper", "to": "tax"}).result)
    places = [
        *calls["calls"],
        calls["of"],
        *context["items"],
        source,
        *overview["hotspots"],
        *overview["entry_points"],
        path["start"],
        path["hops"][0]["source"],
    ]
    assert all(place.keys() >= PLACE for place in places)


@pytest.mark.parametrize(
    ("name", "arguments", "listed"),
    [
        ("impact", {"key": "price"}, "reached"),
        ("outline", {"path": "src/shop/cart.py"}, "entries"),
        ("outline", {"path": "src"}, "entries"),
        ("list_kind", {"kind": "file"}, "symbols"),
    ],
)
def test_lists_carry_places_totals_and_cursors(shop_repository, name, arguments, listed):
    """The same words in each, so that a program reads them all alike."""
    answer = msgspec.to_builtins(call_tool(shop_repository, name, {**arguments, "limit": 1}).result)
    assert answer["total"] > len(answer[listed]) == 1
    assert answer["cursor"] == "1"
    assert answer[listed][0].keys() >= PLACE


def test_impact_shows_the_edge_to_each_symbol_and_tests_last(shop_repository):
    """Distance first, then the edge and its line."""
    assert _text(shop_repository, "impact", key="tax") == (
        "A change of src/shop/cart.py:21-22 function tax reaches 4 symbols in 2 files, 1 of them in tests "
        "(1 at distance 1, 3 at distance 2):\n"
        "- 1: src/shop/cart.py:16-18 function price\n"
        "  calls src/shop/cart.py#tax line 18\n"
        "- 2: src/shop/cart.py:7-8 method Cart.total\n"
        "  calls src/shop/cart.py#price line 8\n"
        "- 2: src/shop/cart.py:25-29 function helper\n"
        "  calls src/shop/cart.py#price line 29\n"
        "- 2: tests/test_cart.py:1-2 function test_price\n"
        "  calls src/shop/cart.py#price line 2, test\n"
        "[index of commit c0ffee, up to date]"
    )


@pytest.mark.parametrize("arguments", [{}, {"key": "tax", "base": "HEAD"}])
def test_impact_takes_a_symbol_or_a_revision(shop_repository, arguments):
    """One of the two."""
    with pytest.raises(ArgumentError, match="give one"):
        call_tool(shop_repository, "impact", arguments)


def test_explain_shows_every_kind_of_edge_with_how_it_is_known(shop_repository):
    """One heading a kind and direction."""
    text = _text(shop_repository, "explain", key="Cart.total")
    assert text == (
        "src/shop/cart.py:7-8 method Cart.total (python)\n"
        "def total(self):\n"
        "is in (1):\n"
        "- src/shop/cart.py:1-8 class Cart  (derived)\n"
        "is called by (1):\n"
        "- src/shop/cart.py:25-29 function helper  (line 27, derived)\n"
        "calls (1):\n"
        "- src/shop/cart.py:16-18 function price  (line 8, derived)\n"
        "is overridden by (1):\n"
        "- src/shop/cart.py:12-13 method GiftCart.total  (line 12, derived)\n"
        "Note: 1 unresolved call of that name may reach it too: callers with include_inferred=true lists them.\n"
        "[index of commit c0ffee, up to date]"
    )


def test_explain_says_how_to_go_on(shop_repository):
    """A cursor pages every group at once."""
    assert "is called by (3, 2 more behind these):" in _text(shop_repository, "explain", key="price", limit=1)
    assert "2 more neighbours: cursor=1" in _text(shop_repository, "explain", key="price", limit=1)
    assert "is called by (3, 1 more behind these):" in _text(
        shop_repository, "explain", key="price", limit=1, cursor="1"
    )


def test_an_outline_is_nested_and_a_folder_lists_its_files(shop_repository):
    """With the lines to ask for."""
    assert _text(shop_repository, "outline", path="src/shop/cart.py").splitlines()[:3] == [
        "src/shop/cart.py file: 8 symbols",
        "1-8: class Cart:",
        "    4-5: def __init__(self, owner):",
    ]
    assert "src/shop/ holds 3 indexed files:\n- src/shop/__init__.py 1 lines, 0 symbols" in _text(
        shop_repository, "outline", path="src/shop/"
    )
    assert "1 symbol" in _text(shop_repository, "outline", path="src/shop/cart.py#GiftCart")


def test_a_kind_without_symbols_says_what_there_is(shop_repository):
    """And an unknown one names the nearest."""
    assert "2 symbols of kind class:" in _text(shop_repository, "list_kind", kind="classes")
    assert "No struct below src. There are: 4 function, 3 file, 3 method, 2 class." in _text(
        shop_repository, "list_kind", kind="struct", path="src"
    )
    with pytest.raises(ArgumentError, match=r"no kind 'metod'. Did you mean `method`\?"):
        call_tool(shop_repository, "list_kind", {"kind": "metod"})


def test_no_debt_says_what_was_looked_for(shop_repository):
    """All four categories, unless some are named."""
    assert _text(shop_repository, "debt").startswith(
        "No FIXME, HACK, TODO, XXX. Comments of every indexed file were read."
    )


@pytest.fixture
def hub_repository(shop_repository):
    """Give the small repository with three thousand more callers of `price`."""
    store = shop_repository.store
    with store.write() as connection:
        (target,) = connection.execute("SELECT id FROM node WHERE qualname = 'price'").fetchone()
        (file_id,) = connection.execute("SELECT id FROM file WHERE path = 'src/shop/main.py'").fetchone()
        for number in range(3_000):
            name = f"a_caller_with_a_rather_long_name_{number:04}"
            node = connection.execute(
                "INSERT INTO node(project, file, key, kind, name, qualname, start_line, end_line, signature) "
                "VALUES (?, ?, ?, 'function', ?, ?, 4, 6, ?)",
                (store.project_id, file_id, f"sym:python:src/shop/main.py#{name}", name, name, "\u00e9" * 300),
            ).lastrowid
            connection.execute(
                "INSERT INTO edge(project, src, dst, kind, file, provenance, confidence, lines) "
                "VALUES (?, ?, ?, 'calls', ?, 'derived', 1.0, '5')",
                (store.project_id, node, target, file_id),
            )
    return shop_repository


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("callers", {"key": "price", "limit": 200}),
        ("callers", {"key": "tax", "depth": 5, "limit": 200}),
        ("context", {"key": "price", "budget": 8_000}),
        ("path", {"from": "main", "to": "tax"}),
        ("overview", {}),
        ("source", {"path": "src/shop/main.py"}),
        ("impact", {"key": "tax", "limit": 200}),
        ("explain", {"key": "price", "limit": 100}),
        ("list_kind", {"kind": "function", "limit": 500}),
        ("outline", {"path": "src/shop/main.py", "limit": 500}),
    ],
)
@requirement("mcp.bounded")
def test_the_hub_of_a_large_repository_fits_into_an_answer(hub_repository, name, arguments):
    """Eight thousand bytes, whatever the symbol."""
    assert len(call_tool(hub_repository, name, arguments).text.encode()) <= 8_000


@requirement("mcp.bounded")
def test_the_callers_of_a_hub_are_counted_and_paged(hub_repository):
    """The total is that of the whole list; the cursor counts what was shown."""
    answer = call_tool(hub_repository, "callers", {"key": "price", "limit": 200})
    shown = sum(line.startswith("- ") for line in answer.text.splitlines())
    assert answer.result.total == 3_003
    assert f"{3_003 - shown} more callers of 3003: cursor={shown}" in answer.text


def test_a_walk_that_reaches_too_much_stops_and_says_so(hub_repository):
    """A hub reaches half a repository in three steps."""
    answer = call_tool(hub_repository, "callers", {"key": "tax", "depth": 5})
    assert "Stopped at depth 2 with more than 2000 symbols." in answer.text


def test_a_listed_file_without_a_language_of_ours_can_be_shown(shop_repository):
    """Its lines are counted when it is asked for."""
    store = shop_repository.store
    (shop_repository.root / "setup.cfg").write_text("[metadata]\nname = shop\n")
    with store.write() as connection:
        connection.execute(
            "INSERT INTO file(project, path, status) VALUES (?, 'setup.cfg', 'other')", (store.project_id,)
        )
    assert "setup.cfg:1-2 of 2 lines\n1  [metadata]" in _text(shop_repository, "source", path="setup.cfg")


def test_a_file_begins_at_line_one(shop_repository):
    """Editors and citations count from 1."""
    found = msgspec.to_builtins(call_tool(shop_repository, "explain", {"key": "src/shop/cart.py"}).result)
    assert (found["of"]["kind"], found["of"]["start_line"]) == ("file", 1)
