"""docs/api.md: every route, from the golden table of routes, and every type, from the golden OpenAPI document."""
import json
import re

from api_model import types_within
from api_routes import GROUP, summary

HEAD = """# API reference

Look up here every route of the API and every type, with its fields. The page is made by `scripts/generate` from the API's own
declarations (`tests/tidy` fails when it is stale). The same types are in the OpenAPI document at
`/openapi/v3/apis/paddock.dev/v1alpha1`.

- The API speaks TLS and takes `Authorization: Bearer TOKEN`; each route names the scope that the token needs. *tool* routes also take
  a tool token of that run for that operation ([orchestrators.md](orchestrators.md)).
- `A` below is `/apis/paddock.dev/v1alpha1`, `NS` is `A/namespaces/{ns}`. Bodies and answers are JSON; bodies may also be YAML.
- Creates take `Idempotency-Key` (1 to 128 visible characters): the same key with the same request gives the first object again. With
  another request the answer is 422 `IDEMPOTENCY_KEY_REUSED`. A repeated request for a token names the first one without its secret, of
  which only a hash is kept: if the first answer was lost, revoke that token and take a fresh key.
- A `RunList` is answered with a `RunList` of the new runs, in the same order; with `Accept:
  application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1` it has metadata alone, which is smaller and faster. A refusal
  names the wrong items by their paths (`items[17].spec.timeout`; a hundred causes at most), and no run is made.
- `?dryRun=All` tries to create, change or delete an object and keeps nothing. Every other call that changes something refuses
  it (400 `DRY_RUN_NOT_SUPPORTED`) and does nothing. In the options of a DELETE it is a list (`{"dryRun": ["All"]}`); any other value, an
  empty one too, is 400 `PARAMETER_INVALID`.
- A dry run of a `Run` may have a member `tree` beside `spec`: the files that its workspace will have (`null`: not known yet). Then the
  workspace need not be there, and the refusal is the one that the run would get once they are there: ask before a large upload.
- Unknown fields are errors. A body over the route's limit (the column *body*) is refused by its size, before it is parsed.
- A refusal is a Kubernetes `Status` with `"error": {"code", "message", "retryable", "details"}` inside: `code` stays the same from
  release to release, and `details.causes` has the `field` of each mistake.

| HTTP | `reason` | |
|---|---|---|
| 400 | BadRequest | the request is wrong |
| 401, 403 | Unauthorized, Forbidden | there is no token, or it may not do this |
| 404 | NotFound | there is no such object, or no such route |
| 409 | AlreadyExists, Conflict | the name is taken; the object has changed meanwhile |
| 410 | Expired | the object has ended, or is not kept any longer |
| 413 | RequestEntityTooLarge | the request is over the limit |
| 422 | Invalid | the request is well formed, but not possible as things are |
| 429, 503, 504 | TooManyRequests, ServiceUnavailable, Timeout | it may work later; `Retry-After` says when, if that is known |
| 500 | InternalError | our fault; the answer has only the request's id |
"""
SECTIONS = ["Server", "Runs", "Sandboxes", "Workspaces", "Volumes", "Secrets", "Grants", "Tool tokens", "Nodes", "For Kubernetes clients",
            "Between agents and the controller"]
PLURALS = {"runs": "Runs", "plan": "Runs", "sandboxes": "Sandboxes", "workspaces": "Workspaces", "volumes": "Volumes",
           "secrets": "Secrets", "policy": "Runs",
           "grants": "Grants", "tooltokens": "Tool tokens", "nodes": "Nodes"}


def read_routes(text):
    for line in text.splitlines():
        match = re.fullmatch(r"(\S+) (\S+)  scope (\S+)  body (-|stream|document up to (\S+)(?: or none)?)(?:  dry run)?(?:  standby)?(?:  tool (\S+) (\S+))?", line)
        if not match:
            raise ValueError(f"a route that is not understood: {line}")
        yield match.groups()


