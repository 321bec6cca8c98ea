"""Keywords that plainer ones say: what is unevaluated is additional, what follows a name is required. Pure."""

from __future__ import annotations

from itertools import combinations
from typing import cast

from serve.errors import BadRequestError
from serve.prompt.schema_merge import Schema, refused

__all__ = ["by_presence", "evaluated", "members_of"]

_MOST_OPTIONAL = 4
"""Each optional name on which others depend doubles the objects to choose from."""
_SAID_BY = {"unevaluatedProperties": "additionalProperties", "unevaluatedItems": "items"}


def evaluated(schema: Schema) -> Schema:
    """Return a schema that has no parts any more, with what is unevaluated in it said by its own keywords."""
    found = {key: value for key, value in schema.items() if key not in _SAID_BY}
    for key, plain in _SAID_BY.items():
        if key in schema:
            found.setdefault(plain, schema[key])
    if "items" not in schema and schema.get("unevaluatedItems", True) is not True:
        found["items"] = False  # some validators allow none of them, whatever schema stands here
    return found


def members_of(schema: Schema, path: str) -> tuple[Schema, list[str]]:
    """Return the declared properties of an object and the names it requires.

    Raises:
        BadRequestError: they are no object and no array of names.
    """
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if not isinstance(properties, dict) or not isinstance(required, list):
        raise BadRequestError(f"{path}.properties must be an object and required an array.", param=path)
    names = cast("list[object]", required)
    if not all(isinstance(name, str) for name in names):
        raise BadRequestError(f"{path}.required must hold names.", param=f"{path}.required")
    return cast("Schema", properties), cast("list[str]", names)


def by_presence(schema: Schema, path: str) -> list[Schema]:
    """Return the objects of a schema without `dependentRequired`: one for each choice of the names that others follow.

    Raises:
        BadRequestError: it is no object of arrays of names, or too many names would have to be told apart.
    """
    said = schema.get("dependentRequired", {})
    if not _is_names_by_name(said):
        place = f"{path}.dependentRequired"
        raise BadRequestError(f"{place} must be an object of arrays of names.", param=place)
    following = cast("dict[str, list[str]]", said)
    plain = {key: value for key, value in schema.items() if key != "dependentRequired"}
    if not following:
        return [plain]
    properties, required = members_of(schema, path)
    required = _closed(required, following)
    if not properties and not required:
        raise refused("dependentRequired", path, "it is held only beside properties")
    optional = [name for name in following if name in properties and name not in required]
    if len(optional) > _MOST_OPTIONAL:
        raise refused("dependentRequired", path, f"more than {_MOST_OPTIONAL} optional names have others that follow")
    found: list[Schema] = []
    for size in range(len(optional), -1, -1):
        for chosen in combinations(optional, size):
            names = _closed([*required, *chosen], following)
            absent = set(optional) - set(chosen)
            if not absent & set(names):
                left = {name: one for name, one in properties.items() if name not in absent}
                found.append({**plain, "properties": left, "required": names})
    return found


def _closed(names: list[str], following: dict[str, list[str]]) -> list[str]:
    """Return names with all that follow them."""
    found = dict.fromkeys(names)
    waiting = list(found)
    while waiting:
        for name in following.get(waiting.pop(), ()):
            if name not in found:
                found[name] = None
                waiting.append(name)
    return list(found)


def _is_names_by_name(said: object) -> bool:
    if not isinstance(said, dict):
        return False
    lists = [cast("list[object]", one) if isinstance(one, list) else [None] for one in cast("Schema", said).values()]
    return all(isinstance(name, str) for names in lists for name in names)
