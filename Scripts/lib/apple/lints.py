# SPDX-License-Identifier: Apache-2.0
"""What the compiler cannot see without Objective-C, or on this machine."""

import os
import re
from difflib import SequenceMatcher

from apple.finding import Finding
from apple.sources import RENAMED, STUBS
from swift_text import blanked

PROTOCOL = re.compile(r"\bprotocol (\w+Delegate)\b[^{]*\{(.*?)^\}", re.DOTALL | re.MULTILINE)
METHOD = re.compile(r"\bfunc +`?(\w+)`?\s*\(")
CONFORMING = re.compile(r"\b(?:class|extension) +\w+(?:<[^>]*>)?\s*:([^{]*)\{")
IMPORT = re.compile(
    r"^[ \t]*(?:@\w+ )*(?:\w+ )?import (?:(?:struct|class|enum|protocol|func|var|let|typealias) )?(\w+)", re.MULTILINE
)
# A downcast to a class of Core Foundation always succeeds at run time, whatever the value is.
DOWNCAST = re.compile(
    r"\bas[?!] +(CF[A-Z]\w+|Sec(?:AccessControl|Certificate|Identity|Key|Keychain|Policy|Task|Trust)\b)"
)

# What the toolchain has for Apple's platforms, too.
TOOLCHAIN = {"Synchronization", "Observation", "Swift", "Testing"}
# Frameworks that some platforms lack. Source: the availability on the page of each.
LACKED = {
    "AppKit": {"ios", "maccatalyst", "tvos", "watchos", "visionos"}, "UIKit": {"macos"},
    "CoreImage": {"watchos"}, "WatchKit": {"macos", "ios", "maccatalyst", "tvos", "visionos"},
}


def labels_at(code, start):
    """The labels of the parameters in the list whose parenthesis stands before `start`, as in `urlSession(_:task:)`."""
    depth, label, labels, at = 0, True, [], start
    while at < len(code) and depth >= 0:
        char = code[at]
        if label and (found := re.match(r"\s*(?:@\w+ +)*(\w+)", code[at:])):
            labels.append(found[1])
            label = False
            at += found.end()
            continue
        depth += (char in "([{") - (char in ")]}")
        label = label or (char == "," and depth == 0)
        at += 1
    return tuple(labels)


def methods(code):
    """(name, labels, line) of each method."""
    return [
        (match[1], labels_at(code, match.end()), code.count("\n", 0, match.start()) + 1) for match in METHOD.finditer(code)
    ]


def requirements():
    """Delegate protocol → (name, labels) of its requirements and of those that it inherits, all in one set."""
    files = [STUBS / "AppleFoundation/Delegates.swift", STUBS / "AuthenticationServices/AuthenticationServices.swift"]
    found = {}
    for file in files:
        for name, body in PROTOCOL.findall(file.read_text(encoding="utf-8")):
            found[name] = {(method, labels) for method, labels, _ in methods(body)}
    return found


def check_delegates(path, code):
    """Reports methods of a delegate that are spelt nearly like a requirement, which nobody would ever call."""
    known = requirements()
    conforms = {name for match in CONFORMING.finditer(code) for name in known if re.search(rf"\b{name}\b", match[1])}
    if not conforms:
        return
    # The protocols refine one another.
    wanted = set().union(*known.values())
    for name, labels, line in methods(code):
        if (name, labels) in wanted:
            continue
        near = max((one for one, _ in wanted), key=lambda one: SequenceMatcher(None, name.lower(), one.lower()).ratio())
        if SequenceMatcher(None, name.lower(), near.lower()).ratio() > 0.8:
            shown = "".join(f"{label}:" for label in labels)
            yield Finding(f"{path}:{line}", f"no delegate method is called '{name}({shown})'; the system would never call it")


def check_downcasts(path, code):
    for match in DOWNCAST.finditer(code):
        line = code.count("\n", 0, match.start()) + 1
        yield Finding(f"{path}:{line}", f"a cast to {match[1]} succeeds for every value; compare CFGetTypeID first")


def reached_platforms(before, platforms):
    """The platforms that compile what stands after `before`, where an `#if os(…) || os(…)` around it names them."""
    opened = re.findall(r"^#if +(.+)$|^#endif", before, re.MULTILINE)
    named = re.fullmatch(r"os\(\w+\)(?: *\|\| *os\(\w+\))*", opened[-1].strip()) if opened else None
    names = set(re.findall(r"os\((\w+)\)", named[0])) if named else None
    return [platform for platform in platforms if names is None or platform.os in names]


