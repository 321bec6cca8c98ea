"""Schemas by chance, and documents by chance from a grammar: what tests throw at the compiler.

Schemas are made of every keyword of JSON Schema, held or not, with values near each other, so that bounds meet, names
are declared and required, branches overlap and references close circles.
"""

from serve.prompt.gbnf_machine import Machine

NAMES = ("a", "b", "é☃", 'q"\\', "foo bar")
PATTERNS = ("^a+$", "b", "^[a-c]{2,4}$", "^(x|yz)*$", "[^é]d", "^\\d{1,3}$", "a|^b$", "^", "\\u00e9", "^.{2}$", "x$|y")
FORMATS = ("date", "date-time", "time", "uuid", "ipv4", "email", "uri", "unheard-of")
VALUES = (
    None,
    True,
    False,
    0,
    1,
    -3,
    1.5,
    7.0,
    "",
    "a",
    "é\n",
    'x"\\',
    [],
    [1, "a"],
    {},
    {"a": 1},
    {"a": {"b": [None]}},
)
BOUNDS = (0, 1, -1, 7, -12, 99, 1000, 1.5, -0.5, 2.0, 10**16, -1e3, 0.25, 0.2, -0.05, 1e-7, 99.99, 1e15)
TYPES = ("object", "array", "string", "integer", "number", "boolean", "null")
KINDS = ("object", "array", "string", "number", "listed", "mixed", "joined", "rare", "reference", "types", "boolean")


def schema_of(rng, depth=3):
    """Return a random schema."""
    kind = rng.choice(KINDS if depth else ("string", "number", "listed", "types", "boolean"))
    made = _MAKERS[kind](rng, depth)
    if isinstance(made, dict) and rng.random() < 0.15:
        made["description" if rng.random() < 0.5 else "$comment"] = "x"
    return made


def root_of(rng):
    """Return a random schema with definitions that its references may name."""
    made = schema_of(rng)
    if isinstance(made, dict) and rng.random() < 0.5:
        made["$defs"] = {name: schema_of(rng, 1) for name in ("one", "two")}
    return made


def _some(rng, keywords, chance=0.5):
    return {key: make() for key, make in keywords.items() if rng.random() < chance}


def _object(rng, depth):
    names = rng.sample(NAMES, rng.randint(0, 3))
    made = _some(
        rng,
        {
            "type": lambda: "object",
            "properties": lambda: {name: schema_of(rng, depth - 1) for name in names},
            "required": lambda: rng.sample(NAMES, rng.randint(0, 2)),
        },
        0.8,
    )
    return made | _some(
        rng,
        {
            "additionalProperties": lambda: schema_of(rng, depth - 1),
            "minProperties": lambda: rng.randint(0, 3),
            "maxProperties": lambda: rng.randint(0, 4),
            "patternProperties": lambda: {rng.choice(PATTERNS): schema_of(rng, depth - 1)},
            "propertyNames": lambda: schema_of(rng, 0),
            "dependentRequired": lambda: {rng.choice(NAMES): rng.sample(NAMES, rng.randint(0, 2))},
        },
        0.12,
    )


def _array(rng, depth):
    made = _some(
        rng,
        {"type": lambda: "array", "items": lambda: schema_of(rng, depth - 1), "minItems": lambda: rng.randint(0, 3)},
    )
    return made | _some(
        rng,
        {
            "maxItems": lambda: rng.randint(0, 5),
            "prefixItems": lambda: [schema_of(rng, depth - 1) for _ in range(rng.randint(1, 2))],
            "uniqueItems": lambda: rng.random() < 0.7,
            "contains": lambda: schema_of(rng, 0),
        },
        0.25,
    )


def _string(rng, _depth):
    return _some(rng, {"type": lambda: "string"}, 0.8) | _some(
        rng,
        {
            "minLength": lambda: rng.randint(0, 4),
            "maxLength": lambda: rng.choice((0, 1, 3, 7, 100_000)),
            "pattern": lambda: rng.choice(PATTERNS),
            "format": lambda: rng.choice(FORMATS),
        },
        0.3,
    )


def _number(rng, _depth):
    def bound():
        return rng.choice(BOUNDS)

    made = _some(rng, {"type": lambda: rng.choice(("integer", "number"))}, 0.8)
    keys = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
    steps = {"multipleOf": lambda: rng.choice((1, 1.0, 2, 5, 7, 10, 0.5, 0.01, 3.0))}
    return made | _some(rng, dict.fromkeys(keys, bound), 0.3) | _some(rng, steps, 0.2)


def _listed(rng, _depth):
    made = {"const": rng.choice(VALUES)} if rng.random() < 0.4 else {"enum": rng.sample(VALUES, rng.randint(1, 4))}
    return made | _some(rng, {"type": lambda: rng.choice(TYPES)}, 0.2)


def _mixed(rng, depth):
    branches = [schema_of(rng, depth - 1) for _ in range(rng.randint(1, 3))]
    beside = schema_of(rng, 0) if rng.random() < 0.3 else {}
    return (beside if isinstance(beside, dict) else {}) | {rng.choice(("anyOf", "oneOf")): branches}


def _joined(rng, depth):
    beside = schema_of(rng, depth - 1) if rng.random() < 0.5 else {}
    parts = [schema_of(rng, depth - 1) for _ in range(rng.randint(1, 3))]
    return (beside if isinstance(beside, dict) else {}) | {"allOf": parts}


def _rare(rng, depth):
    one = schema_of(rng, depth - 1)
    return rng.choice(
        (
            {"not": one},
            {"if": schema_of(rng, 0), "then": one, "else": schema_of(rng, 0)},
            {"type": "object", "unevaluatedProperties": False},
            {"type": "array", "unevaluatedItems": one},
            {"dependentSchemas": {"a": one}},
            {"type": "array", "contains": one, "minContains": 2},
        )
    ) | _some(rng, {"type": lambda: rng.choice(TYPES)}, 0.3)


def _reference(rng, depth):
    target = rng.choice(("#/$defs/one", "#/$defs/two", "#", "#/properties/a", "#/$defs/none"))
    return {"$ref": target} | (_string(rng, 0) if rng.random() < 0.15 else {})


def _types(rng, _depth):
    return {"type": rng.sample(TYPES, rng.randint(1, 3))}


def _boolean(rng, _depth):
    return rng.choice((True, True, False, {}))


_MAKERS = {
    "object": _object,
    "array": _array,
    "string": _string,
    "number": _number,
    "listed": _listed,
    "mixed": _mixed,
    "joined": _joined,
    "rare": _rare,
    "reference": _reference,
    "types": _types,
    "boolean": _boolean,
}
EDGES = 'aA0 5-é☃\U0001f600"\\/bfnrtu19zxycde.\n:{}[],'


def document_of(rng, machine: Machine, longest=60):
    """Return a document by chance: wild for `longest` characters, then the shortest way to its end."""
    place, written = machine.start, []
    while len(written) < longest:
        if place.is_end and (not place.ways or rng.random() < 0.3):
            return "".join(written)
        characters, _ = rng.choice(place.ways)
        low, high = rng.choice(characters.ranges or (("a", "z"),))
        fitting = [one for one in (*EDGES, low, high) if characters.holds(one)]
        place_after = None
        while place_after is None:
            character = rng.choice(fitting)
            place_after = machine.after(place, character)
        place = place_after
        written.append(character)
    return "".join(written) + machine.shortest(place)
