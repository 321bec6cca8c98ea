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
