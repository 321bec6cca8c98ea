"""JSON Schema to GBNF: whatever the grammar lets a model write is valid under the schema. Pure.

The other direction is not promised: of what a schema allows, a grammar may allow less (properties come in the schema's
order, undeclared ones only where none are declared). A keyword that could not be held is refused by name and path,
never passed over. `KEYWORDS` is the list; the reference page is made from it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import cast
from urllib.parse import unquote

import msgspec

from serve.errors import BadRequestError
from serve.prompt.gbnf import Rules, alternatives, literal
from serve.prompt.gbnf_reader import read_rules
from serve.prompt.gbnf_sizes import NEVER, begun_by_themselves, least_bytes
from serve.prompt.pattern import pattern_rule
from serve.prompt.schema_apart import are_apart, fits, listed_values
from serve.prompt.schema_bounds import bounds, number, repeat
from serve.prompt.schema_dependents import by_presence, evaluated, members_of
from serve.prompt.schema_merge import Schema, holds_reference, is_same, merge, refused, types_of
from serve.prompt.schema_names import name_fits, patterns_of, value_of
from serve.prompt.schema_strings import string_rule
from serve.prompt.schema_words import ANNOTATIONS, KEYWORDS

__all__ = ["ANY_OBJECT", "compile_schema", "value_rule"]

ANY_OBJECT = "ws object"
"""The root of a grammar for any JSON object."""
_DEEPEST = 32
_MOST_RULES = 4_000
_MOST_IN_SET = 24
"""Values of a set: it takes a rule for each and each number of them."""
_ALL_TYPES = ("object", "array", "string", "number", "boolean", "null")


def compile_schema(schema: bytes, path: str) -> str:
    """Return the grammar of the documents of a schema; `path` is where the request has it, for the error.

    Raises:
        BadRequestError: a keyword is not held here, or nothing fits the schema; names keyword and path.
    """
    rules = Rules()
    body = value_rule(schema, path, rules)
    return rules.text(f"ws {body}")  # no white space behind: an answer ends where its document does


def value_rule(schema: bytes, path: str, rules: Rules) -> str:
    """Put down the rules of a schema and return the body of its value. Raises as `compile_schema` does."""
    try:
        root: object = msgspec.json.decode(schema)
        compiler = _Compiler(root, path, rules)
        body = compiler.compile(root, path, 0)
        compiler.check_ends()
    except msgspec.DecodeError as error:
        raise BadRequestError(f"{path} is no JSON: {error}.", param=path) from None
    except RecursionError:
        raise _too_large(path) from None
    return body


class _Compiler:
    """Compiles one root schema. References are rules, so that a schema may hold itself."""

    def __init__(self, root: object, path: str, rules: Rules) -> None:
        self._root = root
        self._path = path
        self._rules = rules
        self._references: dict[str, str] = {}
        self._open: list[str] = []
        """References that are being read and have not written a character yet."""

    def check_ends(self) -> None:
        """Refuse references whose values never end, since each holds another one, or that are their own definition."""
        if not self._references:
            return
        rules = read_rules(self._rules.text("value"))
        sizes, circles = least_bytes(rules), begun_by_themselves(rules)
        for target, name in self._references.items():
            if name in circles:
                raise refused("$ref", self._at(target), "it is its own definition")
            if sizes[name] >= NEVER:
                raise refused("$ref", self._at(target), "every value of it would hold another one, for ever")

    def compile(self, schema: object, path: str, depth: int) -> str:
        """Return the body of a value of this schema."""
        if schema is True:
            return "value"
        if schema is False:
            raise refused("false", path, "nothing fits it")
        if not isinstance(schema, dict):
            raise BadRequestError(f"{path} must be a schema: an object or a boolean.", param=path)
        if depth > _DEEPEST or len(self._rules) > _MOST_RULES:
            raise _too_large(path)
        keywords = cast("Schema", schema)
        self._check_base(keywords, path)
        for keyword in keywords:
            if keyword not in KEYWORDS and keyword not in ANNOTATIONS and not keyword.startswith("x-"):
                raise refused(keyword, path, "it is not held here")
        held = {key: value for key, value in keywords.items() if key in KEYWORDS}
        return self._held(held, path, depth)

    def _held(self, schema: Schema, path: str, depth: int) -> str:
        rest = {key: value for key, value in schema.items() if key not in {"$ref", "allOf", "anyOf", "oneOf"}}
        if "$ref" in schema:
            return self._reference(schema, path, depth)
        if "allOf" in schema:
            parts = _schemas(schema, "allOf", path)
            if len(parts) == 1 and len(schema) == 1:
                return self.compile(
                    parts[0], f"{path}.allOf[0]", depth + 1
                )  # a reference stays one, and may be a circle
            merged = {key: value for key, value in schema.items() if key != "allOf"}
            for number, part in enumerate(parts):
                merged = merge(merged, self._resolved(part, f"{path}.allOf[{number}]"), f"{path}.allOf[{number}]")
            return self.compile(merged, path, depth + 1)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                others = {key: value for key, value in schema.items() if key != keyword}
                return self._choice(others, _schemas(schema, keyword, path), f"{path}.{keyword}", depth)
        rest = evaluated(rest)
        if "const" in rest or "enum" in rest:
            return self._listed(rest, path)
        types = types_of(rest, path)
        return alternatives(self._typed(kind, rest, path, depth) for kind in types)

    def _reference(self, schema: Schema, path: str, depth: int) -> str:
        target = schema["$ref"]
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        if not isinstance(target, str) or not target.startswith("#"):
            raise refused("$ref", path, f"it must point into this schema (`#/...`), found {target!r}")
        if rest:
            merged = merge(rest, self._resolved(schema, path, only_reference=True), path)
            return self.compile(merged, path, depth + 1)
        if target in self._open:
            raise refused("$ref", path, "it is its own definition")
        if target in self._references:
            return self._references[target]
        name = self._rules.reserve()
        self._references[target] = name
        self._open.append(target)
        body = self.compile(self._find(target, path), self._at(target), depth + 1)
        self._open.pop()
        return self._rules.fill(name, body)

    def _at(self, target: str) -> str:
        return f"{self._path}{target[1:].replace('/', '.')}"

    def _inner(self, schema: object, path: str, depth: int) -> str:
        """Put down the rule of what stands inside an object or array, where a reference may close a circle."""
        outside, self._open = self._open, []
        name = self._rules.add(self.compile(schema, path, depth + 1))
        self._open = outside
        return name

    def _resolved(self, schema: object, path: str, *, only_reference: bool = False, left: int = _DEEPEST) -> Schema:
        """Return a schema without a reference at its head."""
        for _ in range(left):
            if not isinstance(schema, dict):
                if schema is True:
                    return {}
                raise refused(str(schema).lower(), path, "it cannot be combined")
            keywords = cast("Schema", schema)
            self._check_base(keywords, path)
            target = keywords.get("$ref")
            if not isinstance(target, str):
                return keywords
            rest = {} if only_reference else {key: value for key, value in keywords.items() if key != "$ref"}
            only_reference = False
            found = self._find(target, path)
            schema = merge(rest, self._resolved(found, path, left=left - 1), path) if rest else found
        raise refused("$ref", path, "it is its own definition")

    def _check_base(self, schema: Schema, path: str) -> None:
        if "$id" in schema and schema is not self._root and holds_reference(schema):
            raise refused("$id", path, "references below it would start from it; only that of the whole schema is held")

    def _find(self, target: str, path: str) -> object:
        """Return what a JSON pointer points at."""
        if target[1:2] not in {"", "/"}:
            raise refused("$ref", path, f"anchors are not held, only pointers (`#/...`); found {target!r}")
        found = self._root
        for raw in target[1:].split("/")[1:]:
            step = unquote(raw).replace("~1", "/").replace("~0", "~")
            if isinstance(found, dict) and step in found:
                found = cast("Schema", found)[step]
            elif isinstance(found, list) and step.isdecimal() and int(step) < len(cast("list[object]", found)):
                found = cast("list[object]", found)[int(step)]
            else:
                raise refused("$ref", path, f"there is nothing at {target!r}")
        return found

    def _choice(self, others: Schema, branches: Sequence[object], path: str, depth: int) -> str:
        merged = [
            merge(others, self._resolved(branch, f"{path}[{number}]"), f"{path}[{number}]") if others else branch
            for number, branch in enumerate(branches)
        ]
        if path.endswith("oneOf"):
            flat = [self._resolved(branch, path) for branch in merged]
            for at, first in enumerate(flat):
                if not all(are_apart(first, second) for second in flat[at + 1 :]):
                    raise refused("oneOf", path, "its branches may fit the same value; send anyOf")
        return alternatives(
            self.compile(branch, f"{path}[{number}]", depth + 1) for number, branch in enumerate(merged)
        )

    def _listed(self, schema: Schema, path: str) -> str:
        values = schema["enum"] if "enum" in schema else [schema["const"]]
        if not isinstance(values, list):
            raise BadRequestError(f"{path}.enum must be an array of values.", param=f"{path}.enum")
        if not values:
            raise refused("enum", path, "nothing fits it")
        fitting = [
            one for one in cast("list[object]", values) if "const" not in schema or is_same(one, schema["const"])
        ]
        for keyword in schema:
            if keyword not in {"enum", "const", "type"}:
                raise refused(keyword, path, "it is not held beside enum or const")
        kinds = types_of({"type": schema.get("type", list(_ALL_TYPES))}, path)
        fitting = [value for value in fitting if fits(value, kinds)]
        if not fitting:
            raise refused("enum", path, "no value of it fits the other keywords")
        return alternatives(literal(json.dumps(value, ensure_ascii=False)) for value in fitting)

    def _typed(self, kind: str, schema: Schema, path: str, depth: int) -> str:
        match kind:
            case "object":
                return alternatives(self._object(one, path, depth) for one in by_presence(schema, path))
            case "array":
                return self._array(schema, path, depth)
            case "string":
                return string_rule(schema, path, self._rules)
            case "integer" | "number":
                return number(kind, schema, path, self._rules)
            case _:
                return kind

    def _object(self, schema: Schema, path: str, depth: int) -> str:
        properties, required = members_of(schema, path)
        declared = properties | {name: None for name in required if name not in properties}
        additional = schema.get("additionalProperties", True)
        patterns = patterns_of(schema, path)
        _check_count(schema, path, len(set(required)), len(declared), is_map=not declared)
        if not declared:
            return self._map(schema, additional, path, depth)
        names = schema.get("propertyNames", True)
        pairs: list[tuple[str, bool]] = []
        for name, own in declared.items():
            is_required = name in required
            if not name_fits(name, names, path):
                if is_required:
                    raise refused("propertyNames", path, f"it does not allow {name!r}, which is required")
                continue
            one = value_of(name, own, patterns, additional, path)
            if one is False and not is_required:
                continue
            inner = self._inner(one, f"{path}.properties.{name}", depth)
            key = literal(json.dumps(name, ensure_ascii=False))
            pairs.append((self._rules.add(f'{key} ":" ws {inner} ws'), is_required))
        return self._rules.add(self._members(pairs)) if pairs else '"{" ws "}"'

    def _members(self, pairs: Sequence[tuple[str, bool]]) -> str:
        """Return an object of these members in this order, each with whether it must be there."""
        tails = [""]
        for member, is_required in reversed(pairs[1:]):
            one = f'"," ws {member}' if is_required else f'("," ws {member})?'
            tails.append(self._rules.add(f"{one} {tails[-1]}".rstrip()))
        tails.reverse()
        firsts: list[str] = []
        for (member, is_required), tail in zip(pairs, tails, strict=True):
            firsts.append(f"{member} {tail}".rstrip())
            if is_required:
                return f'"{{" ws {alternatives(firsts)} "}}"'
        return f'"{{" ws ({" | ".join(firsts)})? "}}"'

    def _map(self, schema: Schema, additional: object, path: str, depth: int) -> str:
        """Return an object that takes any name, or those of its one pattern."""
        key, value, at = self._key(schema, path, depth), additional, "additionalProperties"
        patterns = patterns_of(schema, path)
        if len(patterns) > 1 or (patterns and key != "string"):
            raise refused("patternProperties", path, "of objects that declare no property only one pattern is held")
        for pattern, one in patterns.items():
            key = self._rules.add(f'"\\"" {pattern_rule(pattern, f"{path}.patternProperties")} "\\""')
            value, at = one, "patternProperties"
        if key and value is not False:
            member = f'{key} ":" ws {self._inner(value, f"{path}.{at}", depth)} ws'
            is_optional = schema.get("minProperties", 0) == 0
            _, most = bounds(schema, "minProperties", "maxProperties", path)
            if most != 0:
                member = self._rules.add(member)
                more = repeat(f'("," ws {member})', 0, None if most is None else most - 1)
                members = f"{member} {more}".rstrip()
                return self._rules.add(f'"{{" ws {f"({members})?" if is_optional else members} "}}"')
        if schema.get("minProperties"):
            raise refused("minProperties", path, "no property fits")
        return '"{" ws "}"'

    def _key(self, schema: Schema, path: str, depth: int) -> str:
        """Return the body of the names that an object takes; empty where it takes none."""
        names = schema.get("propertyNames", True)
        if isinstance(names, bool):
            return "string" if names else ""
        body = self.compile({"allOf": [{"type": "string"}, names]}, f"{path}.propertyNames", depth + 1)
        return body if body == "string" else self._rules.add(body)

    def _array(self, schema: Schema, path: str, depth: int) -> str:
        low, high = bounds(schema, "minItems", "maxItems", path)
        if schema.get("uniqueItems") and high != 1:
            return self._set(schema, low, high, path)
        prefix = schema.get("prefixItems", [])
        if not isinstance(prefix, list):
            raise BadRequestError(f"{path}.prefixItems must be an array.", param=f"{path}.prefixItems")
        firsts = [
            self._inner(one, f"{path}.prefixItems[{number}]", depth)
            for number, one in enumerate(cast("list[object]", prefix))
        ]
        rest = schema.get("items", True)
        if firsts:
            return self._tuple(firsts, rest, low, high, path, depth)
        if rest is False or high == 0:
            if low:
                raise refused("minItems", path, "no item fits")
            return '"[" ws "]"'
        item = f"{self._inner(rest, f'{path}.items', depth)} ws"
        more = repeat(f'("," ws {item})', max(0, low - 1), None if high is None else high - 1)
        items = f"{item} {more}".rstrip()
        return self._rules.add(f'"[" ws {items if low else f"({items})?"} "]"')

    def _set(self, schema: Schema, low: int, high: int | None, path: str) -> str:
        """Return an array of some of the values that its items list, in their order, each at most once."""
        items = self._resolved(schema.get("items", True), f"{path}.items")
        values = listed_values(items, f"{path}.items")
        if values is None or "prefixItems" in schema or len(values) > _MOST_IN_SET:
            raise refused("uniqueItems", path, f"it is held for items of at most {_MOST_IN_SET} listed values")
        high = len(values) if high is None else min(high, len(values))
        if low > high:
            raise refused("minItems", path, "there are fewer values")
        # By how many are there already: what may follow, all of it from the later values.
        onward = [self._rules.add('""') if count >= low else "" for count in range(high + 1)]
        for value in reversed(values):
            one = literal(json.dumps(value, ensure_ascii=False))
            for count in range(high + 1):
                comma = '"," ws ' if count else ""
                taken = f"{comma}{one} ws {onward[count + 1]}" if count < high and onward[count + 1] else ""
                bodies = [body for body in (taken, onward[count]) if body]
                onward[count] = self._rules.add(alternatives(bodies)) if bodies else ""
        return self._rules.add(f'"[" ws {onward[0]} "]"')

    def _tuple(self, firsts: Sequence[str], rest: object, low: int, high: int | None, path: str, depth: int) -> str:
        """Return an array that opens with items of their own schemas; all of those that may be there are."""
        size = len(firsts) if high is None else min(len(firsts), high)
        body = ' "," ws '.join(f"{first} ws" for first in firsts[:size])
        if low > size and rest is not False:
            item = self._inner(rest, f"{path}.items", depth)
            body += " " + repeat(f'("," ws {item} ws)', low - size, None if high is None else high - size)
        elif low > size:
            raise refused("minItems", path, "there are fewer items")
        return self._rules.add(f'"[" ws {body} "]"')


def _too_large(path: str) -> BadRequestError:
    keyword = next((step for step in re.findall(r"\w+", path)[::-1] if step in KEYWORDS), "$ref")
    return refused(keyword, path, "it makes the schema larger or deeper than can be held")


def _check_count(schema: Schema, path: str, required: int, declared: int, *, is_map: bool) -> None:
    low, high = bounds(schema, "minProperties", "maxProperties", path)
    if low > (1 if is_map else required):  # a map may write one name twice, and then has fewer than it wrote
        raise refused("minProperties", path, "more than is required cannot be held")
    if high is not None and high < declared:
        raise refused("maxProperties", path, "fewer than are declared cannot be held")


def _schemas(schema: Schema, keyword: str, path: str) -> list[object]:
    value = schema[keyword]
    if not isinstance(value, list) or not value:
        raise BadRequestError(f"{path}.{keyword} must be an array of schemas.", param=f"{path}.{keyword}")
    return cast("list[object]", value)
