"""How two symbols are connected."""

import random

import networkx as nx
import pytest

from graph.errors import ArgumentError, KeyNotFoundError
from graph.paths import find_path
from graph.store import Store


def _shown(path):
    return [(hop.source.qualname, hop.kind, hop.forward, hop.target.qualname) for hop in path.hops]


def test_a_leads_to_b_by_the_shortest_chain(shop):
    """Each hop with its kind, lines and provenance."""
    path = find_path(shop, "helper", "tax")
    assert path.relation == "forward"
    assert _shown(path) == [("helper", "calls", True, "price"), ("price", "calls", True, "tax")]
    assert [(hop.lines, hop.provenance) for hop in path.hops] == [((29,), "derived"), ((18,), "derived")]


def test_the_other_direction_is_found_and_said(shop):
    """`from` does not lead to `to`, but `to` leads to `from`."""
    path = find_path(shop, "tax", "helper")
    assert path.relation == "backward"
    assert _shown(path)[0] == ("helper", "calls", True, "price")


def test_what_is_in_a_class_counts_as_the_class(shop):
    """A class leads where its methods lead."""
    path = find_path(shop, "Cart", "tax")
    assert _shown(path) == [("Cart.total", "calls", True, "price"), ("price", "calls", True, "tax")]


def test_two_that_share_a_caller_meet_there(shop):
    """Neither leads to the other; the answer shows what they have in common."""
    path = find_path(shop, "main", "helper")
    assert path.relation == "meeting"
    assert _shown(path) == [
        ("main", "calls", True, "Cart"),
        ("Cart", "contains", True, "Cart.__init__"),
        ("Cart.__init__", "calls", False, "helper"),
    ]


def test_an_inner_symbol_is_connected_by_containment(shop):
    """A method is in its class."""
    path = find_path(shop, "Cart.total", "src/shop/cart.py")
    assert path.relation == "meeting"
    assert [hop.kind for hop in path.hops] == ["contains", "contains"]


def test_no_path_within_the_bound_says_so(shop):
    """The reason names the bound."""
    path = find_path(shop, "helper", "tax", max_hops=1)
    assert path.relation != "forward"
    path = find_path(shop, "test_price", "main", max_hops=1)
    assert (path.relation, path.hops) == ("none", ())
    assert "within 1 hop" in path.reason


def test_a_search_past_its_deadline_stops_and_says_so(shop):
    """A clock that runs away ends the search at once."""
    ticks = iter(range(0, 1_000_000, 10))
    path = find_path(shop, "helper", "tax", clock=lambda: float(next(ticks)))
    assert path.relation == "none"
    assert "cut short" in path.reason


def test_the_same_symbol_twice_has_no_path(shop):
    """Said in words."""
    assert "same symbol" in find_path(shop, "tax", "src/shop/cart.py#tax").reason


def test_a_wrong_end_is_named(shop):
    """Which of the two ends was wrong."""
    with pytest.raises(ArgumentError, match="`to`"):
        find_path(shop, "tax", "total")
    with pytest.raises(KeyNotFoundError, match="nowhere"):
        find_path(shop, "nowhere", "tax")


@pytest.mark.parametrize("seed", range(12))
def test_paths_are_as_short_as_a_graph_library_finds_them(tmp_path, seed):
    """On random graphs of calls: the same length, forward or backward, and every hop an edge."""
    chance = random.Random(seed)  # noqa: S311 (reproducible on purpose)
    names = [f"f{number}" for number in range(25)]
    oracle = nx.DiGraph()
    oracle.add_nodes_from(names)
    oracle.add_edges_from(tuple(chance.sample(names, 2)) for _ in range(chance.randint(15, 45)))
    store = _store_of(tmp_path, oracle)
    for start, end in (chance.sample(names, 2) for _ in range(20)):
        path = find_path(store, start, end, max_hops=12)
        if nx.has_path(oracle, start, end):
            expected = ("forward", nx.shortest_path_length(oracle, start, end))
        elif nx.has_path(oracle, end, start):
            expected = ("backward", nx.shortest_path_length(oracle, end, start))
        else:
            continue
        if expected[1] <= 12:
            assert (path.relation, len(path.hops)) == expected
            assert all(oracle.has_edge(hop.source.qualname, hop.target.qualname) for hop in path.hops)
    store.close()


def _store_of(folder, graph):
    """Return a store in which each node of the graph is a function and each edge a call."""
    store = Store.open(folder / "graph.db", root=folder, create=True)
    with store.write() as connection:
        file = connection.execute(
            "INSERT INTO file(project, path, language, status, line_count) VALUES (?, 'a.py', 'python', 'indexed', 99)",
            (store.project_id,),
        ).lastrowid
        ids = {
            name: connection.execute(
                "INSERT INTO node(project, file, key, kind, name, qualname, start_line, end_line, signature, doc, "
                "parent, is_test) VALUES (?, ?, ?, 'function', ?, ?, 1, 2, '', '', NULL, 0)",
                (store.project_id, file, f"sym:python:a.py#{name}", name, name),
            ).lastrowid
            for name in graph
        }
        connection.executemany(
            "INSERT INTO edge(project, src, dst, kind, file, provenance, confidence, lines) "
            "VALUES (?, ?, ?, 'calls', ?, 'derived', 1.0, '1')",
            [(store.project_id, ids[here], ids[there], file) for here, there in graph.edges],
        )
    return store
