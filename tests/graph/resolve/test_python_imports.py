"""Every form of a Python import leads where Python leads it."""

import pytest

from graph.model import EdgeKind

CORE = "def f():\n    pass\n"


@pytest.mark.parametrize(
    ("statement", "call"),
    [
        ("from pkg.core import f", "f()"),
        ("from pkg.core import f as g", "g()"),
        ("from pkg import core", "core.f()"),
        ("import pkg.core", "pkg.core.f()"),
        ("import pkg.core as c", "c.f()"),
        ("from pkg.core import *", "f()"),
        ("from pkg import f", "f()"),
        ("import pkg", "pkg.f()"),
    ],
)
def test_absolute_forms(graph, statement, call):
    """All forms bind the one function."""
    files = {
        "pkg/__init__.py": "from .core import f\n",
        "pkg/core.py": CORE,
        "main.py": f"{statement}\n\ndef run():\n    {call}\n",
    }
    found = graph(files)
    assert found.callees("main.py#run") == {"pkg/core.py#f"}
    assert any(src == "main.py" and dst.startswith("pkg/") for src, dst in found.edges(EdgeKind.IMPORTS))


@pytest.mark.parametrize(
    ("statement", "call"),
    [
        ("from ..core import f", "f()"),
        ("from .. import core", "core.f()"),
        ("from ..core import (\n    f as g,\n)", "g()"),
    ],
)
def test_relative_forms(graph, statement, call):
    """Dots climb from the importing file."""
    files = {
        "src/pkg/__init__.py": "",
        "src/pkg/core.py": CORE,
        "src/pkg/sub/__init__.py": "",
        "src/pkg/sub/user.py": f"{statement}\n\ndef run():\n    {call}\n",
    }
    assert graph(files).callees("src/pkg/sub/user.py#run") == {"src/pkg/core.py#f"}


@pytest.mark.parametrize(
    "body",
    [
        "def run():\n    from core import f\n    f()\n",
        "try:\n    from fast import f\nexcept ImportError:\n    from core import f\n\ndef run():\n    f()\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from core import f\n\ndef run():\n    f()\n",
    ],
)
def test_conditional_and_local_imports(graph, body):
    """An import counts wherever it stands."""
    assert graph({"core.py": CORE, "main.py": body}).callees("main.py#run") == {"core.py#f"}


def test_star_imports_keep_to_what_is_public(graph):
    """`__all__` decides, and without it a leading underscore."""
    files = {
        "a.py": "__all__ = ['f']\n\ndef f():\n    pass\n\ndef g():\n    pass\n",
        "b.py": "def g():\n    pass\n\ndef _h():\n    pass\n",
        "main.py": "from a import *\nfrom b import *\n\ndef run():\n    f()\n    g()\n    _h()\n",
    }
    found = graph(files)
    assert found.callees("main.py#run") == {"a.py#f", "b.py#g"}
    assert found.unresolved() == {"_h"}


def test_reexports_of_any_depth(graph):
    """A chain of packages hands the name on."""
    files = {f"p/{'/'.join('q' * depth)}/__init__.py".replace("//", "/"): "from .q import f\n" for depth in range(6)}
    files["p/q/q/q/q/q/q/__init__.py"] = CORE
    files["main.py"] = "from p import f\n\ndef run():\n    f()\n"
    assert graph(files).callees("main.py#run") == {"p/q/q/q/q/q/q/__init__.py#f"}


def test_tests_reach_a_package_in_a_source_folder(graph):
    """The folder above the package is no part of its name."""
    files = {
        "src/pkg/__init__.py": "",
        "src/pkg/core.py": CORE,
        "tests/test_core.py": "from pkg.core import f\n\ndef test_f():\n    f()\n",
    }
    assert graph(files).callees("tests/test_core.py#test_f") == {"src/pkg/core.py#f"}


def test_namespace_packages_need_no_init(graph):
    """A folder is a module."""
    files = {"ns/part/core.py": CORE, "main.py": "from ns.part.core import f\n\ndef run():\n    f()\n"}
    assert graph(files).callees("main.py#run") == {"ns/part/core.py#f"}


def test_the_nearest_of_several_roots_wins(graph):
    """Two distributions in one repository may both have a `util`."""
    files = {
        "one/util.py": CORE,
        "one/main.py": "import util\n\ndef run():\n    util.f()\n",
        "two/util.py": CORE,
        "two/main.py": "import util\n\ndef run():\n    util.f()\n",
    }
    found = graph(files)
    assert found.callees("one/main.py#run") == {"one/util.py#f"}
    assert found.callees("two/main.py#run") == {"two/util.py#f"}


