# SPDX-License-Identifier: Apache-2.0
"""The files of a target as they are compiled: themselves, or copies with the stubs in the place of system modules."""

import re
from pathlib import Path

from swift_text import blanked

STUBS = Path(__file__).resolve().parent / "stubs"

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

# The root class has these with Objective-C only.
MESSAGE = re.compile(r"\boverride (?=(?:\w+ )*func (?:responds|forwardingTarget)\()")


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
    edits += [(*match.span(), " " * len(match[0])) for match in MESSAGE.finditer(code)]
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


# What makes a file different on two of Apple's platforms; `os(Linux)` is true on none. The stubs can be imported on all.
CONDITION = re.compile(r"\b(?:os\((?!Linux\))|targetEnvironment\(|arch\()|[@#](?:un)?available\b(?!\(\*)")
# The C library has its availability in its headers, where `limited_names` does not look.
C_LIBRARY = re.compile(r"^[ \t]*(?:\w+ )*import (?:Darwin|CommonCrypto)\b", re.MULTILINE)
TYPE = re.compile(r"\b(?:class|struct|enum|actor|protocol|extension) +(?!(?:func|var|let|subscript|init)\b)`?(\w+)")
MEMBER = re.compile(r"\b(?:typealias|func|var|let|case|macro) +(?:\(|`?(\w+))")
NAMELESS = re.compile(r"\b(?:init[?!]?|subscript) *[(<]")
WORD = re.compile(r"\w+")


def differs_by_platform(code):
    """Whether the text of a file itself is not the same for all of Apple's platforms."""
    return CONDITION.search(code) is not None


def limited_names(code):
    """The names of declarations that not every platform or version has.

    An initialiser or subscript stands under the name of its type. What is in a limited extension is limited, too; a value
    of a limited type comes from a declaration that is limited itself.
    """
    names, bodies, is_annotated = set(), [], False
    for line in code.splitlines():
        is_annotated = is_annotated or "@available" in line
        opener, member = TYPE.search(line), MEMBER.search(line)
        is_in_extension = bool(bodies) and bodies[-1] == "limited extension"
        opened = opener[1] if opener else None
        if (is_annotated or is_in_extension) and (found := opener or member):
            names.add(found[1])
            if opener and re.search(r"\bextension\b", line):
                opened = "limited extension"
            is_annotated = False
        elif is_annotated and NAMELESS.search(line):
            names.update(bodies)
            is_annotated = False
        for brace in re.findall(r"[{}]", line):
            if brace == "{":
                bodies.append(opened)
                opened = None
            elif bodies:
                bodies.pop()
    return names - {None, "limited extension"}


def differing_names(code):
    """The names of a file's declarations that are not the same on all of Apple's platforms."""
    blocks, differing = [], []
    for line in code.splitlines():
        directive = re.match(r"\s*#(if|elseif|endif)\b", line)
        if directive and directive[1] == "if":
            blocks.append(False)
        if directive and directive[1] != "endif" and blocks:
            blocks[-1] = blocks[-1] or differs_by_platform(line)
        if directive and directive[1] == "endif" and blocks:
            blocks.pop()
        if any(blocks):
            differing.append(line)
    return limited_names(code) | declared_names("\n".join(differing))


def declared_names(code):
    """The names that other files can use: of types, of what is in them, and at the top of the file."""
    names, bodies = set(), []
    for line in code.splitlines():
        opener = TYPE.search(line)
        if all(body == "type" for body in bodies) and not re.search(r"\b(?:file)?private\b(?!\()", line):
            if found := opener or MEMBER.search(line):
                names.update(WORD.findall(line) if re.match(r"\s*case\b|.*\(.*\) *=", line) else [found[1]])
        for brace in re.findall(r"[{}]", line):
            if brace == "{":
                bodies.append("type" if opener else "body")
                opener = None
            elif bodies:
                bodies.pop()
    return names - {None}
