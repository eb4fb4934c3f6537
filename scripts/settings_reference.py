"""docs/settings.md: every setting of both daemons and of a pool, from the golden files that their tests write."""
import json

from api_reference import bounds

HEAD = """# Settings

Look up here every setting of both daemons and of a pool. The page is made by `scripts/generate` from the programs' own declarations
(`tests/tidy` fails when it is stale). The files [controller.example.yaml](../packaging/controller.example.yaml) and
[node-agent.example.yaml](../packaging/node-agent.example.yaml) have the same keys with their defaults and longer explanations; so has
[pool.example.yaml](../packaging/pool.example.yaml) for `paddock pool slurm`, which is called `paddock-pool` here.

A variable wins over the key in the file (`--config FILE`), and a flag wins over both. A variable's value is read as YAML
(`[a.example, b.example]`, `512Mi`, `true`). A program that finds an unknown key or a wrong value does not start, and names each with
where it stands: `FILE:LINE: KEY`, `VARIABLE: KEY` or `--FLAG: KEY`. Durations are written like `30m`, quantities like `512Mi` or as a
number of bytes. A key that is null, or a variable that is empty, counts as absent, except below `ceilings` and
`scheduling.quotas`: there it is refused, since it could remove a protection unnoticed. Where the third column says *none*, nothing is
set; a pool does not start without its `name`, `server`, `tokenFile`, `folder` and `namespaces`. The command line has no settings:
`paddock --help` names the options and variables by which it finds a controller.
"""
PROGRAMS = {"paddock-controller": "PADDOCK_CONTROLLER_", "paddock-node-agent": "PADDOCK_NODE_AGENT_", "paddock-pool": "PADDOCK_POOL_"}


def unless_given(value):
    if value in (None, "", [], {}):
        return "none"
    return f"`{value if isinstance(value, str) else json.dumps(value)}`"


def about(schema):
    words = [schema.get("description", ""), bounds({name: value for name, value in schema.items() if name not in ("default", "example", "minLength")})]
    if "enum" in schema:
        words.append("one of " + ", ".join(f"`{each}`" for each in schema["enum"]))
    return "; ".join(filter(None, words)).replace("|", "\\|")


def section(program, settings):
    yield from ["", f"## {program}", "", "| key | variable | unless given | |", "|---|---|---|---|"]
    for each in settings:
        variable = "…" + each["variable"].removeprefix(PROGRAMS[program])
        yield f"| `{each['key']}` | `{variable}` | {unless_given(each['default'])} | {about(each['schema'])} |"


def document(root):
    lines = [HEAD.rstrip("\n"), "", "`…` stands for " + ", ".join(f"`{prefix}` of {name}" for name, prefix in PROGRAMS.items()) + "."]
    for program in PROGRAMS:
        lines += section(program, json.loads((root / "tests/golden/settings" / f"{program}.json").read_text()))
    return "\n".join(lines) + "\n"