def test_the_standard_library_is_not_shadowed_by_a_module_of_a_package(graph):
    """Inside a package `import logging` is the standard one."""
    files = {
        "pkg/__init__.py": "",
        "pkg/logging.py": "def getLogger():\n    pass\n",
        "pkg/app.py": "import logging\n\ndef run():\n    logging.getLogger()\n",
    }
    found = graph(files)
    assert found.callees("pkg/app.py#run") == set()
    assert found.unresolved() == set()


def test_stubs_serve_where_there_is_no_source(graph):
    """A `.pyi` alone is the module."""
    files = {"fast.pyi": "def f() -> int: ...\n", "main.py": "from fast import f\n\ndef run():\n    f()\n"}
    assert graph(files).callees("main.py#run") == {"fast.pyi#f"}


def test_cyclic_imports_end(graph):
    """Two modules that take a name from each other have none, and nobody hangs."""
    files = {
        "a.py": "from b import x\nfrom b import f\n",
        "b.py": "from a import x\n\ndef f():\n    x()\n",
        "main.py": "from a import f, x\n\ndef run():\n    f()\n    x()\n",
    }
    assert graph(files).callees("main.py#run") == {"b.py#f"}


def test_public_names_of_submodules_come_along(graph):
    """A package that adds the lists of its modules to its own hands all of their names on."""
    files = {
        "p/__init__.py": "from .q import *\nfrom . import q\n__all__ = ['f']\n__all__ += q.__all__\ndef f(): pass\n",
        "p/q.py": "__all__ = ['g']\n\ndef g():\n    pass\n",
        "main.py": "from p import *\n\ndef run():\n    f()\n    g()\n",
    }
    assert graph(files).callees("main.py#run") == {"p/__init__.py#f", "p/q.py#g"}


def test_a_namespace_package_may_lie_below_several_roots(graph):
    """Folders that nothing names as roots still hold the parts of a namespace package."""
    files = {
        "one/shop/cart.py": CORE,
        "two/shop/till.py": "def g():\n    pass\n",
        "examples/shop/toy.py": "def h():\n    pass\n",
        "main.py": (
            "from shop.cart import f\nfrom shop.till import g\nfrom shop.toy import h\n"
            "\ndef run():\n    f()\n    g()\n    h()\n"
        ),
    }
    assert graph(files).callees("main.py#run") == {"one/shop/cart.py#f", "two/shop/till.py#g"}


@pytest.mark.parametrize("folder", ["typings", "stubs"])
def test_folders_of_stubs_serve_modules_without_source(graph, folder):
    """What stands in such a folder describes modules from outside; sources in it are no modules of the rest."""
    files = {
        f"{folder}/outer.pyi": "def f() -> int: ...\n",
        f"{folder}/tool.py": CORE,
        "app/main.py": "import outer\nimport tool\n\ndef run():\n    outer.f()\n    tool.f()\n",
    }
    assert graph(files).callees("app/main.py#run") == {f"{folder}/outer.pyi#f"}


def test_a_module_may_import_what_it_is_asked_for(graph):
    """The imports in the `__getattr__` of a module stand for its members of these names, and only for those."""
    files = {
        "pkg/__init__.py": (
            "def __getattr__(name):\n    if name == 'f':\n        from .core import f\n        return f\n"
            "    raise AttributeError(name)\n"
        ),
        "pkg/core.py": CORE + "\ndef g():\n    pass\n",
        "main.py": "import pkg\nfrom pkg import f, g\n\ndef run():\n    f()\n\ndef other():\n    pkg.f()\n    g()\n",
    }
    found = graph(files)
    assert found.callees("main.py#run") == {"pkg/core.py#f"}
    assert found.callees("main.py#other") == {"pkg/core.py#f"}


@pytest.mark.parametrize(
    ("path", "arguments"),
    [("main.py", "'pkg.core'"), ("pkg/__init__.py", "'.core', __name__"), ("pkg/user.py", "'.core', __package__")],
)
def test_a_module_that_is_imported_by_a_written_out_name(graph, path, arguments):
    """`import_module` with a literal gives that module."""
    text = f"import importlib\n\ndef run():\n    importlib.import_module({arguments}).f()\n"
    files = {"pkg/__init__.py": "", "pkg/core.py": CORE, path: text}
    assert graph(files).callees(f"{path}#run") == {"pkg/core.py#f"}


def test_a_relative_name_without_its_package_leads_nowhere(graph):
    """Where a relative name starts is told by the second argument alone."""
    text = "import importlib\n\ndef run(package):\n    importlib.import_module('.core', package).f()\n"
    assert graph({"pkg/__init__.py": text, "pkg/core.py": CORE}).callees("pkg/__init__.py#run") == set()
