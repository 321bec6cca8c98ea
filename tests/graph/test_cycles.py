"""Packages that import each other in a circle."""

from __future__ import annotations

from pathlib import Path

from graph.cycles import import_circles
from graph.overview import describe_repository
from graph.repository import Repository
from graph.tools import call_tool

FILES = {
    "shop/__init__.py": "",
    "shop/orders/__init__.py": "",
    "shop/orders/place.py": "from shop.stock.reserve import reserve\n\ndef place():\n    reserve()\n",
    "shop/stock/__init__.py": "",
    "shop/stock/reserve.py": "import shop.price.tax\n\ndef reserve():\n    pass\n",
    "shop/price/__init__.py": "",
    "shop/price/tax.py": "from shop.orders import place\nfrom shop.text import money\n",
    "shop/text/__init__.py": "def money():\n    pass\n",
    "tests/test_text.py": "from shop.text import money\n",
}


def indexed(root: Path, files: dict[str, str]) -> Repository:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    repository = Repository.open(root, cache_home=root.parent / "cache")
    repository.sync()
    return repository


def test_a_circle_names_all_its_packages_and_no_other(tmp_path):
    """The one that is only imported is not in it."""
    with indexed(tmp_path / "repo", FILES) as repository:
        (circle,) = import_circles(repository.store)
        assert circle.packages == ("shop/orders", "shop/price", "shop/stock")
        assert circle.imports >= 3
        assert describe_repository(repository.store).circles == (circle,)
        text = call_tool(repository, "overview", {}).text
        assert "Packages that import each other:\n  shop/orders, shop/price, shop/stock" in text


def test_without_a_circle_there_is_none(tmp_path):
    """One import less."""
    files = FILES | {"shop/price/tax.py": "from shop.text import money\n"}
    with indexed(tmp_path / "repo", files) as repository:
        assert import_circles(repository.store) == ()
        assert "import each other" not in call_tool(repository, "overview", {}).text
