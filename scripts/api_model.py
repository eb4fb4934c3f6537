"""The API's types as tests/golden/openapi.json has them, in the form that generators want."""
import dataclasses
import json
import pathlib
import typing

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLACE = "#/components/schemas/"


@dataclasses.dataclass(frozen=True)
class Kind:
    """What a field holds: one of these words, and what is inside or chosen from."""
    word: str  # string, integer, number, boolean, any, enum, list, map, type, choice
    inner: tuple = ()
    nullable: bool = False


@dataclasses.dataclass(frozen=True)
class Field:
    name: str
    doc: str
    kind: Kind
    required: bool
    has_default: bool  # absent, it is `default`; without one, absent is a value of its own
    default: typing.Any
    answered: bool  # in every answer
    schema: dict


def kind_of(schema):
    nullable = schema.get("nullable", False)
    if "allOf" in schema:
        return Kind("type", (schema["allOf"][0]["$ref"].removeprefix(PLACE),))
    if "oneOf" in schema:
        return Kind("choice", tuple(map(kind_of, schema["oneOf"])))
    if "enum" in schema:
        return Kind("enum", tuple(schema["enum"]), nullable)
    word = schema.get("type", "any")
    if word == "array":
        return Kind("list", (kind_of(schema["items"]),), nullable)
    if word == "object":
        if "properties" in schema:
            raise ValueError(f"an object without a name: {sorted(schema['properties'])}")
        return Kind("map", (kind_of(schema.get("additionalProperties", {})),), nullable)
    return Kind(word, (), nullable)


def field_of(name, schema, required):
    answered = name in required or ("default" in schema and not schema.get("x-omitempty", False))
    return Field(name, schema.get("description", ""), kind_of(schema), name in required, "default" in schema,
                 schema.get("default"), answered, schema)


def read_types(root=ROOT):
    """{name: [Field]}; the required fields of each first."""
    document = json.loads((root / "tests" / "golden" / "openapi.json").read_text())
    types = {}
    for name, schema in document["components"]["schemas"].items():
        if "properties" not in schema:
            continue
        required = set(schema.get("required", []))
        fields = [field_of(each, about, required) for each, about in schema["properties"].items()]
        types[name] = sorted(fields, key=lambda each: not each.required)
    return types


def types_within(kind):
    if kind.word == "type":
        yield kind.inner[0]
    elif kind.word in ("list", "map", "choice"):
        for each in kind.inner:
            yield from types_within(each)


def reachable(types, roots):
    """The names of these types and of all that they hold."""
    found, waiting = set(), list(roots)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [each for field in types[name] for each in types_within(field.kind)]
    return found
