"""Facts of JavaScript and TypeScript files."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph.extract.facts import (
    Attribute,
    CallExpr,
    ClassRef,
    Collection,
    Constant,
    Expr,
    Facts,
    FunctionRef,
    Import,
    ImportedName,
    Name,
    Subscript,
    Union,
    Unknown,
)
from graph.extract.javascript import extract_javascript


def facts_of(source: str, language: str = "typescript") -> Facts:
    return extract_javascript(language, source.encode())


def names(source: str, language: str = "typescript") -> list[str]:
    return [f"{item.kind.value} {item.qualname}" for item in facts_of(source, language).definitions]


def only_call(source: str, language: str = "typescript") -> CallExpr:
    (call,) = (call for scope in facts_of(source, language).scopes for call in scope.calls)
    return call


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("function f() { function g() {} }", ["function f", "function f.g"]),
        ("const f = () => 1, g = function () {}", ["function f", "function g"]),
        ("const f = ((a) => a) as Handler", ["function f"]),
        ("const f = memo(() => 1)", ["variable f"]),
        ("let b = function own() {}", ["variable b", "function own"][1:]),
        ("export default function () {}", ["function default"]),
        ("export default class {}", ["class default"]),
        ("async function* f() {}", ["function f"]),
        ("run(function named() {})", ["function named"]),
        ("class A { m() {} }", ["class A", "method A.m"]),
        (
            "class A { #p() {} get x() { return 1 } set x(v) {} }",
            ["class A", "method A.#p", "method A.x", "method A.x"],
        ),
        ("class A { f = () => 1; n = 2; static s = 3 }", ["class A", "method A.f", "variable A.n", "variable A.s"]),
        ("const A = class { m() {} }", ["class A", "method A.m"]),
        ("abstract class A { abstract m(): void }", ["class A", "method A.m"]),
        ("interface I { m(): void; p: string }", ["interface I", "method I.m", "variable I.p"]),
        ("enum E { A, B = f() }", ["enum E", "variable E.A", "variable E.B"]),
        ("type T = { m(): void }", ["method T.m", "type T"]),
        ("namespace N { export function f() {} }", ["module N", "function N.f"]),
        ("declare module 'm' { function f(): void }", ["module m", "function m.f"]),
        ("const { a, b: [c] } = f()", ["variable a", "variable c"]),
        (
            "const o = { m() {}, f: () => 1, k: { g() {} } }",
            ["variable o", "method o.m", "function o.f", "method o.k.g"],
        ),
        ("class A { constructor(private a: B) {} }", ["class A", "method A.constructor", "variable A.a"]),
    ],
)
def test_definitions_are_named_by_what_names_them(source: str, expected: list[str]) -> None:
    """A declaration, the variable, the field or the property; anonymous functions are no definitions."""
    assert names(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("exports.f = function () {}", ["function f"]),
        ("module.exports.f = () => 1", ["function f"]),
        ("module.exports = function () {}", ["function exports"]),
        ("function A() { this.m = function () {} }", ["function A", "function A.m"]),
        ("A.prototype.m = function () {}", ["method A.m"]),
        ("A.prototype = { m() {} }", ["method A.m"]),
        ("app.use = function use() {}", ["function app.use"]),
        ("describe('x', () => { it('y', () => { go() }) })", []),
    ],
)
def test_functions_assigned_to_properties_are_named_by_the_property(source: str, expected: list[str]) -> None:
    """The module itself and `this` are left out of the qualified name."""
    assert names(source, "javascript") == expected


def test_the_second_of_equal_names_has_ordinal_two() -> None:
    """Overloads come first, the implementation last."""
    facts = facts_of("function f(a: string): void; function f(a: any) {}")
    assert [(item.ordinal, item.modifiers) for item in facts.definitions] == [(1, ("overload",)), (2, ())]


def test_a_signature_without_implementation_is_ambient() -> None:
    """Declarations only: there is nothing that it overloads."""
    assert facts_of("declare function f(): void").definitions[0].modifiers == ("ambient",)


@pytest.mark.parametrize(
    ("source", "signature"),
    [
        ("export const f = async (a: string): Promise<X> => {\n}", "export const f = async (a: string): Promise<X>"),
        ("export function f(\n  a: A,\n  b: B\n) { }", "export function f( a: A, b: B )"),
        ("@D() export class A<T> extends B {\n}", "class A<T> extends B"),
        ("const a = 1", "const a = 1"),
        ("interface I extends J { a: A }", "interface I extends J"),
    ],
)
def test_signatures_are_one_line_without_the_body(source: str, signature: str) -> None:
    """As a reader would write it, decorators left out."""
    assert facts_of(source).definitions[0].signature == signature


def test_a_field_is_its_own_signature() -> None:
    """Without the value where that spans lines."""
    facts = facts_of("class A {\n  private a: B = {\n    c: 1,\n  }\n  b = 2\n}\nlet after = 1")
    assert [item.signature for item in facts.definitions[1:3]] == ["private a: B", "b = 2"]


@pytest.mark.parametrize(
    "source",
    [
        "/**\n * Says it.\n */\nfunction f() {}",
        "let x\n/**\n * Says it.\n */\n\nfunction f() {}",
        "// Says it.\nfunction f() {}",
        "/** Says it. */\n// eslint-disable-next-line\nexport function f() {}",
        "let x\n/** Says it. */\nconst f = () => 1",
    ],
)
def test_the_comment_above_is_the_doc(source: str) -> None:
    """A blank line or a directive between them does not part a doc comment from its function."""
    assert facts_of(source).definitions[-1].doc == "Says it."


def test_a_comment_at_the_top_apart_from_code_speaks_for_the_file() -> None:
    """It is not the doc of the first function."""
    facts = facts_of("/** The file. */\n\nfunction f() {}")
    assert (facts.doc, facts.definitions[0].doc) == ("The file.", "")


def test_debt_markers_are_found_in_comments_only() -> None:
    """A string that says TODO is no debt."""
    facts = facts_of("// TODO(me): fix\nlet a = 'FIXME'\n/* x\n * HACK later */")
    assert [(item.category, item.text, item.line) for item in facts.markers] == [
        ("TODO", "fix", 1),
        ("HACK", "later", 4),
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import d, {a as b} from './m'", [("names", "./m", [("default", "d"), ("a", "b")])]),
        ("import * as ns from './m'", [("module", "./m", [("", "ns")])]),
        ("import './m'", [("effect", "./m", [])]),
        ("import x = require('./m')", [("require", "./m", [("", "x")])]),
        ("export {a as b} from './m'", [("reexport", "./m", [("a", "b")])]),
        ("export * from './m'", [("reexport", "./m", [("*", "")])]),
        ("export * as n from './m'", [("reexport", "./m", [("", "n")])]),
        ("const x = require('./m')", [("require", "./m", [("", "x")])]),
        ("const {a, b: c} = require('./m')", [("require", "./m", [("a", "a"), ("b", "c")])]),
        ("const f = require('./m').f", [("require", "./m", [("f", "f")])]),
        ("require('./m')()", [("require", "./m", [])]),
        ("import('./m').then(m => m.f())", [("dynamic", "./m", [])]),
    ],
)
def test_every_form_of_import_is_read(source: str, expected: list[tuple[str, str, list[tuple[str, str]]]]) -> None:
    """ES modules, CommonJS, TypeScript's own form, and modules loaded inside expressions."""
    imports = facts_of(source).imports
    assert [(item.kind, item.specifier, [(n.name, n.alias) for n in item.names]) for item in imports] == expected


