"""Type tests: whose method is called behind `isinstance`, behind its opposite, and in the cases of a `match`."""

import pytest

HEAD = """
class Base:
    def go(self): pass

class Sub(Base):
    def go(self): pass

class Other:
    def go(self): pass

class Holder:
    def __init__(self, part: Sub | Other):
        self.part = part


def run(x: Sub | Other, base: Base, xs: list[Sub | Other], holder: Holder, unknown):
"""


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("x.go()", {"Sub", "Other"}),
        ("if isinstance(x, Sub):\n    x.go()", {"Sub"}),
        ("if isinstance(x, Sub):\n    pass\nelse:\n    x.go()", {"Other"}),
        ("if isinstance(x, Sub):\n    return\nx.go()", {"Other"}),
        ("if not isinstance(x, Sub):\n    x.go()", {"Other"}),
        ("if not isinstance(x, Sub):\n    return\nx.go()", {"Sub"}),
        ("if not isinstance(x, Sub):\n    raise TypeError\nelse:\n    x.go()", {"Sub"}),
        ("if isinstance(x, Sub):\n    pass\nelse:\n    return\nx.go()", {"Sub"}),
        ("if x and isinstance(x, Sub):\n    x.go()", {"Sub"}),
        ("if x and isinstance(x, Sub):\n    pass\nelse:\n    x.go()", {"Sub", "Other"}),
        ("if isinstance(x, Sub) or unknown:\n    x.go()", {"Sub", "Other"}),
        ("if isinstance(x, Sub) or unknown:\n    return\nx.go()", {"Other"}),
        ("if unknown:\n    pass\nelif isinstance(x, Sub):\n    x.go()", {"Sub"}),
        ("if unknown:\n    return\nelif isinstance(x, Sub):\n    return\nx.go()", {"Other"}),
        ("if unknown:\n    pass\nelif isinstance(x, Sub):\n    return\nx.go()", {"Sub", "Other"}),
        ("if isinstance(x, (Sub, Other)):\n    x.go()", {"Sub", "Other"}),
        ("if isinstance(x, Base):\n    x.go()", {"Sub"}),
        ("if isinstance(base, Sub):\n    base.go()", {"Sub"}),
        ("if isinstance(base, Sub):\n    return\nbase.go()", {"Base"}),
        ("if isinstance(unknown, Sub | Other):\n    unknown.go()", {"Sub", "Other"}),
        ("if isinstance(unknown, Sub) or isinstance(unknown, Base):\n    unknown.go()", {"Sub", "Base"}),
        ("if isinstance(x, Sub):\n    x = Other()\n    x.go()", {"Other"}),
        ("if type(x) is Sub:\n    x.go()", {"Sub"}),
        ("if type(x) is Sub:\n    return\nx.go()", {"Sub", "Other"}),
        ("assert isinstance(x, Sub)\nx.go()", {"Sub"}),
        ("if unknown:\n    assert isinstance(x, Sub)\nx.go()", {"Sub", "Other"}),
        ("while not isinstance(x, Sub):\n    x.go()", {"Other"}),
        ("while not isinstance(x, Sub):\n    pass\nx.go()", {"Sub"}),
        ("while not isinstance(x, Sub):\n    break\nx.go()", {"Sub", "Other"}),
        ("isinstance(x, Sub) and x.go()", {"Sub"}),
        ("isinstance(x, Sub) or x.go()", {"Other"}),
        ("x.go() if isinstance(x, Sub) else None", {"Sub"}),
        ("None if isinstance(x, Sub) else x.go()", {"Other"}),
        ("[y.go() for y in xs if isinstance(y, Sub)]", {"Sub"}),
        ("if isinstance(holder.part, Sub):\n    holder.part.go()", {"Sub"}),
        ("if not isinstance(holder.part, Sub):\n    return\nholder.part.go()", {"Sub"}),
        ("if isinstance(holder.part, Sub):\n    holder = Holder(x)\n    holder.part.go()", {"Sub", "Other"}),
        ("match x:\n    case Sub():\n        x.go()", {"Sub"}),
        ("match unknown:\n    case Sub() | Other():\n        unknown.go()", {"Sub", "Other"}),
        ("match unknown:\n    case Sub() as y:\n        y.go()", {"Sub"}),
    ],
)
def test_a_test_decides_whose_method_is_called(graph, body, wanted):
    """Exactly the methods of what the receiver still can be are called."""
    indented = "".join(f"    {line}\n" for line in body.split("\n"))
    found = graph({"m.py": HEAD + indented})
    called = {name for name in found.callees("m.py#run") if name.endswith(".go")}
    assert called == {f"m.py#{name}.go" for name in wanted}


def test_a_test_does_not_hide_a_name_of_the_module(graph):
    """Testing a global in a function binds nothing there."""
    head = "class A:\n    def go(self): pass\n\nx = A()\n\n"
    text = head + "def run():\n    if isinstance(x, str):\n        pass\n    x.go()\n"
    assert graph({"m.py": text}).callees("m.py#run") == {"m.py#A.go"}


def test_a_result_is_read_where_the_test_holds(graph):
    """`return x.me()` behind a test gives what the tested class gives."""
    text = (
        "class A:\n    def me(self): return self\n    def go(self): pass\n\n"
        "class B:\n    def me(self): return self\n    def go(self): pass\n\n"
        "def pick(x: A | B):\n    if isinstance(x, A):\n        return x.me()\n    raise TypeError\n\n"
        "def run(x):\n    pick(x).go()\n"
    )
    assert graph({"m.py": text}).callees("m.py#run") == {"m.py#pick", "m.py#A.go"}


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("if unknown:\n    y = Sub()\n    y.go()\nelse:\n    y = Other()\n    y.go()", {"Sub", "Other"}),
        ("y = Sub()\nif unknown:\n    y = Other()\n    y.go()", {"Other"}),
        ("y = Sub()\nif unknown:\n    y = Other()\ny.go()", {"Sub", "Other"}),
        ("y = Sub()\nfor z in xs:\n    y.go()\n    y = Other()", {"Sub", "Other"}),
        ("y = Sub()\nfor z in xs:\n    y = Other()\n    y.go()", {"Other"}),
        ("y = Sub()\nfor y in [Other()]:\n    y.go()", {"Other"}),
    ],
)
def test_an_assignment_in_a_branch_is_sure_up_to_its_end(graph, body, wanted):
    """Behind an assignment and inside of its branch or loop only that one counts."""
    indented = "".join(f"    {line}\n" for line in body.split("\n"))
    called = {name for name in graph({"m.py": HEAD + indented}).callees("m.py#run") if name.endswith(".go")}
    assert called == {f"m.py#{name}.go" for name in wanted}


def test_each_branch_calls_its_own(graph):
    """What one branch assigns is nothing to the other one."""
    body = "    if unknown:\n        y = Sub()\n        first(y.go)\n    else:\n        y = Other()\n        y.go()\n"
    called = {name for name in graph({"m.py": HEAD + body}).callees("m.py#run") if name.endswith(".go")}
    assert called == {"m.py#Other.go"}
