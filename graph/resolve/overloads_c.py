"""Which of several C++ functions of one name a call means, by the number of its arguments; defaults may be left out."""

from __future__ import annotations

from collections.abc import Sequence

from graph.extract.facts import Parameter

__all__ = ["fitting"]


def fitting(shapes: Sequence[tuple[Parameter, ...]], count: int) -> list[int]:
    """Return the places of the parameter lists that take a number of arguments.

    A definition outside of its class does not repeat defaults, and a macro may hide arguments: where nothing fits, a
    single candidate is taken all the same.
    """
    places = [place for place, shape in enumerate(shapes) if _takes(shape, count)]
    return places or ([0] if len(shapes) == 1 else [])


def _takes(parameters: tuple[Parameter, ...], count: int) -> bool:
    has_rest = bool(parameters) and parameters[-1].kind == "rest"
    fixed = parameters[:-1] if has_rest else parameters
    required = sum(1 for item in fixed if item.default is None)
    return required <= count and (has_rest or count <= len(fixed))
