# SPDX-License-Identifier: Apache-2.0
"""The files of a target as they are compiled: themselves, or copies that name the stubs where the sources name a system module."""

import re

from swift_text import blanked

# What an import finds: the stub in place of the toolchain's module, and nothing where Apple's SDKs have nothing.
RENAMED = {
    "Foundation": "AppleFoundation", "Dispatch": "AppleDispatch", "CoreFoundation": "AppleCoreFoundation",
    "FoundationEssentials": "AbsentEssentials", "FoundationNetworking": "AbsentNetworking",
    "FoundationXML": "AbsentXML", "Glibc": "AbsentGlibc", "Musl": "AbsentMusl",
}
NAME = "|".join(RENAMED)
MODULE = re.compile(
    rf"\bimport (?:(?:struct|class|enum|protocol|func|var|let|typealias) )?({NAME})\b|\bcanImport\(({NAME})\)"
    r"|(?<![.\w])(Foundation|Dispatch)(?=\.[A-Z])"
)

# `as` converts between Core Foundation's classes and Swift's types with Objective-C only; stubs/AppleCoreFoundation has
# an operator for each conversion that exists. Patterns, `as?` and `as!` stay.
BRIDGING_FILE = re.compile(r"^[ \t]*(?:\w+ )*import (?:Security|CoreFoundation)\b", re.MULTILINE)
CAST = re.compile(r"\bas ((?:CF(?!TypeRef)\w+|String|Data)\??)(?=[\s,)\]:}]|$)", re.MULTILINE)
PATTERN = re.compile(r"\b(?:case|catch)\b[^=]*$")


def staged(text):
    """The text with the stubs' names and an operator for each bridging cast, in the same lines."""
    code = blanked(text)
    edits = []
    for match in MODULE.finditer(code):
        group = match.lastindex
        edits.append((*match.span(group), RENAMED[match[group]]))
    for match in CAST.finditer(code) if BRIDGING_FILE.search(code) else ():
        before = code[code.rfind("\n", 0, match.start()) + 1 : match.start()]
        if not PATTERN.search(before):
            edits.append((*match.span(), f"~~> {match[1]}.self"))
    out, end = [], 0
    for start, stop, new in sorted(edits):
        out += [text[end:start], new]
        end = stop
    return "".join([*out, text[end:]])


def embedded_resources(target):
    """The source that SwiftPM generates for files that are compiled into a target; None if there are none."""
    names = []
    for path in target.embedded:
        folder = target.folder / path
        names += [file.name for file in ([folder] if folder.is_file() else folder.rglob("*")) if file.is_file()]
    if not names:
        return None
    # SwiftPM: a character that an identifier cannot have becomes an underscore.
    lines = [f"    static let {re.sub(r'[^A-Za-z0-9_]', '_', name)}: [UInt8] = []" for name in sorted(set(names))]
    return "struct PackageResources {\n" + "\n".join(lines) + "\n}\n"


def has_condition(code):
    """Whether a file differs between Apple's platforms by its own text."""
    return re.search(r"\b(?:os|targetEnvironment|arch|canImport)\s*\(|@available|#available|#unavailable", code) is not None