def test_type_only_imports_are_marked() -> None:
    """They lead to no code at run time."""
    assert facts_of("import type {A} from './m'").imports == (
        Import("./m", "names", 1, (ImportedName("A", "A"),), is_type_only=True, end_line=1),
    )


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("function f() {}\nexport { f as g }", [("g", Name("f"))]),
        ("export default f", [("default", Name("f"))]),
        ("export = f", [("=", Name("f"))]),
        ("module.exports = { a, b: c }", [("=", None), ("a", Name("a")), ("b", Name("c"))]),
        ("exports.a = b", [("a", Name("b"))]),
        ("module.exports = [a]", [("=", None)]),
    ],
)
def test_explicit_exports_are_listed(source: str, expected: list[tuple[str, Expr | None]]) -> None:
    """`=` stands for the module as a whole."""
    found = facts_of(source, "typescript" if "export " in source else "javascript").exports
    assert [(name, None if name == "=" else value) for name, value in found] == [
        (name, None if name == "=" else value) for name, value in expected
    ]


def test_exported_definitions_say_so() -> None:
    """By `export`, by an export list, or because a script has only globals."""
    facts = facts_of(
        "export function a() {}\nfunction b() {}\nfunction c() {}\nexport { c }\n"
        "export class D { private x() {} y() {} }"
    )
    exported = {item.qualname: item.exported for item in facts.definitions}
    assert exported == {"a": True, "b": False, "c": True, "D": True, "D.x": False, "D.y": True}
    assert facts_of("function f() {}", "javascript").definitions[0].exported


