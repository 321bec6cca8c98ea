"""A small store written by hand, for tests of the read side: it does not depend on extraction or resolution."""

from __future__ import annotations

from pathlib import Path

import pytest

from graph.store import Store

FILES = {
    "src/shop/__init__.py": "from .cart import Cart\n",
    "src/shop/cart.py": """\
class Cart:
    \"\"\"A cart. It holds items.\"\"\"

    def __init__(self, owner):
        self.owner = owner

    def total(self):
        return price(self)


class GiftCart(Cart):
    def total(self):
        return 0


def price(cart):
    \"\"\"Return the price of a cart.\"\"\"
    return tax(1)


def tax(amount):
    return amount


def helper():
    cart = Cart("me")
    cart.total()
    helper()
    return price(cart)
""",
    "src/shop/main.py": "from shop import Cart\n\n\ndef main():\n    Cart('you')\n    unknown().total()\n",
    "tests/test_cart.py": "def test_price():\n    price(None)\n",
    "README.md": "# Shop\n\nText.\n\n## Prices\n\nSee `price`.\n",
}

# key suffix: (path, kind, qualname, start, end, parent, is_test)
_NODES = [
    ("src/shop/cart.py", "class", "Cart", 1, 8),
    ("src/shop/cart.py", "method", "Cart.__init__", 4, 5),
    ("src/shop/cart.py", "method", "Cart.total", 7, 8),
    ("src/shop/cart.py", "class", "GiftCart", 11, 13),
    ("src/shop/cart.py", "method", "GiftCart.total", 12, 13),
    ("src/shop/cart.py", "function", "price", 16, 18),
    ("src/shop/cart.py", "function", "tax", 21, 22),
    ("src/shop/cart.py", "function", "helper", 25, 29),
    ("src/shop/main.py", "function", "main", 4, 6),
    ("tests/test_cart.py", "function", "test_price", 1, 2),
]

_EDGES = [
    ("Cart.total", "calls", "price", "8"),
    ("price", "calls", "tax", "18"),
    ("helper", "calls", "Cart.__init__", "26"),
    ("helper", "calls", "Cart.total", "27"),
    ("helper", "calls", "helper", "28"),
    ("helper", "calls", "price", "29"),
    ("main", "calls", "Cart", "5"),
    ("test_price", "calls", "price", "2"),
    ("GiftCart", "inherits", "Cart", "11"),
    ("GiftCart.total", "overrides", "Cart.total", "12"),
]


def _key(path: str, qualname: str) -> str:
    return f"sym:python:{path}#{qualname}"


@pytest.fixture
def shop_root(tmp_path: Path) -> Path:
    """Write the files of the small repository and return its root."""
    for path, text in FILES.items():
        (tmp_path / "repo" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "repo" / path).write_text(text)
    return tmp_path / "repo"


@pytest.fixture
def shop(shop_root: Path):
    """Give the store of the small repository."""
    store = Store.open(shop_root.parent / "graph.db", root=shop_root, create=True)
    with store.write() as connection:
        _fill(connection, store.project_id)
    yield store
    store.close()


class ShopRepository:
    """Stands in for a repository: the small store, the small files, and a freshness that a test may set."""

    project = "default"

    def __init__(self, root: Path, store: Store) -> None:
        from graph.repository import Freshness

        self.root = root
        self.store = store
        self.fresh = Freshness(commit="c0ffee", built_commit="c0ffee", changed_files=0)

    def refresh(self, budget_s: float):
        return self.fresh

    def read_lines(self, path: str, start: int = 1, end: int | None = None) -> str:
        lines = (self.root / path).read_text().splitlines(keepends=True)
        return "".join(lines[start - 1 : end])


@pytest.fixture
def shop_repository(shop_root: Path, shop: Store) -> ShopRepository:
    """Give the small repository as tools see it."""
    return ShopRepository(shop_root, shop)


def _fill(connection, project: int) -> None:
    docs = {"Cart": "A cart. It holds items.", "price": "Return the price of a cart."}
    files, nodes = {}, {}

    def add_node(path, key, kind, qualname, start, end, *, parent=None, is_test=0, signature="", doc=""):
        name = path.rsplit("/", 1)[-1] if kind == "file" else qualname.rsplit(".", 1)[-1]
        cursor = connection.execute(
            "INSERT INTO node(project, file, key, kind, name, qualname, start_line, end_line, signature, doc, parent, "
            "is_test) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (project, files[path], key, kind, name, qualname, start, end, signature, doc, parent, is_test),
        )
        nodes[qualname] = (cursor.lastrowid, files[path])

    def add_edge(src, kind, dst, lines="", provenance="derived"):
        connection.execute(
            "INSERT INTO edge(project, src, dst, kind, file, provenance, confidence, lines) VALUES (?,?,?,?,?,?,1.0,?)",
            (project, nodes[src][0], nodes[dst][0], kind, nodes[src][1], provenance, lines),
        )

    for path, text in FILES.items():
        language = "markdown" if path.endswith(".md") else "python"
        count = text.count("\n")
        files[path] = connection.execute(
            "INSERT INTO file(project, path, language, status, line_count) VALUES (?, ?, ?, 'indexed', ?)",
            (project, path, language, count),
        ).lastrowid
        add_node(path, f"file:{path}", "file", path, 0, count)
    connection.execute(
        "INSERT INTO file(project, path, status, reason) VALUES (?, 'dist/app.min.js', 'skipped', 'minified')",
        (project,),
    )
    add_node("README.md", "doc:README.md#prices", "section", "Prices", 5, 7, parent="file:README.md")
    for path, kind, qualname, start, end in _NODES:
        owner, _, _ = qualname.rpartition(".")
        parent = _key(path, owner) if owner else f"file:{path}"
        line = FILES[path].splitlines()[start - 1].strip()
        add_node(
            path,
            _key(path, qualname),
            kind,
            qualname,
            start,
            end,
            parent=parent,
            is_test=int("test" in path),
            signature=line,
            doc=docs.get(qualname, ""),
        )
        add_edge(owner or path, "contains", qualname)
    for src, kind, dst, lines in _EDGES:
        add_edge(src, kind, dst, lines)
    add_edge("src/shop/main.py", "imports", "src/shop/cart.py", "1")
    add_edge("src/shop/__init__.py", "imports", "src/shop/cart.py", "1")
    add_edge("Prices", "mentions", "price", "7")
    connection.execute(
        "INSERT INTO unresolved(project, file, src, name, line) VALUES (?, ?, ?, 'total', 6)",
        (project, nodes["main"][1], nodes["main"][0]),
    )
