"""The types of both clients, made from the API's own declarations."""
import json
import keyword

from api_model import reachable

NOTE = "Made by scripts/generate from the API's own declarations: change those, not this."
# What a caller sends; the rest is only ever answered.
SENT = ["RunSpec", "WorkspaceSpec", "Tree", "ExecuteRequest", "SandboxPolicy", "SandboxSpec"]


def python_kind(kind):
    simple = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "any": "Any"}
    if kind.word == "enum":
        text = "Literal[" + ", ".join(json.dumps(each) for each in kind.inner) + "]"
    elif kind.word == "choice":
        text = "Union[" + ", ".join(map(python_kind, kind.inner)) + "]"
    elif kind.word == "list":
        text = f"list[{python_kind(kind.inner[0])}]"
    elif kind.word == "map":
        text = f"dict[str, {python_kind(kind.inner[0])}]"
    else:
        text = kind.inner[0] if kind.word == "type" else simple[kind.word]
    return f"Optional[{text}]" if kind.nullable else text


def python_field(field, types):
    """The annotation and what follows it; where a field may be absent, its value then."""
    text, word = python_kind(field.kind), field.kind.word
    if field.required:
        return text
    if not field.has_default or field.default is None:
        return f"{text} = None" if word == "any" or field.kind.nullable else f"Optional[{text}] = None"
    if word == "type":
        if any(each.required for each in types[field.kind.inner[0]]):
            return f"Optional[{text}] = None"
        return f"{text} = dataclasses.field(default_factory=lambda: {text}())"
    if isinstance(field.default, (list, dict)):
        if field.default:
            raise ValueError(f"{field.name}: a default that is not empty")
        return f"{text} = dataclasses.field(default_factory={type(field.default).__name__})"
    return f"{text} = {json.dumps(field.default) if isinstance(field.default, str) else repr(field.default)}"


def python(types):
    out = [f'"""The objects of the API, by the names that they have there. {NOTE}"""', "from __future__ import annotations",
           "", "import dataclasses", "from typing import Any, Literal, Optional, Union"]
    for name, fields in types.items():
        out += ["", "", "@dataclasses.dataclass", f"class {name}:"]
        for field in fields:
            if not field.name.isidentifier() or keyword.iskeyword(field.name):
                raise ValueError(f"{name}.{field.name} cannot be the name of an attribute")
            out.append(f"    {field.name}: {python_field(field, types)}" + (f"  # {field.doc}" if field.doc else ""))
    return "\n".join(out) + "\n"


def typescript_kind(kind, suffix, own):
    """`suffix`: of the types in `own`."""
    inner = [typescript_kind(each, suffix, own) if kind.word != "enum" and kind.word != "type" else each for each in kind.inner]
    simple = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "any": "unknown"}
    if kind.word == "enum":
        text = " | ".join(json.dumps(each) for each in inner)
    elif kind.word == "choice":
        text = " | ".join(inner)
    elif kind.word == "list":
        text = f"({inner[0]})[]" if " " in inner[0] else f"{inner[0]}[]"
    elif kind.word == "map":
        text = f"Record<string, {inner[0]}>"
    elif kind.word == "type":
        text = inner[0] + (suffix if inner[0] in own else "")
    else:
        text = simple[kind.word]
    return f"{text} | null" if kind.nullable else text


def typescript_interface(name, fields, present, suffix="", own=()):
    out = ["", f"export interface {name}{suffix} {{"]
    for field in fields:
        if field.doc:
            out.append(f"  /** {field.doc} */")
        mark = "" if present(field) else "?"
        out.append(f"  {field.name}{mark}: {typescript_kind(field.kind, suffix, own)};")
    return out + ["}"]


def typescript(types):
    out = [f"// The objects of the API, by the names that they have there; `…Input` is what is sent of one.", f"// {NOTE}"]
    sent = reachable(types, [name for name in SENT if name in types])
    for name, fields in types.items():
        out += typescript_interface(name, fields, lambda field: field.answered)
        if name in sent:
            out += typescript_interface(name, fields, lambda field: field.required, "Input", sent)
    return "\n".join(out) + "\n"
