# SPDX-License-Identifier: Apache-2.0
"""Swift files as the checks see them: which there are, and their text without comments and string contents."""

import re
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# What begins something that is not plain code; everything between two matches is copied as it is.
SPECIAL = re.compile(r'//|/\*|#*"""|#*"')


@dataclass
class SwiftFile:
    """One tracked file."""

    path: str

    @cached_property
    def text(self):
        return (ROOT / self.path).read_text(encoding="utf-8")

    @cached_property
    def lines(self):
        return self.text.splitlines()

    @cached_property
    def code(self):
        """The text with comments and the contents of string literals blanked; line numbers stay."""
        return blanked(self.text)

    @cached_property
    def doc_lines(self):
        return sum(1 for line in self.lines if line.lstrip().startswith("///"))

    @property
    def module(self):
        """The folder that stands for the target: Sources/X, Tests/X, Benchmarks/X, Fuzz/X or Sources/Facades/X."""
        parts = self.path.split("/")
        return parts[2] if parts[1] == "Facades" else parts[1]

    @property
    def is_facade(self):
        return self.path.startswith("Sources/Facades/")


def tracked(*patterns):
    """Paths of the files that git knows, or is about to know, and that are still there."""
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "-co", "--exclude-standard", "--", *patterns]
    names = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")
    return sorted({name for name in names if name and (ROOT / name).is_file()})


def swift_files(*folders):
    """The Swift files below the folders, without generated and golden ones."""
    paths = tracked(*(f"{folder}/**/*.swift" for folder in folders), *(f"{folder}/*.swift" for folder in folders))
    return [SwiftFile(path) for path in paths if not re.search(r"golden|generated", path, re.IGNORECASE)]


def blanked(text):
    out = []
    end = _code(text, 0, out, nested=False)
    out.append(text[end:])
    return "".join(out)


def _blank(text):
    return "".join("\n" if c == "\n" else " " for c in text)


def _code(text, at, out, nested):
    """Copies code from `at` to the end of the text, or to the parenthesis that ends an interpolation."""
    depth = 0
    stop = re.compile(SPECIAL.pattern + r"|[()]") if nested else SPECIAL
    while match := stop.search(text, at):
        out.append(text[at : match.start()])
        token, at = match.group(), match.end()
        if token in "()":
            depth += 1 if token == "(" else -1
            out.append(token)
            if depth < 0:
                return at
        elif token == "//":
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            out.append(" " * (end - at + 2))
            at = end
        elif token == "/*":
            at = _comment(text, match.start(), out)
        else:
            at = _string(text, match.start(), token, out)
    out.append(text[at:])
    return len(text)


def _comment(text, start, out):
    depth, at = 0, start
    for match in re.compile(r"/\*|\*/").finditer(text, start):
        depth += 1 if match.group() == "/*" else -1
        at = match.end()
        if depth == 0:
            break
    else:
        at = len(text)
    out.append(_blank(text[start:at]))
    return at


def _string(text, start, token, out):
    hashes = token.count("#")
    quote = token[hashes:]
    end = re.escape(quote + "#" * hashes) + ("" if len(quote) == 3 else r"|\n")
    pieces = re.compile(end + r"|\\" + "#" * hashes + r"(\(|.)", re.DOTALL)
    out.append(token)
    at = start + len(token)
    while match := pieces.search(text, at):
        out.append(_blank(text[at : match.start()]))
        at = match.end()
        if match.group(1) == "(":
            out.append("  " + " " * hashes)
            inner = []
            at = _code(text, at, inner, nested=True)
            out.extend(inner)
        elif match.group(1) is not None:
            out.append(_blank(match.group()))
        else:
            out.append(match.group())
            return at
    out.append(_blank(text[at:]))
    return len(text)


# A head of something with a body, or what ends the search for the body: another declaration, a brace.
HEAD = re.compile(
    r"(?<![.\w`])(?P<head>func|init|deinit|subscript)\b|\b(?P<computed>var)\b(?=[^={}\n]*\{)"
    r"|\b(?:var|let|case|class|struct|enum|actor|protocol|extension|typealias|import)\b|[{}]"
)


def functions(code):
    """Yields (line, length) of each function, initialiser, subscript and computed property that has a body."""
    opened, start = [], None
    for match in HEAD.finditer(code):
        token = match.group()
        if token == "{":
            opened.append(start)
            start = None
        elif token == "}":
            begin = opened.pop() if opened else None
            if begin is not None:
                yield code.count("\n", 0, begin) + 1, code.count("\n", begin, match.start()) + 1
            start = None
        elif match["head"] or match["computed"]:
            start = match.start()
        else:
            start = None