@pytest.mark.parametrize(
    ("source", "function"),
    [
        ("a.b?.c()", Attribute(Attribute(Name("a"), "b", 1), "c", 1)),
        ("a['b']()", Attribute(Name("a"), "b", 1)),
        ("a[0]()", Subscript(Name("a"), Constant("int", "0"))),
        ("(a || b)()", Union((Name("a"), Name("b")))),
        ("(x ? a : b)()", Union((Name("a"), Name("b")))),
        ("(a as any)()", Name("a")),
        ("a!()", Name("a")),
        ("new a.B()", Attribute(Name("a"), "B", 1)),
        ("tag`x${y}`", Name("tag")),
        ("super(1)", Name("super")),
        ("(() => 1)()", FunctionRef(1)),
    ],
)
def test_callees_are_reduced_to_what_resolution_needs(source: str, function: Expr) -> None:
    """What changes no value is erased; alternatives stay alternatives."""
    assert only_call(source).function == function


def test_a_call_knows_its_lines() -> None:
    """The line of the callee's name, and the line on which the expression starts."""
    call = only_call("a\n  .b(\n  1)")
    assert (call.line, call.start_line) == (2, 1)


def test_jsx_components_are_constructed_and_host_elements_are_not() -> None:
    """Attributes are one object; functions in them belong to the encloser."""
    facts = facts_of("const A = () => <div><Page title={name} go={() => run()} {...rest} /></div>", "tsx")
    calls = [call for scope in facts.scopes for call in scope.calls]
    component = next(call for call in calls if call.constructs)
    (attributes,) = (item for item in component.arguments if isinstance(item, Collection))
    assert component.function == Name("Page")
    assert attributes.keys == (Constant("str", "title"), Constant("str", "go"), Constant("spread"))
    assert Name("run") in [call.function for call in calls]


def test_an_object_literal_with_functions_has_a_scope_for_them() -> None:
    """Its functions are no names of the scope around it."""
    facts = facts_of("const o = { a: 1, m() {} }")
    (literal,) = (item.value for item in facts.scopes[0].assigns if isinstance(item.value, Collection))
    method = next(item for item in facts.definitions if item.name == "m")
    assert facts.scopes[literal.scope].kind == "object"
    assert method.owner == literal.scope
    assert facts.scopes[method.scope].parent == literal.scope


