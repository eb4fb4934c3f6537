"""The rules of the source tree. Each takes a Tree and returns its faults as `file:line: what`."""
import os
import re

from plan import check_plan, module_of, reachable, read_plan

LIBRARIES = {  # what its headers start with -> what a module's LIBS must name
    "rapidjson/": "rapidjson", "yaml-cpp/": "yaml-cpp", "curl/": "CURL::", "wslay/": "wslay",
    "openssl/": "OpenSSL::", "CLI/": "cli11", "sqlite3.h": "SQLite::", "seccomp.h": "seccomp",
}
TEST_LIBRARIES = ("gtest/", "gmock/", "benchmark/")
SYSTEM_FOLDERS = ("sys/", "linux/", "net/", "netinet/", "arpa/", "mach/", "mach-o/", "asm/", "bits/")
SKIPPED_FOLDERS = {".git", ".cache", "build", "data", "models", "__pycache__", "corpus", "node_modules", "dist"}
TEXT_FILES = (".cc", ".h", ".py", ".ts", ".js", ".mjs", ".md", ".sh", ".cmake", ".txt", ".json", ".yaml", ".yml", ".toml")
MAY_SLEEP = {
    "cli/instance/program.cc",  # polls a process that is not its child
    "common/os/folder_use.cc",  # lets a process take a descriptor that is on its way, which nothing tells of
    "cli/client/run_end.cc",  # asks a server again that could not be reached
    "controller/store/postgres/pg_writer.cc",  # asks a database again that went away while it committed
}
MAY_THROW = {  # out of a library's callback, to end its parse; caught around that parse
    "common/wire/yaml.cc",
    "common/wire/internal/rapidjson.h",
}
MAY_SET_A_PHASE = {
    "controller/runs/phase_table.cc",  # a run's, by the table of transitions
    "controller/sessions/life.cc",  # a session's
    "controller/api/handlers/runs/runs.cc",  # of what a list shows in place of a run that cannot be read
    "controller/api/handlers/sessions/sandboxes.cc",  # the same for a session
    "controller/store/tool_token_writes.cc",  # a tool token's, which has one transition
}
MAY_READ_THE_CLOCK = {
    "common/http/http_client.cc",  # says what time libcurl, which asks the system itself, held a certificate against
    "controller/store/postgres/leadership.cc",  # since when a lease holds that the database's own clock ends
    "controller/store/postgres/pg_writer.cc",  # the same
}
LONG_FILE = 400


class Tree:
    def __init__(self, root):
        self.root = root
        self.files = {}
        for folder, folders, names in os.walk(root):
            folders[:] = sorted(each for each in folders if each not in SKIPPED_FOLDERS)
            for name in sorted(names):
                path = os.path.join(folder, name)
                relative = os.path.relpath(path, root)
                if os.path.islink(path) or not is_text(relative):
                    continue
                with open(path, encoding="utf-8", errors="replace") as file:
                    self.files[relative] = file.read()
        self.modules = read_plan(self.files.get("CMakeLists.txt", ""))

    def sources(self):
        for path, text in self.files.items():
            if path.endswith((".cc", ".h")):
                yield path, text


def is_text(path):
    return path.endswith(TEXT_FILES) or os.path.basename(path) in ("Makefile", "run") or path.startswith("scripts/")


def is_test(path):
    return path.startswith(("tests/", "bench/")) or bool(re.search(r"_(test|bench|fuzz)\.cc$|_(fixture|testing|test_support)\.h$", path))


def find_lines(text, pattern):
    search = re.compile(pattern).search  # once: re's own look-up costs as much as the search
    for number, line in enumerate(text.splitlines(), 1):
        if match := search(line):
            yield number, match


def find_all(text, pattern):
    for number, line in enumerate(text.splitlines(), 1):
        for match in re.finditer(pattern, line):
            yield number, match


def without_comments_and_strings(text):
    """The code, line by line; raw strings of several lines are left in."""
    text = re.sub(r'"(\\.|[^"\\\n])*"', '""', text)
    return re.sub(r"//.*", "", text)


def plan_points_up(tree):
    return check_plan(tree.modules)


def includes_follow_the_plan(tree):
    faults = []
    for path, text in tree.sources():
        own = module_of(tree.modules, path)
        allowed = reachable(tree.modules, own)
        for line, match in find_lines(text, r'^\s*#\s*include "([^"]+)"'):
            header, where = match.group(1), f"{path}:{line}"
            theirs = module_of(tree.modules, header)
            beside = os.path.join(os.path.dirname(path), header)
            if path.startswith("tests/") and "/" not in header and beside in tree.files:
                continue  # small programs that are compiled on their own
            if header not in tree.files:
                faults.append(f'{where}: "{header}" is not a path from the root of the source tree')
            elif is_test(path) and (own is None or header.startswith("tests/")):
                continue
            elif theirs is None or theirs not in allowed:
                faults.append(f'{where}: {own} may not include "{header}": no DEPENDS leads there')
    return faults


