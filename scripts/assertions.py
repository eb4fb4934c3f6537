"""Whether a test can fail by what it looks at: it asserts something, or calls a helper that does.

A helper counts if it is in the test's own file, or in one that this file includes or imports and its name says so
(`expect_contained`). What only fails by an exception (a program that ends with an error, a key that is missing) is no assertion:
nobody wrote down what is right.
"""
import ast
import functools
import os
import re

CPP_ASSERTS = re.compile(r"\b(?:EXPECT|ASSERT)_\w+\s*\(|\bstatic_assert\(|\bADD_FAILURE\w*\(|\bGTEST_FAIL\(|\bFAIL\(")
CPP_CALL = re.compile(r"\b(\w+)\s*(?:<[\w:, ]*>\s*)?\(")
CPP_NO_FUNCTION = {"if", "for", "while", "switch", "catch", "return", "sizeof", "decltype", "alignof", "defined"}
CPP_NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
CPP_INCLUDE = re.compile(r'^#include "([^"]+)\.h"', re.M)
SAYS_SO = re.compile(r"_?(?:expect|assert|check|verify|refuse)")
WAITS = "wait_until"  # fails a test that waits for what never comes


def cpp_plain(text):
    """Without what could hide a brace: comments, strings and characters."""
    return CPP_NOISE.sub(lambda match: "" if match.group(0).startswith("/") else "0", text)


def closing(text, at, pair):
    """Where the bracket at `at` ends; the end of the text if it does not."""
    depth = 0
    for index in range(at, len(text)):
        depth += (text[index] == pair[0]) - (text[index] == pair[1])
        if depth == 0:
            return index
    return len(text)


def cpp_functions(text):
    """(name, arguments, body) of each function, test and constructor in plain text; those within bodies too."""
    for match in CPP_CALL.finditer(text):
        if match.group(1) in CPP_NO_FUNCTION:
            continue
        end = closing(text, match.end() - 1, "()")
        head = re.compile(r"\s*(?:const|override|noexcept|final|->\s*[\w:<>&*]+|\s)*(?::[^;{}]*(?:\{[^{}]*\}[^;{}]*)*)?\{").match(text, end + 1)
        if head:
            yield match.group(1), text[match.end():end], text[head.end() - 1:closing(text, head.end() - 1, "{}")]


def asserting_names(bodies, asserts, calls, known=frozenset()):
    """Names of the functions among (name, body) that assert, themselves or by one of these or of `known`."""
    found = set()
    while True:
        more = {name for name, body in bodies if name not in found and (asserts(body) or calls(body) & (found | known))}
        if not more:
            return found
        found |= more


def cpp_calls(body):
    return set(CPP_CALL.findall(body))


@functools.lru_cache(maxsize=None)
def cpp_file(root, path):
    """(what a file includes of this tree, names of its functions that assert); nothing of one that is not there."""
    try:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
    except FileNotFoundError:
        return (), frozenset()
    names = frozenset()
    if CPP_ASSERTS.search(text):
        bodies = [(name, body) for name, _, body in cpp_functions(cpp_plain(text)) if not name.startswith("TEST")]
        names = frozenset(asserting_names(bodies, CPP_ASSERTS.search, cpp_calls))
    return tuple(CPP_INCLUDE.findall(text)), names


def cpp_helpers(root, text):
    """Names of the functions that assert in what a file includes: headers, the files beside them, and what these include."""
    names, seen, left = set(), set(), CPP_INCLUDE.findall(text)
    while left:
        if (included := left.pop()) in seen:
            continue
        seen.add(included)
        for end in (".h", ".cc"):
            more, asserting = cpp_file(root, included + end)
            left += more
            names |= {name for name in asserting if SAYS_SO.match(name)}
    return names


def cpp_tests_without(root, text):
    """Names, as `Suite.Test`, of the tests of a file that assert nothing."""
    known = cpp_helpers(root, text)
    functions = list(cpp_functions(cpp_plain(text)))
    helpers = asserting_names([(name, body) for name, _, body in functions if not name.startswith("TEST")],
                              CPP_ASSERTS.search, cpp_calls, known) | known
    return {".".join(part.strip() for part in arguments.split(","))
            for name, arguments, body in functions if re.fullmatch(r"(?:TYPED_)?TEST(?:_[FP])?", name)
            and not CPP_ASSERTS.search(body) and not cpp_calls(body) & helpers}


def py_asserts(node):
    for each in ast.walk(node):
        if isinstance(each, ast.Assert):
            return True
        if isinstance(each, ast.Call):
            name = py_name(each.func)
            if name.startswith("assert") or name in ("fail", WAITS):
                return True
    return False


def py_raises(node):
    return any(isinstance(each, ast.Raise) and each.exc is not None and "AssertionError" in ast.dump(each.exc) for each in ast.walk(node))


def py_name(node):
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def py_calls(node):
    return {py_name(each.func) for each in ast.walk(node) if isinstance(each, ast.Call)}


def py_functions(tree):
    return [(node.name, node) for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


@functools.lru_cache(maxsize=None)
def py_helpers(path):
    try:
        with open(path, encoding="utf-8") as file:
            tree = ast.parse(file.read())
    except FileNotFoundError:
        return frozenset()
    return frozenset(name for name in asserting_names(py_functions(tree), py_asserts, py_calls) if SAYS_SO.match(name))


def py_imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (each.name for each in node.names)


def py_tests_without(root, path, text):
    """Names of the tests of a file that assert nothing."""
    tree = ast.parse(text)
    folder = os.path.dirname(os.path.join(root, path))
    known = frozenset().union(*(py_helpers(os.path.join(folder, module.replace(".", "/") + ".py")) for module in py_imported(tree)))
    functions = py_functions(tree)
    helpers = asserting_names([each for each in functions if not each[0].startswith("test")],
                              lambda node: py_asserts(node) or py_raises(node), py_calls, known) | known
    return {name for name, node in functions
            if name.startswith("test") and not py_asserts(node) and not py_raises(node) and not py_calls(node) & helpers}


def tests_without(root, path, text):
    """Tests of a file that nothing but an accident can fail; known for C++ and Python."""
    if path.endswith(".cc"):
        return cpp_tests_without(root, text)
    return py_tests_without(root, path, text) if path.endswith(".py") else set()
