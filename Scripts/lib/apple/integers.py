# SPDX-License-Identifier: Apache-2.0
"""Constants and shifts that do not fit into watchOS's Int, which has 32 bits on arm64_32.

The toolchain has no standard library for that architecture, so the compiler checks a 64-bit watchOS. Constant expressions
that need more than 31 bits, and shifts by 31 and more, are found in the text; SIL says which of them are of type Int or UInt.
Sizes that only grow so large at run time cannot be found this way.
"""

import os
import re
import subprocess

from apple.finding import Finding
from swift_text import blanked

NUMBER = r"(?:0x[0-9A-Fa-f_]+|0b[01_]+|\d[\d_]*)(?![\w.])"
EXPRESSION = re.compile(rf"(?<![\w.]){NUMBER}(?: *(?:\*|<<|\+) *{NUMBER})*")
SHIFT = re.compile(rf"(?:<<|>>)=? *({NUMBER})")
LITERAL = re.compile(r'integer_literal \$Builtin\.IntLiteral, -?\d+, loc "([^"]+)":(\d+):(\d+)')
INITIALISER = re.compile(r"function_ref @\$s(\w+?)22_builtinIntegerLiteral|#_ExpressibleByBuiltinIntegerLiteral")
SHIFTED = re.compile(r'witness_method \$U?Int, #\w+\."&?(?:<<|>>)=?"')


def value(text):
    """The value of a constant expression of numbers, products, sums and shifts."""
    return eval(re.sub(r"(?<![\w])0+(?=\d)", "", text.replace("_", "")), {"__builtins__": {}})


def candidates(code):
    """(line, column, what) of constants above 2³¹ − 1 and of shifts by 31 and more."""
    for match in EXPRESSION.finditer(code):
        if value(match[0]) > 0x7FFF_FFFF:
            yield *_place(code, match.start()), f"{match[0]} does not fit"
    for match in SHIFT.finditer(code):
        if value(match[1]) >= 31:
            yield *_place(code, match.start(1)), f"a shift by {match[1]} loses bits"


def _place(code, at):
    start = code.rfind("\n", 0, at) + 1
    return code.count("\n", 0, at) + 1, len(code[start:at].encode()) + 1


def native_places(sil):
    """(file, line, column) of the literals of type Int or UInt, and of the counts of shifts of such values."""
    literals, shifts, last, typed = set(), set(), None, None
    for line in sil.splitlines():
        if found := LITERAL.search(line):
            last = (found[1], int(found[2]), int(found[3]))
        elif last and (found := INITIALISER.search(line)):
            # The mangled names of Int and UInt.
            if found[1] in ("Si", "Su"):
                literals.add(last)
                typed = last
            last = None
        elif typed and SHIFTED.search(line):
            shifts.add(typed)
            typed = None
    return literals, shifts


def check(build, target, platform, files):
    """The findings in the files of a target."""
    suspects = {}
    for file in files:
        if found := list(candidates(blanked(file.read_text(encoding="utf-8")))):
            suspects[os.path.basename(file)] = (file, found)
    if not suspects:
        return
    chosen = {file for file, _ in suspects.values()}
    inputs = [flag for file in files for flag in (["-primary-file"] if file in chosen else []) + [str(file)]]
    outputs = [flag for _ in chosen for flag in ("-o", "/dev/stdout")]
    command = [*build.toolchain.frontend, "-emit-silgen", *build.flags(target, platform), "-Xllvm", "-sil-print-debuginfo"]
    done = subprocess.run([*command, *inputs, *outputs], capture_output=True, text=True)
    literals, shifts = native_places(done.stdout)
    for name, (file, found) in suspects.items():
        path = os.path.relpath(build.source_of.get(str(file), file), build.package.root)
        reported = set()
        for line, column, what in found:
            places = shifts if what.startswith("a shift") else literals
            if line not in reported and any((at, line, column) in places for at in (str(file), name)):
                reported.add(line)
                yield Finding(f"{path}:{line}:{column}", f"{what} in watchOS's Int of 32 bits; use Int64 or UInt64")
