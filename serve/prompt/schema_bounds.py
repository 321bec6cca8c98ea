"""The bounds of a schema: numbers between limits, lengths and counts. Pure."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import cast

from serve.errors import BadRequestError
from serve.prompt.decimals import numbers
from serve.prompt.gbnf import Rules
from serve.prompt.multiples import LARGEST_STEP, multiples
from serve.prompt.numbers import integers
from serve.prompt.schema_merge import Schema, refused
from serve.prompt.schema_words import MOST_REPEATED

__all__ = ["bounds", "number", "repeat"]


def number(kind: str, schema: Schema, path: str, rules: Rules) -> str:
    """Return the integers or numbers that a schema allows; raises BadRequestError for bounds without one."""
    step = _step(schema, path)
    low = _limit(schema, "minimum", path)
    high = _limit(schema, "maximum", path)
    over = _limit(schema, "exclusiveMinimum", path)
    under = _limit(schema, "exclusiveMaximum", path)
    kind = kind if step is None else "integer"
    if low is None and high is None and over is None and under is None and step in {None, 1}:
        return kind
    above = over is not None and (low is None or over >= low)
    below = under is not None and (high is None or under <= high)
    bottom, top = (over if above else low), (under if below else high)
    if kind == "number":
        body: str | None = numbers(_exact(bottom), _exact(top), above=above, below=below)
    else:
        least = None if bottom is None else math.ceil(bottom)
        most = None if top is None else math.floor(top)
        least = None if least is None else least + (above and least == bottom)
        most = None if most is None else most - (below and most == top)
        body = integers(least, most) if step in {None, 1} else multiples(step or 1, least, most, rules)
    if body is None:
        raise refused("multipleOf", path, f"up to {LARGEST_STEP} it is held beside bounds at zero only")
    if not body:
        keyword = next(key for key in ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum") if key in schema)
        raise refused(keyword, path, "between the bounds there must be a number of at most 15 digits")
    return body


def _exact(bound: float | None) -> Decimal | None:
    """Return a bound as the request wrote it."""
    return None if bound is None else Decimal(str(bound))


def _step(schema: Schema, path: str) -> int | None:
    """Return the whole number of `multipleOf`; None where nothing is said."""
    step = schema.get("multipleOf")
    if step is None:
        return None
    if isinstance(step, bool) or not isinstance(step, (int, float)) or step <= 0:
        raise BadRequestError(f"{path}.multipleOf must be a number above 0.", param=f"{path}.multipleOf")
    if step != int(step):  # what divides by 0.01 in binary is another thing for every reader
        raise refused("multipleOf", path, "only whole numbers are held")
    return int(step)


def _limit(schema: Schema, keyword: str, path: str) -> float | None:
    value = schema.get(keyword)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BadRequestError(f"{path}.{keyword} must be a number.", param=f"{path}.{keyword}")
    return value


def bounds(schema: Schema, least: str, most: str, path: str) -> tuple[int, int | None]:
    """Return the values of a pair of keywords such as minItems and maxItems; None is no upper bound."""
    found: list[int | None] = []
    for keyword in (least, most):
        value = schema.get(keyword)
        whole = isinstance(value, float) and value.is_integer()
        if value is not None and (isinstance(value, bool) or not (isinstance(value, int) or whole)):
            raise BadRequestError(f"{path}.{keyword} must be a whole number.", param=f"{path}.{keyword}")
        count = None if value is None else int(cast("float", value))
        if count is not None and (count < 0 or (count > MOST_REPEATED and keyword == least)):
            raise refused(keyword, path, f"0 to {MOST_REPEATED} are held")
        # More than can be counted is narrowed: whatever is shorter is valid too.
        found.append(None if count is None else min(count, MOST_REPEATED))
    low, high = found
    if high is not None and (low or 0) > high:
        raise refused(most, path, f"it is less than {least}")
    return low or 0, high


def repeat(body: str, low: int, high: int | None) -> str:
    """Return a body as often as the bounds say."""
    if high is None:
        return f"{body}*" if not low else f"{body}{{{low},}}"
    return f"{body}{{{low},{high}}}" if high > 0 else ""
