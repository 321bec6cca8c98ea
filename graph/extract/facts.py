"""What extraction says of one file: definitions, imports, and expressions reduced to what name resolution needs.

`Facts` are a pure function of (path, bytes, language, EXTRACT_VERSION). They know nothing of any other file: who is
called is decided in `graph.resolve`. The expression language below is shared by all languages with scopes, so that one
resolver can follow a value through assignments, parameters, returns and containers, whatever the syntax was.

Everything is a msgspec struct in array form: facts are stored per blob, and most of a large repository's facts are
never decoded again by an incremental sync. Facts are trees without cycles, so the structs stay out of the garbage
collector's sight (`gc=False`): one collection over the millions of them in a large repository takes seconds.

Scopes are numbered. Scope 0 is the module; each function, method, lambda and class body has its own scope, whose
number is the index in `Facts.scopes`. A definition that has a body names its scope.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from graph.model import NodeKind

__all__ = [
    "EXTRACT_VERSION",
    "Assign",
    "Attribute",
    "CallExpr",
    "ClassRef",
    "Collection",
    "Constant",
    "Definition",
    "Expr",
    "Facts",
    "FunctionRef",
    "Import",
    "ImportedName",
    "Marker",
    "Name",
    "Parameter",
    "Scope",
    "Section",
    "Subscript",
    "Union",
    "Unknown",
]

EXTRACT_VERSION = 3
"""Raise it whenever the facts of any file change; it is part of the cache key."""


class Name(Struct, frozen=True, array_like=True, tag="n", tag_field="_", gc=False):
    """A bare name as written. `self`, `cls`, `this`, `super` are names too."""

    id: str


class Attribute(Struct, frozen=True, array_like=True, tag="a", tag_field="_", gc=False):
    """`base.name` (also `base?.name` and `base["name"]` in JavaScript)."""

    base: Expr
    name: str
    line: int = 0
    """The line of `name`."""


class CallExpr(Struct, frozen=True, array_like=True, tag="c", tag_field="_", gc=False):
    """A call. Each call expression of a file is once in `Scope.calls`; nested ones are also inside their parents."""

    function: Expr
    line: int
    """The line of the callee's name (the last component); 0 for a call that happens without being written as one: a
    decorator applied to what it decorates, `raise Refused`."""
    arguments: tuple[Expr, ...] = ()
    keywords: tuple[tuple[str, Expr], ...] = ()
    constructs: bool = False
    """Written with `new`, or a JSX element."""
    start_line: int = 0
    """The line on which the call expression starts; 0 when it is `line`."""


class Constant(Struct, frozen=True, array_like=True, tag="k", tag_field="_", gc=False):
    """A literal: its type (`str`, `int`, `float`, `bool`, `none`, `regex`, `template`, `slice`), and short values."""

    type: str
    value: str = ""


class Collection(Struct, frozen=True, array_like=True, tag="l", tag_field="_", gc=False):
    """A list, tuple, set, dict or object literal; `keys` runs beside `values` and is empty for list-likes.

    `comprehension` in `type` means `values` holds the element expression once. A key of `Constant("spread")` stands
    beside a value whose entries are all taken over (`...other`, `**other`).
    """

    type: str
    values: tuple[Expr, ...]
    keys: tuple[Expr, ...] = ()
    scope: int = -1
    """The scope of kind `object` that owns the functions of an object literal; -1 when it has none."""


class Subscript(Struct, frozen=True, array_like=True, tag="s", tag_field="_", gc=False):
    """`base[index]`; in annotations this is the generic application `List[int]`."""

    base: Expr
    index: Expr


class FunctionRef(Struct, frozen=True, array_like=True, tag="f", tag_field="_", gc=False):
    """A function expression or lambda: the scope of its body (its definition, if any, is found by the scope)."""

    scope: int


class ClassRef(Struct, frozen=True, array_like=True, tag="C", tag_field="_", gc=False):
    """A class expression: the scope of its body."""

    scope: int


class Union(Struct, frozen=True, array_like=True, tag="u", tag_field="_", gc=False):
    """Any of these: `a or b`, `a if c else b`, `A | B` in annotations."""

    options: tuple[Expr, ...]


class Unknown(Struct, frozen=True, array_like=True, tag="?", tag_field="_", gc=False):
    """An expression whose value is not followed; the calls inside it still stand in `Scope.calls`."""


Expr: TypeAlias = (
    Name | Attribute | CallExpr | Constant | Collection | Subscript | FunctionRef | ClassRef | Union | Unknown
)
"""`await x`, `yield x`, `(x)`, `x!`, `x as T` and `*x` stand as `x` itself (see the extractors for what is erased)."""


class Parameter(Struct, frozen=True, array_like=True, gc=False):
    """A parameter in order, of a `kind`.

    `positional`, `keyword`, `rest` (`*args`, `...rest`), `keyrest` (`**kwargs`), `all` (`arguments`, after the others).
    """

    name: str
    annotation: Expr | None = None
    default: Expr | None = None
    kind: str = "positional"


class Assign(Struct, frozen=True, array_like=True, gc=False):
    """`target = value` in one scope, in source order.

    Targets are Name, Attribute (`self.x = ...`) or Subscript (`table["k"] = f`). `how` says what the value means:

    `value` it is the value; `unpack:N` element N of it; `field:NAME` the property NAME of it (destructuring);
    `iterate` an element of it (for loops); `iterate:N` element N of an element (`for k, v in pairs`), in Python also
    `iterate:N:M` element M of that, and so on, as with `unpack` and `enter`;
    `enter` what a `with` gives; `catch` an instance of that type (except clauses, class patterns);
    `getter` it is what calling the value gives; `setter` the value is called with what is assigned to the target;
    `annotation` the value is a type, nothing is assigned; `narrow:L` a type test says so up to line L, `holds:L`
    the same where `function[N]` is one that has a predicate of its parameter N as result, in Python `is:L`
    and, where the target is none of the value, `isnt:L`; `type` the
    target is another name of a type;
    `delete` the name is deleted (value Unknown); `generic` and `extends`, without a target and first in a scope, list
    the type parameters of a function or class of TypeScript, and the base classes that get type arguments.

    A target Unknown keeps what is entered or iterated without a name, for the implicit calls of it.
    """

    target: Expr
    value: Expr
    how: str = "value"
    line: int = 0
    """The line from which on it holds: the last line of an assignment, the head line of a loop."""
    flow: int = 0
    """Whether it surely happens when its body runs: 0 yes, 1 in a branch, 2 in a loop (later lines reach it)."""
    until: int = 0
    """Behind it and up to this line it surely has happened: the end of its branch or loop; 0 where that is not told."""


class Scope(Struct, array_like=True, gc=False):
    """One body: what is assigned, called, returned and merely mentioned in it, each in source order."""

    kind: str
    """`module`, `function`, `class`, `lambda`, `comprehension` (its calls belong to the nearest named encloser).

    JavaScript adds: `lambda` is an arrow function (it has no `this` of its own, but may have a definition), `object`
    owns the functions of an object literal, `initializer` and `static` hold what a class body runs for an instance and
    for the class (`this.field = value` there), `block` what a block binds whose function means something else by it:
    all else of it belongs to the function. Names are not looked up in `class` and `object` scopes. A `module`
    scope other than 0 is a namespace.

    Go and Rust add: `extension` holds methods of a type that stands elsewhere. In Go the receiver is the first
    parameter; in Rust the name `Self` is assigned the type and the name `impl` the trait.
    """
    parent: int
    """The lexically enclosing scope; -1 for the module."""
    definition: int = -1
    """The index in `Facts.definitions`, or -1 (module, lambda)."""
    parameters: tuple[Parameter, ...] = ()
    assigns: tuple[Assign, ...] = ()
    calls: tuple[CallExpr, ...] = ()
    returns: tuple[Expr, ...] = ()
    yields: tuple[Expr, ...] = ()
    references: tuple[tuple[Expr, int], ...] = ()
    """Names and attributes used as values, (expression, line): arguments, decorators, defaults, assigned functions."""
    globals: tuple[str, ...] = ()
    nonlocals: tuple[str, ...] = ()
    return_annotation: Expr | None = None
    is_generator: bool = False
    is_async: bool = False


class Definition(Struct, frozen=True, array_like=True, gc=False):
    """A named thing. Its key is made by the index from language, path, qualname and the ordinal among equals."""

    kind: NodeKind
    name: str
    qualname: str
    start_line: int
    end_line: int
    name_line: int
    signature: str = ""
    doc: str = ""
    scope: int = -1
    """The scope of its body; -1 for variables and types."""
    owner: int = 0
    """The scope it is defined in."""
    bases: tuple[Expr, ...] = ()
    """Base classes, extended interfaces."""
    implements: tuple[Expr, ...] = ()
    decorators: tuple[Expr, ...] = ()
    annotation: Expr | None = None
    """The declared type of a variable; for a type alias what it stands for."""
    modifiers: tuple[str, ...] = ()
    """Sorted: `static`, `classmethod`, `property`, `abstract`, `async`, `overload`, `conditional`, `private` ...

    `detached` means that no scope binds the name: `a.b = function () {}`, a named function expression; such a function
    is reached through the value only.
    """
    exported: bool = True
    is_test: bool = False
    ordinal: int = 1
    """1 for the first definition with this qualname in the file, 2 for the next, ..."""


class ImportedName(Struct, frozen=True, array_like=True, gc=False):
    """One name of an import. `name` is what the other file calls it (`*` for all, `default`), `alias` what we do.

    An empty `alias` binds nothing here (a re-export, a side-effect import).
    """

    name: str
    alias: str


class Import(Struct, frozen=True, array_like=True, gc=False):
    """One import statement (or `require`, `import()`, `export ... from`), as written.

    `kind`: `module` (`import a.b` and `import * as ns from`: names hold one entry whose `name` is empty),
    `names` (`from m import a as b`, `import {a as b} from`), `reexport` (`export {a as b} from`, `export * from`),
    `effect` (`import "./x"`), `require`, `dynamic`, `declare` (`mod x;` in Rust, with the place that `#[path]` gives).
    """

    specifier: str
    """The module as written, without relative dots in Python (see `level`)."""
    kind: str
    line: int
    names: tuple[ImportedName, ...] = ()
    level: int = 0
    """Leading dots of a relative Python import."""
    scope: int = 0
    is_type_only: bool = False
    is_conditional: bool = False
    end_line: int = 0


class Section(Struct, frozen=True, array_like=True, gc=False):
    """A heading and the text below it, up to the next heading of its level or above."""

    title: str
    level: int
    anchor: str
    """The slug as rendered on code hosts, made unique in its file by `-1`, `-2`."""
    start_line: int
    end_line: int
    summary: str = ""
    """The first paragraph, at most 500 characters."""


class Marker(Struct, frozen=True, array_like=True, gc=False):
    """A debt marker: `TODO`, `FIXME`, `HACK`, `XXX`, with its text."""

    category: str
    text: str
    line: int


class Facts(Struct, array_like=True, gc=False):
    """Everything known of one file by itself."""

    language: str
    line_count: int
    definitions: tuple[Definition, ...] = ()
    imports: tuple[Import, ...] = ()
    scopes: tuple[Scope, ...] = ()
    exports: tuple[tuple[str, Expr], ...] = ()
    """Explicit exports, (public name, local expression): `export {a as b}`, `module.exports.x = f`.

    The name `=` stands for the module as a whole: `module.exports = f`, `export = f`. In Go `package` is the name of
    the package and `//go:build` the build constraint.
    """
    public_names: tuple[str, ...] | None = None
    """Python's `__all__` when it is a literal (concatenations included), else None."""
    sections: tuple[Section, ...] = ()
    mentions: tuple[tuple[str, int], ...] = ()
    """Identifiers in backticks and paths in links in prose, (text, line)."""
    markers: tuple[Marker, ...] = ()
    doc: str = ""
    """The file's own doc comment or the first paragraph."""
    error_count: int = 0
    """Syntax errors that the parser recovered from."""
    notes: tuple[str, ...] = ()
    """What was not understood, in words, each once."""
    decision_status: str = ""
    """The status of a decision record, in lower case; `unknown` when it states none, empty when the file is none."""