def test_fields_are_assigned_in_initialisers() -> None:
    """`this.field = value`: for an instance, and for the class."""
    facts = facts_of("class A { a = f(); static b = g() }")
    found = {scope.kind: [str(getattr(item.target, "name", "")) for item in scope.assigns] for scope in facts.scopes}
    assert (found["initializer"], found["static"]) == (["a"], ["b"])


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        ("A", Name("A")),
        ("A | null", Name("A")),
        ("A | B", Union((Name("A"), Name("B")))),
        ("A & B", Union((Name("A"), Name("B")))),
        ("A[]", Subscript(Name("Array"), Name("A"))),
        ("ns.A", Attribute(Name("ns"), "A", 1)),
        ("Map<K, V>", Subscript(Name("Map"), Collection("tuple", (Name("K"), Name("V"))))),
        ("typeof f", Subscript(Name("typeof"), Name("f"))),
        ("A['b']", Attribute(Name("A"), "b", 1)),
        ("(a: A) => B", FunctionRef(1)),
        ("{ a: A }", ClassRef(1)),
        ("any", None),
    ],
)
def test_annotations_are_expressions(annotation: str, expected: Expr | None) -> None:
    """Unions drop nothing values, functions and object types become scopes."""
    assert facts_of(f"let x: {annotation}").definitions[-1].annotation == expected


def variable(place: str, name: str, bound: Expr) -> Expr:
    return Subscript(Name("<T>"), Collection("tuple", (Constant("str", place), Constant("str", name), bound)))


def test_type_parameters_are_told_apart_by_their_place() -> None:
    """A use says where its parameter is declared and what it is at least; the head lists them in order."""
    facts = facts_of("function f<T extends A, U>(a: T, b: U): T {} type L<T> = T[]")
    scope = facts.scopes[1]
    first, second = variable("1", "T", Name("A")), variable("1", "U", Unknown())
    assert [item.annotation for item in scope.parameters] == [first, second]
    assert scope.return_annotation == first
    assert [item.value for item in scope.assigns if item.how == "generic"] == [first, second]
    alias = variable("2.1", "T", Unknown())
    assert facts.definitions[-1].annotation == Subscript(
        Name("<generic>"), Collection("tuple", (Subscript(Name("Array"), alias), alias))
    )


def test_type_arguments_stand_beside_the_call() -> None:
    """They are a keyword that no parameter can have; base classes get theirs in the body of the class."""
    facts = facts_of("class A extends B<C> {} f<D>(); new E<string>(x)")
    assert [call.keywords for call in facts.scopes[0].calls] == [
        (("<>", Collection("tuple", (Name("D"),))),),
        (("<>", Collection("tuple", (Name("string"),))),),
    ]
    assert [item.value for item in facts.scopes[1].assigns] == [Subscript(Name("B"), Name("C"))]


def test_bounds_that_name_each_other_stay_small() -> None:
    """In a bound other parameters have no bounds: each twice in the next would double with every one."""
    parameters = ", ".join(f"T{n + 1} extends [T{n}, T{n}]" for n in range(40))
    facts = facts_of(f"function f<T0, {parameters}>(a: T40) {{}}")
    assert len(str(facts.scopes[1].parameters[0])) < 2_000


def test_doc_comments_give_types_in_javascript_only() -> None:
    """TypeScript itself reads them in scripts and nowhere else."""
    source = "/**\n * @param {A} a\n * @returns {B[]}\n */\nfunction f(a) {}"
    scope = facts_of(source, "javascript").scopes[1]
    assert scope.parameters[0].annotation == Name("A")
    assert scope.return_annotation == Subscript(Name("Array"), Name("B"))
    assert facts_of(source).scopes[1].parameters[0].annotation is None


def test_call_signatures_on_the_next_line_do_not_break_the_file() -> None:
    """The grammar alone would read `): T` and `<U>` as one type and lose what follows."""
    facts = facts_of("interface I {\n  (a: A): T\n  <U>(b: B): U\n}\nclass After {}")
    assert facts.error_count == 0
    assert [item.name for item in facts.definitions] == ["I", "After"]