PARTS = ("controller/api", "node-agent/sandbox", "cli")  # the rooms of each share one namespace
AGENT = ("base", "disk", "host", "uplink", "runs", "calls", "app")  # and so do these of node-agent


def namespace_of(room):
    """The namespace of a room: the last name of its folder, or the one that the rooms of its part share."""
    side, _, name = room.partition("/")
    if name == "base" and side != "node-agent":
        return "paddock"
    if side == "node-agent" and name in AGENT:
        return "paddock::agent"
    part = next((each for each in PARTS if f"{room}/".startswith(each + "/")), room)
    return "paddock::" + part.rpartition("/")[2]


def only_declares(block):
    """What a file may say in another room's namespace: names that are defined there, and its own types' rows of a template from there."""
    return block.lstrip().startswith("template <>") or not re.search(r"[{=]", block)


def namespaces_are_those_of_their_rooms(tree):
    """A name says which room it comes from: a file defines it in the namespace of its own room, or in one within."""
    faults = []
    others = {namespace_of(room) for room in tree.modules}
    for path, text in tree.sources():
        room = module_of(tree.modules, path)
        if room is None:
            continue
        own = namespace_of(room)
        code = without_comments_and_strings(text)
        for match in re.finditer(r"(?ms)^namespace (paddock[\w:]*) \{ *$(.*?)^\}", code):
            name = match.group(1)
            inside = name == own or (name.startswith(own + "::") and name not in others)
            if not inside and not only_declares(match.group(2)) and not (name == "paddock::test" and is_test(path)):
                faults.append(f"{path}:{code.count(chr(10), 0, match.start()) + 1}: defines something in {name}; this room's is {own}")
    return faults


def internal_stays_inside(tree):
    faults = []
    for path, text in tree.sources():
        for line, match in find_lines(text, r'^\s*#\s*include "([^"]*?)/internal/'):
            if not path.startswith(match.group(1) + "/"):
                faults.append(f"{path}:{line}: reaches into {match.group(1)}/internal")
    return faults


def libraries_stay_in_their_module(tree):
    faults = []
    for path, text in tree.sources():
        module = tree.modules.get(module_of(tree.modules, path))
        libs = module.libs if module else []
        for line, match in find_lines(text, r"^\s*#\s*include <([^>]+)>"):
            header = match.group(1)
            library = next((lib for start, lib in LIBRARIES.items() if header.startswith(start)), None)
            if library is not None:
                ok = path.startswith(("tests/", "bench/")) or any(lib.startswith(library) for lib in libs)
            elif header.startswith(TEST_LIBRARIES):
                ok = is_test(path)
            else:
                ok = "/" not in header or header.startswith(SYSTEM_FOLDERS)
            if not ok:
                faults.append(f"{path}:{line}: <{header}> does not belong here; name its library in LIBS")
    return faults


def systems_stay_in_platform_files(tree):
    pattern = r"^\s*#\s*(if|ifdef|ifndef|elif)\b.*(__linux__|__APPLE__|__MACH__|_WIN32|__FreeBSD__)"
    return [f"{path}:{line}: a conditional on the operating system outside a platform file"
            for path, text in tree.sources() for line, _ in find_lines(text, pattern)
            if not path.startswith("common/os/") and not re.search(r"/(linux|darwin)/", path)]


def headers_introduce_themselves(tree):
    faults = []
    for path, text in tree.sources():
        if path.endswith(".h") and not text.startswith("//"):
            faults.append(f"{path}:1: a header opens with a comment that says what it is")
        if path.endswith(".h") and "#pragma once" not in text:
            faults.append(f"{path}:1: #pragma once is missing")
    return faults


def library_code_does_not(tree, pattern, what, allowed):
    return [f"{path}:{line}: {what}" for path, text in tree.sources() if not is_test(path) and not allowed(path, text)
            for line, _ in find_lines(without_comments_and_strings(text), pattern)]


def rules_across_fields_are_called(tree):
    """A described struct's validate() is found by its signature (common/wire/internal/field_kinds.h): another one is never called."""
    faults = []
    for path, text in tree.sources():
        if is_test(path) or not path.endswith(".h") or " describe(" not in text:
            continue
        faults += [f"{path}:{line}: decode() calls `void validate(wire::Check&) const` alone"
                   for line, _ in find_lines(without_comments_and_strings(text), r"^\s+[\w:<>&* ]+\bvalidate\(")
                   if not re.search(r"\bvoid validate\((wire::)?Check& \w+\) const\b", text.splitlines()[line - 1])]
    return faults


