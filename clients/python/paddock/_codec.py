"""Between the dataclasses of types.py and JSON. Fields that this version does not know are left out when reading."""
from __future__ import annotations

import dataclasses
import functools
import typing
from typing import Any, Dict, Type, TypeVar

from .errors import unexpected

T = TypeVar("T")


@functools.lru_cache(maxsize=None)
def _hints(kind: Any) -> Dict[str, Any]:
    return typing.get_type_hints(kind)


def _read(kind: Any, value: Any, where: str) -> Any:
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return value
    if origin is typing.Union:
        return _read_choice(inner, value, where)
    if origin is typing.Literal:
        return _read(str, value, where)  # a newer server may have more words
    if origin is list:
        return [_read(inner[0], each, f"{where}[{at}]") for at, each in enumerate(_checked(list, value, where))]
    if origin is dict:
        return {name: _read(inner[1], each, f"{where}.{name}") for name, each in _checked(dict, value, where).items()}
    if dataclasses.is_dataclass(kind):
        return _read_object(kind, _checked(dict, value, where), where)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return _checked(kind, value, where)


def _checked(kind: Any, value: Any, where: str) -> Any:
    if isinstance(value, kind) and isinstance(value, bool) == (kind is bool):
        return value
    raise unexpected(f"{where or 'it'} is no {kind.__name__}")


def _read_choice(kinds: Any, value: Any, where: str) -> Any:
    if value is None and type(None) in kinds:
        return None
    kinds = [kind for kind in kinds if kind is not type(None)]
    matching = [kind for kind in kinds if isinstance(value, typing.get_origin(kind) or object)]
    return _read(kinds[0] if len(kinds) == 1 or isinstance(value, str) else (matching or kinds)[-1], value, where)


def _read_object(kind: Any, value: Any, where: str) -> Any:
    hints, found = _hints(kind), {}
    for field in dataclasses.fields(kind):
        place = f"{where}.{field.name}" if where else field.name
        if field.name in value:
            found[field.name] = _read(hints[field.name], value[field.name], place)
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise unexpected(f"{place} is missing")
    return kind(**found)


def decode(kind: Type[T], value: Any) -> T:
    """PaddockError UNEXPECTED_ANSWER where the value is not of that kind."""
    return typing.cast(T, _read(kind, value, ""))


def _default(field: "dataclasses.Field[Any]") -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


def encode(value: Any) -> Any:
    """JSON of it, without the fields that say what holds anyway."""
    if dataclasses.is_dataclass(value):
        kept = ((field.name, getattr(value, field.name), _default(field)) for field in dataclasses.fields(value))
        return {name: encode(each) for name, each, default in kept if default is dataclasses.MISSING or each != default}
    if isinstance(value, (list, tuple)):
        return [encode(each) for each in value]
    if isinstance(value, typing.Mapping):
        return {name: encode(each) for name, each in value.items()}
    return value