def test_syntax_errors_are_counted_and_the_rest_is_read() -> None:
    """What stands before and behind the error is there."""
    facts = facts_of("function a() {}\nlet = = ;\nfunction b() {}")
    assert facts.error_count > 0
    assert {"a", "b"} <= {item.name for item in facts.definitions}


@pytest.mark.parametrize(
    "source",
    [
        b"[" * 20_000,
        b"(" * 5_000 + b"x" + b")" * 5_000,
        b"f(" * 5_000 + b")" * 5_000,
        b"a" + b".b()" * 5_000,
        b"a+" * 20_000 + b"a",
        b"x=" + b"{a:" * 5_000 + b"1" + b"}" * 5_000,
        b"x=" + b"{a(){return " * 1_000 + b"1" + b"}}" * 1_000,
        b"function f(){" * 2_000 + b"}" * 2_000,
        b"if(a){}else " * 3_000 + b"{}",
        b"x=" + b"a?b:" * 5_000 + b"c",
        b"const " + b"{a:" * 3_000 + b"b" + b"}" * 3_000 + b"=c",
        b"`${" * 3_000,
        b"type A = " + b"A<" * 3_000 + b"B" + b">" * 3_000,
        b"type A = " + b"{a:" * 3_000 + b"B" + b"}" * 3_000,
        b"\x00" * 1_000 + b"\xff\xfe" * 1_000,
        b"\xef\xbb\xbfexport const a = 1",
        b"",
    ],
    ids=lambda source: source[:12].decode("latin-1"),
)
@pytest.mark.parametrize("language", ["javascript", "typescript", "tsx"])
def test_deep_and_broken_input_gives_facts_that_can_be_stored(language: str, source: bytes) -> None:
    """No recursion overflows, in reading or in encoding."""
    facts = extract_javascript(language, source)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(facts), type=Facts) == facts


PIECES = [
    "function", "f", "(", ")", "{", "}", "=>", "class", "A", "extends", ";", "=", "const", "let", "[", "]", ",",
    "...", "import", "export", "default", "from", "'./m'", "*", "as", "<", ">", "</", "`", "${", "await",
    "async", "new", ".", "?.", ":", "interface", "type", "enum", "@d", "static", "get", "#p", "return", "yield",
    "\n", "/** @param {A} b */", "Object.defineProperty", "exports", "module", "require", "1", "'s'", "if",
    "for", "of", "in", "instanceof", "typeof",
]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40), st.sampled_from(["javascript", "jsx", "typescript", "tsx"]))
def test_any_order_of_tokens_gives_consistent_facts(pieces: list[str], language: str) -> None:
    """Every number in the facts leads somewhere, whatever the source was."""
    facts = facts_of(" ".join(pieces), language)
    for item in facts.definitions:
        assert -1 <= item.scope < len(facts.scopes)
        assert 0 <= item.owner < len(facts.scopes)
        assert 1 <= item.start_line <= item.end_line <= facts.line_count + 1
    for number, scope in enumerate(facts.scopes):
        assert -1 <= scope.parent < number or number == 0
        assert -1 <= scope.definition < len(facts.definitions)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_give_facts(data: bytes) -> None:
    """Nothing is raised."""
    assert extract_javascript("tsx", data).language == "typescript"


@pytest.mark.parametrize("language", ["javascript", "typescript", "tsx"])
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("accessor x = 1; m() {}", ["A", "A.x", "A.m"]),
        ("static accessor x = new B()\n m() {}", ["A", "A.x", "A.m"]),
        ("@tracked static accessor x = 1\n @log('a') accessor #y\n m() {}", ["A", "A.x", "A.#y", "A.m"]),
    ],
)
def test_accessor_is_a_modifier(language: str, body: str, expected: list[str]) -> None:
    """A field that is declared with `accessor` is a field like others."""
    facts = facts_of(f"class A {{\n {body}\n}}", language)
    assert [item.qualname for item in facts.definitions] == expected
    assert facts.error_count == 0
