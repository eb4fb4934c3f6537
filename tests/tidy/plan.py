"""The plan of modules: the module() lines of the root CMakeLists.txt."""
import re


class Module:
    def __init__(self, path, depends, libs):
        self.path, self.depends, self.libs = path, depends, libs


def read_plan(text):
    """The modules of a CMakeLists.txt in the order in which they stand."""
    text = re.sub(r"#.*", "", text)
    modules = {}
    for line in re.findall(r"^module\(([^)]*)\)", text, re.M):
        words, key = line.split(), None
        lists = {"DEPENDS": [], "LIBS": []}
        for word in words[1:]:
            if word in lists:
                key = word
            else:
                lists[key].append(word)
        modules[words[0]] = Module(words[0], lists["DEPENDS"], lists["LIBS"])
    return modules


def reachable(modules, path):
    """A module and all that its DEPENDS lines lead to."""
    seen, open_ = set(), [path]
    while open_:
        here = open_.pop()
        if here in seen or here not in modules:
            continue
        seen.add(here)
        open_ += modules[here].depends
    return seen


def module_of(modules, file):
    """The module that a file lies in: the longest module path that is one of its folders."""
    inside = [path for path in modules if file.startswith(path + "/")]
    return max(inside, key=len, default=None)


def check_plan(modules):
    faults, declared = [], set()
    for module in modules.values():
        for depends in module.depends:
            if depends not in declared:
                faults.append(f"CMakeLists.txt: {module.path} depends on {depends}, which is not above it")
            sides = [module.path.split("/")[0], depends.split("/")[0]]
            if sides[0] != sides[1] and sides[1] != "common":
                faults.append(f"CMakeLists.txt: an edge from {sides[0]} to {sides[1]}: {module.path} -> {depends}")
        declared.add(module.path)
    return faults