def nobody_sleeps(tree):
    pattern = r"\bsleep_(for|until)\s*\(\s*(std|k[A-Z]|milli|sec)|this_thread::sleep|\b(usleep|nanosleep)\s*\("
    return library_code_does_not(tree, pattern, "sleeps; wait for the event instead", lambda path, _: path in MAY_SLEEP)


def daemons_wait_for_no_file(tree):
    return [f"{path}:{line}: waits for whoever writes the file; read_file refuses what is no regular one" for path, text in tree.sources()
            if not path.startswith(("cli/", "common/os/")) for line, _ in find_lines(text, r'#include "common/os/read_stream\.h"')]


def only_programs_read_the_clock(tree):
    def allowed(path, _):
        return path.startswith(("common/base/", "cli/")) or "/app/" in path or path.endswith("/main.cc") or path in MAY_READ_THE_CLOCK
    return library_code_does_not(tree, r"\bSystemClock\b", "reads the clock; take a Clock instead", allowed)


def nobody_throws(tree):
    return library_code_does_not(tree, r"\bthrow\b", "throws; return a Result instead", lambda path, _: path in MAY_THROW)


def phases_are_decided_in_one_file(tree):
    """Also where a phase is written through a reference, or in a designated initialiser of a status."""
    pattern = r"\bstatus\.phase\s*=(?!=)|&\s*\w+\s*=\s*[\w.>()-]*\bstatus\.phase\b|\.status\s*=\s*\{[^}]*\.phase\b"
    return library_code_does_not(tree, pattern, "sets the phase of a stored object; ask the file that decides it",
                                 lambda path, _: path in MAY_SET_A_PHASE)


def nobody_streams(tree):
    return library_code_does_not(tree, r"#\s*include <iostream>", "<iostream> in library code", lambda *_: False)


def nothing_is_unfinished(tree):
    pattern = r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b"
    return [f"{path}:{line}: {match.group(0)} left in" for path, text in tree.files.items()
            for line, match in find_lines(text, pattern)]


def text_is_neutral(tree):
    """No path of one machine and no word about who wrote it."""
    pattern = r"(?<![\w.\-}*])/wo" r"rk/|language mod" r"el|Anth" r"ropic|Chat" r"GPT|Cla" r"ude"
    return [f"{path}:{line}: \"{match.group(0)}\" has no place here" for path, text in tree.files.items()
            for line, match in find_lines(text, pattern)]


def forbidden_terms():
    """Words that a developer's own configuration keeps out; the project holds no such list."""
    return [term.strip() for term in os.environ.get("PADDOCK_NEUTRALITY_FORBIDDEN_TERMS", "").split(",") if term.strip()]


def nobody_is_named_as_the_orchestrator(tree):
    """Docs, help, contracts and shipped text speak of the external orchestrator's role, never of one in particular."""
    named = r"(?i:\borchestrators?[,]?\s+(such as|like|for example|e\.g\.),?)\s+(?-i:[A-Z`\"]\w+)"
    faults = [f"{path}:{line}: an orchestrator is named: \"{match.group(0)}\"" for path, text in tree.files.items()
              for line, match in find_lines(text, named)]
    for term in forbidden_terms():
        faults += [f"{path}:{line}: a term that this machine's configuration forbids" for path, text in tree.files.items()
                   for line, _ in find_lines(text, "(?i)" + re.escape(term))]
    return faults


REQUIREMENT = r"\b(?:ORB|OD|VLT|ELV|WSM)-\d+\b"
OTHER_PRODUCTS = r"(?i:eleva" r"ite|vlt" r"air|wasms" r"and)"


def readers_meet_no_requirement_and_no_other_product(tree):
    """Documents and what is shipped; the pages about the designs themselves are docs/decisions.md and docs/conformance.md."""
    shown = [path for path in tree.files if (path.endswith(".md") or path.startswith(("packaging/", "charts/", "manifests/")))
             and path not in ("docs/decisions.md", "docs/conformance.md")]
    return [f"{path}:{line}: \"{match.group(0)}\" says nothing to a reader" for path in shown
            for line, match in find_lines(tree.files[path], f"{REQUIREMENT}|{OTHER_PRODUCTS}")]


