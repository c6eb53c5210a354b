"""Plain values as text that all ranks write alike, and that gives back the types that JSON has not."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_ROWS: dict[str, Callable[[Any], Any]] = {"tuple": tuple, "Counter": lambda rows: Counter(dict(rows)), "dict": dict}


def encode(states: dict[str, Any]) -> bytes:
    """Return states by the name of their owner as text.

    Raises TypeError for what is neither a number, a text, nor a list, tuple, dict or Counter of such.
    """
    return json.dumps({owner: _plain(state, owner) for owner, state in states.items()}).encode()


def decode(text: bytes) -> dict[str, Any]:
    """Return the states of :func:`encode`."""
    return {owner: _value(state) for owner, state in json.loads(text).items()}


def _plain(value: Any, place: str) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, list):
        return [_plain(each, place) for each in value]
    if isinstance(value, tuple):
        return {"tuple": [_plain(each, place) for each in value]}
    if isinstance(value, dict):  # a Counter is one
        kind = "Counter" if isinstance(value, Counter) else "dict"
        return {kind: [[_plain(key, place), _plain(each, f"{place}[{key!r}]")] for key, each in value.items()]}
    raise TypeError(
        f"Elastic cannot give {place} to newcomers, a {type(value).__module__}.{type(value).__qualname__}: a state has "
        "numbers, texts, and lists, tuples, dicts and Counters of them; of a tensor with one value give value.item()"
    )


def _value(plain: Any) -> Any:
    if isinstance(plain, list):
        return [_value(each) for each in plain]
    if isinstance(plain, dict):
        ((kind, rows),) = plain.items()
        return _ROWS[kind](map(_value, rows))
    return plain
