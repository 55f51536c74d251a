"""Composite literals of Go, as tables of tests are written: lists, and dictionaries where the fields have names."""

import json
import re

TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|\s+            # nothing
    |(?P<text>"(?:[^"\\\n]|\\.)*")|`(?P<raw>[^`]*)`
    |(?P<number>-?\d[\w.]*)|(?P<word>[A-Za-z_][\w.]*)|(?P<mark>.)""",
    re.S | re.X,
)


class Word(str):
    """A name of Go, in contrast to a text."""


def variable(source, name):
    """The value of `NAME := []T{…}` or `var NAME = []T{…}`, also where T is a struct written out."""
    start = re.search(rf"\b{name}\s*:?=\s*", source)
    if start is None:
        raise ValueError(f"no variable {name}")
    tokens = _tokens(source, start.end())
    _type(tokens)
    return _body(tokens)


def _tokens(source, start):
    """(kind, value), the next one last."""
    found = []
    for match in TOKEN.finditer(source, start):
        kind = match.lastgroup
        if kind:
            found.append((kind, match.group(kind)))
    return found[::-1]


def _type(tokens):
    """Passes a type over, up to the brace of its value."""
    depth = 0
    while tokens:
        kind, value = tokens[-1]
        if value == "{" and kind == "mark" and depth == 0:
            return
        tokens.pop()
        if (kind, value) == ("word", "struct"):
            _skip(tokens)
        depth += {"[": 1, "]": -1}.get(value, 0) if kind == "mark" else 0
    raise ValueError("a value without a brace")


def _skip(tokens):
    """Passes over what stands between braces."""
    depth = 0
    while True:
        kind, value = tokens.pop()
        depth += {"{": 1, "}": -1}.get(value, 0) if kind == "mark" else 0
        if depth == 0:
            return


def _body(tokens):
    tokens.pop()
    items, fields = [], {}
    while tokens[-1] != ("mark", "}"):
        value = _value(tokens)
        if tokens[-1] == ("mark", ":"):
            tokens.pop()
            fields[str(value)] = _value(tokens)
        else:
            items.append(value)
        if tokens[-1] == ("mark", ","):
            tokens.pop()
    tokens.pop()
    return fields or items


def _value(tokens):
    kind, value = tokens[-1]
    if kind == "mark" and value == "{":
        return _body(tokens)
    if kind == "mark":  # A type, `[]T` or `&T`.
        _type(tokens)
        return _body(tokens)
    tokens.pop()
    if kind == "text":
        return json.loads(re.sub(r"\\x([0-9a-f]{2})", r"\\u00\1", value))
    if kind == "raw":
        return value
    if kind == "number":
        return int(value, 0)
    if tokens[-1] == ("mark", "{"):
        return _body(tokens)
    if tokens[-1] == ("mark", "("):
        return _call(value, tokens)
    return {"true": True, "false": False, "nil": None}.get(value, Word(value))


def _call(name, tokens):
    """`make([]T, N)` is N empty values; of other calls the name is kept."""
    arguments, depth = [], 0
    while True:
        kind, value = tokens.pop()
        depth += {"(": 1, ")": -1}.get(value, 0) if kind == "mark" else 0
        arguments.append((kind, value))
        if depth == 0:
            break
    count = [int(value) for kind, value in arguments if kind == "number"]
    return [{} for _ in range(count[-1])] if name == "make" and count else Word(name)