def section_of(pattern, scope):
    if scope in ("node:self", "nodes:enroll"):
        return SECTIONS[-1]
    if pattern in ("/build", "/execute"):
        return "Runs"
    if pattern.startswith("/e2b/"):
        return "Sandboxes"
    if pattern.startswith("/preview"):
        return "Workspaces"
    if pattern.startswith(("/api/", "/openapi", "/apis/auth", "/apis/agents.", "/apis/extensions.", "/apis/metrics.")) or pattern in ("/api", "/apis", "/apis/paddock.dev", GROUP):
        return "For Kubernetes clients"
    place = pattern.removeprefix(GROUP).removeprefix("/namespaces/{ns}").strip("/").split("/")[0]
    return PLURALS.get(place, "Server")


def short(pattern):
    if not pattern.startswith(GROUP):
        return pattern
    return pattern.replace(f"{GROUP}/namespaces/{{ns}}", "NS").replace(GROUP, "A")


def routes(text):
    found = {name: [] for name in SECTIONS}
    for method, pattern, scope, body, limit, _, operation in read_routes(text):
        scope = f"{scope}; tool `{operation}`" if operation else scope
        body = f"{limit}B" if limit else "" if body == "-" else body
        found[section_of(pattern, scope.split(";")[0])].append(f"| {method} | `{short(pattern)}` | {scope} | {body} | {summary(method, pattern)} |")
    for name, rows in found.items():
        if rows:
            yield from ["", f"## {name}", "", "| | path | scope | body | |", "|---|---|---|---|---|", *rows]


def kind_words(kind):
    if kind.word == "type":
        text = f"[{kind.inner[0]}](#{kind.inner[0].lower()})"
    elif kind.word in ("list", "map"):
        text = f"{kind.word} of {kind_words(kind.inner[0])}"
    elif kind.word == "enum":
        text = ", ".join(f"`{each}`" for each in kind.inner)
    elif kind.word == "choice":
        text = " or ".join(map(kind_words, kind.inner))
    else:
        text = kind.word
    return text + (" or null" if kind.nullable else "")


def bounds(schema):
    rows = ["a time"] if schema.get("format") == "date-time" else []
    if "example" in schema:
        rows.append(f"such as `{schema['example']}`")
    for low, high, unit in (("minimum", "maximum", ""), ("minLength", "maxLength", " bytes")):
        if low in schema and schema.get(high) == schema[low]:
            rows.append(f"{schema[low]:,}{unit}")
        elif low in schema and high in schema:
            rows.append(f"{schema[low]:,} to {schema[high]:,}{unit}")
        elif low in schema:
            rows.append(f"{schema[low]:,}{unit if schema[low] != 1 else unit.rstrip('s')} or more")
        elif high in schema:
            rows.append(f"{schema[high]:,}{unit} at most")
    if schema.get("default"):
        rows.append(f"`{json.dumps(schema['default']).strip(chr(34))}` unless given")
    return "; ".join(rows)


def type_section(name, fields):
    out = ["", f"### {name}", "", "| field | | |", "|---|---|---|"]
    for field in fields:
        about = [kind_words(field.kind), "required" if field.required else "", bounds(field.schema)]
        doc = field.doc.replace("|", "\\|")
        out.append(f"| `{field.name}` | {'; '.join(filter(None, about))} | {doc} |")
    return out


def used_by(types):
    """{type: types that hold it}"""
    found = {}
    for name, fields in types.items():
        for field in fields:
            for inner in types_within(field.kind):
                found.setdefault(inner, []).append(name)
    return found


def document(types, routes_text):
    out = [HEAD.rstrip("\n"), *routes(routes_text), "", "## Types", ""]
    tops = [name for name in types if name not in used_by(types)]
    out.append("A time is written as in RFC 3339, a duration like `30m`, a quantity like `512Mi` or as a number of bytes. These types are")
    out.append("not part of another: " + ", ".join(f"[{name}](#{name.lower()})" for name in tops) + ".")
    for name, fields in types.items():
        out += type_section(name, fields)
    return "\n".join(out) + "\n"