def claims_name_suites_that_exist(tree):
    """docs/claims.md is worth what its tests are: integration suites by their file, unit suites by their module."""
    units = {"unit." + name.replace("/", "_") for name in tree.modules}
    return [f"docs/claims.md:{line}: there is no suite {match.group(0)}"
            for line, match in find_lines(tree.files.get("docs/claims.md", ""), r"\b(unit|integration)\.[\w-]+")
            if match.group(0) not in units and f"tests/integration/{match.group(0).partition('.')[2]}.py" not in tree.files]


def anchors(text):
    """What a link into this document may name: its headings, as they are shown on the web."""
    plain = re.sub(r"(?ms)^```.*?^```", "", text)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in re.findall(r"(?m)^#+ +(.+)$", plain)}


def links_lead_somewhere(tree):
    """Every relative link of a document names a file or a folder of the tree, and a heading that is in it."""
    folders = {os.path.dirname(path) for path in tree.files}
    folders |= {folder.rsplit("/", depth)[0] for folder in folders for depth in range(folder.count("/") + 1)}
    faults = []
    for path, text in tree.files.items():
        if not path.endswith(".md"):
            continue
        for line, match in find_all(text, r"\]\((?![a-z]+:)([^)\s]+)\)"):
            target, _, anchor = match.group(1).partition("#")
            found = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
            there = found in tree.files or found in folders or os.path.isfile(os.path.join(tree.root, found))
            if not there or (anchor and anchor not in anchors(tree.files.get(found, ""))):
                faults.append(f"{path}:{line}: the link to {match.group(1)} leads nowhere")
    return faults


PROGRAMS = {"apt", "brew", "cat", "cd", "cmake", "echo", "export", "helm", "kubectl", "make", "mkdir", "paddock", "paddock-controller",
            "skopeo", "sudo", "systemctl", "tar", "./upload.py"}


def shell_lines(block):
    """Each command of a block with the lines that go on with it; without what is given to it as its input."""
    lines, end = [], None
    for line in re.sub(r"\\\n *", " ", block).splitlines():
        if end is None and line.strip() and not line.lstrip().startswith("#"):
            lines.append(line.strip())
            here = re.search(r"<<-?'?(\w+)'?", line)
            end = here.group(1) if here else None
        elif line.strip() == end:
            end = None
    return lines


def blocks_of_commands(text):
    """Where each block of a document begins, and what is in it: those that say `sh`, and indented ones that begin with a program."""
    for match in re.finditer(r"(?ms)^ *```sh\n(.*?)^ *```", text):
        yield text.count("\n", 0, match.start()) + 1, match.group(1)
    outside = re.sub(r"(?ms)^ *```.*?^ *```", lambda fenced: "\n" * fenced.group(0).count("\n"), text)
    for match in re.finditer(r"(?m)^\n((?: {4,}\S.*\n)+)", outside):
        if match.group(1).split()[0] in PROGRAMS:
            yield outside.count("\n", 0, match.start()) + 2, match.group(1)


def blocks_of_commands_have_one_on_each_line(tree):
    """What is copied from a document into a terminal: whoever fills paragraphs anew must not fill these."""
    faults = []
    for path, text in tree.files.items():
        if not path.endswith(".md"):
            continue
        for at, block in blocks_of_commands(text):
            for line in shell_lines(block):
                _, _, comment = line.partition(" # ")
                if line.split()[0] not in PROGRAMS or re.search(r"\bpaddock [a-z]", re.sub("`.*?`", "", comment)):
                    faults.append(f"{path}:{at}: no command begins here, or two are on one line: {line[:60]}")
    return faults


def every_document_is_in_the_index(tree):
    index = tree.files.get("docs/index.md", "")
    return [f"{path}:1: docs/index.md does not link to it" for path in tree.files
            if re.fullmatch(r"docs/[^/]+\.md", path) and path != "docs/index.md" and f"({os.path.basename(path)})" not in index]


RULES = [plan_points_up, includes_follow_the_plan, namespaces_are_those_of_their_rooms, internal_stays_inside, libraries_stay_in_their_module,
         systems_stay_in_platform_files, headers_introduce_themselves, rules_across_fields_are_called, nobody_sleeps, daemons_wait_for_no_file, only_programs_read_the_clock,
         nobody_throws, phases_are_decided_in_one_file, nobody_streams, nothing_is_unfinished, text_is_neutral, nobody_is_named_as_the_orchestrator,
         links_lead_somewhere, blocks_of_commands_have_one_on_each_line, every_document_is_in_the_index, readers_meet_no_requirement_and_no_other_product,
         claims_name_suites_that_exist]


def long_files(tree):
    """Not a fault; a hint to split by duty."""
    return [f"{path}: {text.count(chr(10))} lines" for path, text in tree.sources() if text.count("\n") > LONG_FILE]
