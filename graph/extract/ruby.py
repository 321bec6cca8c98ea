"""The facts of a Ruby file: what it defines, what it requires, the names of what it calls.

Ruby defines by calling: `attr_reader`, `define_method`, `alias_method`, `Struct.new` and the words of visibility are
read where their arguments are literals. What other calls define (`def_delegators`, macros of frameworks) is not known.
"""

from __future__ import annotations

import tree_sitter_ruby
from tree_sitter import Language, Node

from graph.extract.facts import Attribute, Expr, Facts, ImportedName, Name
from graph.extract.outline_comments import HASHES
from graph.extract.outline_core import Outline, OutlineReader, extract_outline, reader_of
from graph.extract.outline_names import named_expr
from graph.extract.python_scopes import UNKNOWN
from graph.model import NodeKind

__all__ = ["extract_ruby"]

_CLASS_MAKERS = frozenset({"Struct", "Class", "Data"})
_VISIBILITY = frozenset({"private", "protected", "public", "module_function"})
_ATTRIBUTES = {"attr_reader": ("",), "attr": ("",), "attr_writer": ("=",), "attr_accessor": ("",)}
_REQUIRES = frozenset({"require", "require_relative", "load", "autoload"})
_MIXINS = frozenset({"include", "extend", "prepend"})