def check_imports(path, code, known, platforms):
    """Reports imports of what is neither a target nor known to the check, and of what one of the platforms lacks."""
    if "/Platform/Linux/" in path:
        return
    conditional = set(re.findall(r"canImport\((\w+)\)", code))
    for match in IMPORT.finditer(code):
        name, line = match[1], code.count("\n", 0, match.start()) + 1
        if name in conditional or name in known or name in TOOLCHAIN:
            continue
        reached = reached_platforms(code[: match.start()], platforms)
        lacking = sorted(platform.name for platform in reached if platform.key in LACKED.get(name, ()))
        if lacking:
            yield Finding(f"{path}:{line}", f"{', '.join(lacking)} have no module {name}")
        elif name not in RENAMED and not (STUBS / name).is_dir():
            yield Finding(f"{path}:{line}", f"no stub for {name}: add the interfaces that are used to Scripts/lib/apple/stubs")


def check_conditions(path, code):
    """Reports `#if` outside of Platform/, but for imports and in what the generator wrote."""
    if "/Platform/" in path or not path.startswith("Sources/"):
        return
    for block in re.finditer(r"^[ \t]*#if .*?^[ \t]*#endif", code, re.DOTALL | re.MULTILINE):
        lines = [line.strip() for line in block[0].splitlines() if line.strip()]
        if not all(re.match(r"#|(?:@\w+ )*(?:\w+ )?import ", line) for line in lines):
            line = code.count("\n", 0, block.start()) + 1
            yield Finding(f"{path}:{line}", "'#if' around declarations belongs to a whole file in Platform/")


def check_previews(path, code):
    """Reports macros whose plugin comes with Xcode: a Mac without it builds the libraries and the commands, too."""
    for match in re.finditer(r"^[ \t]*[#@](?:Preview|Previewable)\b", code, re.MULTILINE):
        line = code.count("\n", 0, match.start()) + 1
        yield Finding(f"{path}:{line}", "the macro needs a plugin of Xcode's; a PreviewProvider needs none")


# What an app's privacy manifest gives a reason for.
# Source: https://developer.apple.com/documentation/bundleresources/describing-use-of-required-reason-api.
NEEDS_REASON = {
    "FileTimestamp": r"\b(?:fstat|lstat|fstatat|stat|getattrlist\w*|fgetattrlist)\(\w|\b(?:attributesOfItem\(|"
    r"(?:creation|modification|contentModification)DateKey\b)",
    "SystemBootTime": r"\bsystemUptime\b|\bmach_absolute_time\(",
    "DiskSpace": r"\b(?:statfs|statvfs|fstatfs|fstatvfs)\(\w|\bvolumeAvailableCapacity\w*|\bsystemFreeSize\b",
    "ActiveKeyboards": r"\bactiveInputModes\b",
    "UserDefaults": r"\bUserDefaults\b",
}


def check_privacy(package, platforms):
    """Reports required-reason API in the libraries of apps that the manifest of its target does not name."""
    phones = [platform for platform in platforms if platform.key == "ios"]
    for name in sorted({name for platform in phones for name in package.apps(platform)}):
        target = package.targets[name]
        manifest = target.folder / "PrivacyInfo.xcprivacy"
        declared = manifest.read_text(encoding="utf-8") if manifest.exists() else ""
        for file in target.files:
            path = os.path.relpath(file, package.root)
            code = "" if "/Platform/Linux/" in path else blanked(file.read_text(encoding="utf-8"))
            for category, pattern in NEEDS_REASON.items():
                if f"NSPrivacyAccessedAPICategory{category}<" not in declared and (match := re.search(pattern, code)):
                    line = code.count("\n", 0, match.start()) + 1
                    yield Finding(f"{path}:{line}", f"{manifest.name} of {name} has no reason for {category}")


def check_file(path, code, package, platforms):
    """The findings of all lints in one file."""
    known = {target.module for target in package.targets.values()}
    return [
        *check_delegates(path, code), *check_downcasts(path, code), *check_imports(path, code, known, platforms),
        *check_conditions(path, code), *check_previews(path, code),
    ]


def check(package, platforms, targets):
    """The findings of all lints in the files of the targets."""
    for name in targets:
        for file in package.targets[name].files:
            path = os.path.relpath(file, package.root)
            yield from check_file(path, blanked(file.read_text(encoding="utf-8")), package, platforms)
    yield from check_privacy(package, platforms)