def _class(walk: OutlineReader, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is None:
        return
    kind = NodeKind.MODULE if node.type == "module" else NodeKind.CLASS
    over = node.child_by_field_name("superclass")
    base = named_expr(walk.text(over, 200).lstrip("< \n")) if over is not None else None
    full = ".".join(part for part in "".join(walk.text(name, 300).split()).split("::") if part)
    text = walk.data[node.start_byte : over.end_byte if over is not None else name.end_byte][:300]
    walk.define(
        kind,
        name,
        node,
        name=full,
        opens="class",
        bases=(base,) if base is not None else (),
        signature=" ".join(text.decode("utf-8", "replace").split()),
    )


def _method(walk: OutlineReader, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is None:
        return
    is_static = node.type == "singleton_method" or "singleton" in walk.visibility.get(-1 - walk.body.number, "")
    extra = ("static",) if is_static else ()
    if walk.body.kind == "class" and walk.visibility.get(walk.body.number) == "module_function":
        extra = ("static",)
    text = walk.text(name, 200).replace(" ", "")
    holder = _holder(walk, node)
    if holder is None:
        walk.notes.add("a method of one object, which is an expression, was left out")
        return
    walk.define(
        NodeKind.METHOD if walk.body.kind == "class" or node.type == "singleton_method" else NodeKind.FUNCTION,
        name,
        node,
        name=holder + text,
        opens="function",
        stop=walk.child(node, "body"),
        extra=extra,
        signature=_head(walk, node, name),
        is_test=text.startswith("test_") and walk.body.kind == "class",
    )


def _holder(walk: OutlineReader, node: Node) -> str | None:
    """Return what stands before a method's name in its qualified name, with the dot; None where nobody can say.

    `def self.m` and `def D.m` inside of `D` are methods of what is around them, `def Q.m` is one of `Q`.
    """
    held_by = node.child_by_field_name("object")
    if held_by is None or held_by.type == "self":
        return ""
    if held_by.type not in ("constant", "scope_resolution"):
        return None
    path = ".".join(part for part in walk.text(held_by, 300).split("::") if part)
    around = walk.body.qualname.rstrip(".")
    return "" if around == path or around.endswith(f".{path}") else f"{path}."


def _head(walk: OutlineReader, node: Node, name: Node) -> str:
    parameters = node.child_by_field_name("parameters")
    end = parameters.end_byte if parameters is not None else name.end_byte
    return " ".join(walk.data[node.start_byte : min(end, node.start_byte + 900)].decode("utf-8", "replace").split())[
        :300
    ]


def _singleton(walk: OutlineReader, node: Node) -> None:
    """Open `class << self`: its methods are those of the class around it."""
    outer = walk.body
    opened = walk.enter("class", node, outer.qualname, outer.definition)
    walk.visibility[-1 - opened.number] = "singleton"


def _assignment(walk: OutlineReader, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or walk.body.kind == "function":
        return
    if left.type == "left_assignment_list":
        for item in walk.children(left, "constant"):
            walk.define(NodeKind.VARIABLE, item, node)
        return
    if left.type != "constant":
        return
    if right is not None and right.type == "call" and _made(walk, right):
        base = _first_constant(walk, right) if _receiver(walk, right) == "Class" else None
        bases = (base,) if base is not None else ()
        walk.define(
            NodeKind.CLASS, left, node, opens="class", bases=bases, signature=walk.text(node, 300).splitlines()[0]
        )
    else:
        walk.define(NodeKind.VARIABLE, left, node)


def _made(walk: OutlineReader, call: Node) -> bool:
    method = call.child_by_field_name("method")
    return method is not None and walk.text(method) in ("new", "define") and _receiver(walk, call) in _CLASS_MAKERS


def _receiver(walk: OutlineReader, call: Node) -> str:
    receiver = call.child_by_field_name("receiver")
    return walk.text(receiver, 80).removeprefix("::") if receiver is not None else ""


def _first_constant(walk: OutlineReader, call: Node) -> Expr | None:
    items = _arguments(call)
    return named_expr(walk.text(items[0], 200)) if items and items[0].type in ("constant", "scope_resolution") else None


def _arguments(call: Node) -> list[Node]:
    arguments = call.child_by_field_name("arguments")
    return arguments.named_children if arguments is not None else []


def _symbol(walk: OutlineReader, node: Node) -> str:
    if node.type == "simple_symbol":
        return walk.text(node, 200)[1:]
    return walk.string(node) or ""


def _call(walk: OutlineReader, node: Node) -> None:
    method = node.child_by_field_name("method")
    if method is None:
        return
    name = walk.text(method, 200)
    if node.child_by_field_name("receiver") is None and _declares(walk, node, name):
        return
    receiver = _receiver(walk, node)
    if not receiver or receiver == "self":
        walk.call(_own(walk, name), node, method)
    else:
        walk.call(Attribute(UNKNOWN, name), node, method, constructs=name == "new")


def _own(walk: OutlineReader, name: str) -> Expr:
    """Return what a call without a receiver, or with `self`, names: a method of the class around an instance method."""
    body = walk.body
    is_instance = (
        body.definition >= 0
        and walk.definitions[body.definition].kind is NodeKind.METHOD
        and "static" not in walk.definitions[body.definition].modifiers
    )
    return Attribute(Name("self") if is_instance else UNKNOWN, name)


def _declares(walk: OutlineReader, node: Node, name: str) -> bool:
    """Read a call that defines, requires or hides; False for any other call."""
    items = _arguments(node)
    if name in _REQUIRES:
        _require(walk, node, name, items)
    elif walk.body.kind == "function":
        return False
    elif name in _ATTRIBUTES:
        for item in items:
            for suffix in _ATTRIBUTES[name]:
                if text := _symbol(walk, item):
                    walk.define(NodeKind.METHOD, item, node, name=text + suffix, extra=("property",))
    elif name in ("define_method", "alias_method") and items and (text := _symbol(walk, items[0])):
        walk.define(NodeKind.METHOD, items[0], node, name=text, opens="function" if name == "define_method" else "")
    elif name in _VISIBILITY or name == "private_class_method":
        _hide(walk, name, items)
    elif name in _MIXINS and walk.body.definition >= 0:
        walk.notes.add(f"what `{name}` mixes in is not followed")
    else:
        return False
    return True


def _hide(walk: OutlineReader, name: str, items: list[Node]) -> None:
    if not items:
        walk.visibility[walk.body.number] = name
    elif any(item.type == "simple_symbol" for item in items):
        walk.notes.add(f"what `{name}` says of methods by their names is not followed")


def _word(walk: OutlineReader, node: Node) -> None:
    """Read a word alone on its line: `private` and its like hold for the methods below."""
    if walk.body.kind != "class":
        return
    text = walk.text(node, 20)
    if text in _VISIBILITY and node.start_byte >= 0 and _stands_alone(walk, node):
        walk.visibility[walk.body.number] = "" if text == "public" else text


def _stands_alone(walk: OutlineReader, node: Node) -> bool:
    end = walk.data.find(b"\n", node.end_byte)
    rest = walk.data[node.end_byte : end if end >= 0 else len(walk.data)].strip()
    before = walk.data[walk.data.rfind(b"\n", 0, node.start_byte) + 1 : node.start_byte].strip()
    return not before and (not rest or rest.startswith(b"#"))


def _require(walk: OutlineReader, node: Node, name: str, items: list[Node]) -> None:
    text = walk.string(items[-1]) if items else None
    if text is None:
        walk.notes.add(f"a `{name}` of what is not written out was not followed")
        return
    alias = (ImportedName(_symbol(walk, items[0]), ""),) if name == "autoload" and len(items) > 1 else ()
    walk.imported(node, text, "require", alias, level=1 if name == "require_relative" else 0)


def _alias(walk: OutlineReader, node: Node) -> None:
    name = node.child_by_field_name("name")
    if name is not None and walk.body.kind == "class" and name.type != "global_variable":
        walk.define(NodeKind.METHOD, name, node, name=walk.text(name).lstrip(":"))


RUBY = Outline(
    language="ruby",
    nodes={
        "class": _class,
        "module": _class,
        "singleton_class": _singleton,
        "method": _method,
        "singleton_method": _method,
        "assignment": _assignment,
        "alias": _alias,
        "call": _call,
        "identifier": _word,
    },
    comments=frozenset({"comment"}),
    style=HASHES,
    names=("identifier", "constant"),
    hidden=frozenset({"private"}),
)

_READER = reader_of(RUBY, Language(tree_sitter_ruby.language()))


def extract_ruby(data: bytes) -> Facts:
    """Return what one Ruby file says; never raises, whatever the bytes are."""
    return extract_outline(_READER, data)
