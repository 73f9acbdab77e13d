# SPDX-License-Identifier: Apache-2.0
"""The targets of Package.swift and what of them is built for a platform."""

import json
import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

# The code blocks of the documented systems, which the tests on Linux run where they are no views.
DOCUMENTS = "SeedDocuments"


# The folders in which SwiftPM looks for a target without a path.
DEFAULT_FOLDERS = {"test": "Tests", "plugin": "Plugins"}


def folder_of(target):
    """The folder of a target of `swift package dump-package`, relative to the package."""
    return target.get("path") or f"{DEFAULT_FOLDERS.get(target['type'], 'Sources')}/{target['name']}"


@dataclass
class Target:
    """A target as the manifest declares it; `needs` has (name, the platforms of its condition or None)."""

    name: str
    kind: str
    folder: Path
    excluded: list
    needs: list
    settings: list
    embedded: list = field(default_factory=list)

    @property
    def is_swift(self):
        return self.kind in ("regular", "executable", "test") and not (self.folder / "include").is_dir()

    @property
    def module(self):
        return self.name.replace("-", "_")

    def imports(self, module):
        """Whether a file imports a module whatever the platform, outside of `#if`."""
        for file in self.files:
            depth = 0
            for line in file.read_text().splitlines():
                depth += line.startswith("#if") - line.startswith("#endif")
                if depth == 0 and re.fullmatch(rf"((public|package|internal|private) )?import {module}", line):
                    return True
        return False

    @property
    def files(self):
        left_out = [self.folder / path for path in self.excluded]
        files = self.folder.rglob("*.swift")
        return sorted(file for file in files if not any(file.is_relative_to(path) for path in left_out))

    @property
    def flags(self):
        flags = []
        for setting in self.settings:
            if name := setting["kind"].get("enableUpcomingFeature"):
                flags += ["-enable-upcoming-feature", name["_0"]]
            if setting["kind"].get("treatAllWarnings", {}).get("_0") == "error":
                flags.append("-warnings-as-errors")
        return flags

    def dropped(self, platform):
        """The needs that the manifest does not give it on a platform."""
        return [name for name, only in self.needs if only and platform.key not in only]

    def needs_on(self, platform):
        left_out = self.dropped(platform)
        return [name for name, _ in self.needs if name not in left_out]


class Package:
    """The package in a folder."""

    def __init__(self, root):
        self.root = root
        command = ["swift", "package", "--package-path", str(root), "dump-package"]
        environment = {**os.environ, "LATCH_CHECK": "apple"}
        self.manifest = json.loads(subprocess.run(command, check=True, capture_output=True, env=environment).stdout)
        self.name = self.manifest["name"]
        self.targets = {one["name"]: self._target(one) for one in self.manifest["targets"]}

    def _target(self, one):
        needs = []
        for need in one["dependencies"]:
            (kind, value), = need.items()
            condition = next((part for part in value[1:] if isinstance(part, dict)), {}) or {}
            needs.append((value[0], condition.get("platformNames")))
        embedded = [resource["path"] for resource in one["resources"] if "embedInCode" in resource["rule"]]
        folder = self.root / folder_of(one)
        return Target(one["name"], one["type"], folder, one.get("exclude", []), needs, one.get("settings", []), embedded)

    def products(self, kind):
        """Name → targets of the products of a kind, `library` or `executable`."""
        return {one["name"]: one["targets"] for one in self.manifest["products"] if kind in one["type"]}

    def reach(self, target, platform):
        """The targets that a target needs on a platform, and what those need."""
        reached, waiting = [], [target]
        while waiting:
            for name in self.targets[waiting.pop()].needs_on(platform):
                if name in self.targets and name not in reached:
                    reached.append(name)
                    waiting.append(name)
        return sorted(reached)

    def builds_on(self, target, platform):
        """Whether a target, and all that it needs, has every Swift module that it is declared to need."""
        is_swift = lambda name: name in self.targets and self.targets[name].is_swift
        # What is imported inside of `#if` alone is needed on the other platforms only.
        if any(is_swift(name) and self.targets[target].imports(name) for name in self.targets[target].dropped(platform)):
            return False
        return all(self.builds_on(name, platform) for name in self.targets[target].needs_on(platform) if is_swift(name))

    def unbuildable(self, platform):
        """The library products that have to build for a platform and cannot, each with what it lacks."""
        found = []
        for product, targets in self.products("library").items():
            # A product that is called after none of its targets is for other packages of this project.
            for name in targets if product in targets else []:
                if not self.builds_on(name, platform):
                    reached = [self.targets[need] for need in [name, *self.reach(name, platform)]]
                    lacks = {lost for target in reached for lost in target.dropped(platform)}
                    found.append((product, sorted(lost for lost in lacks if self.targets[lost].is_swift)))
        return found

    def apps(self, platform):
        """The Swift targets that an app can link: client libraries, without the server's, the tests' and the examples'."""
        roots = [name for names in self.products("library").values() for name in names]
        place = lambda name: self.targets[name].folder.relative_to(self.root).parts[:2]
        is_client = lambda name: place(name)[0] == "Sources" and place(name)[1] not in ("Server", "Testing")
        roots = [name for name in roots if is_client(name) and self.builds_on(name, platform)]
        reached = {*roots, *(need for root in roots for need in self.reach(root, platform))}
        return [name for name in reached if self.targets[name].is_swift]

    def wanted(self, platform, tests=False):
        """The Swift targets to check for a platform, in the order of the manifest, where needs come first.

        On macOS these are all targets outside of Tests/, on the other platforms what an app can have: the library products
        and the libraries among the examples. The code of the documents, with its views, counts as an example.
        """
        folder = lambda target: target.folder.relative_to(self.root).parts[0]
        place = lambda target: "Examples" if target.name == DOCUMENTS else folder(target)
        if platform.key == "macos":
            is_test = lambda target: place(target) == "Tests" or target.kind == "test"
            roots = [target.name for target in self.targets.values() if tests or not is_test(target)]
        else:
            roots = [name for targets in self.products("library").values() for name in targets]
            roots += [target.name for target in self.targets.values() if place(target) == "Examples"]
            roots = [name for name in roots if self.targets[name].kind == "regular"]
        roots = [root for root in roots if self.builds_on(root, platform)]
        reached = {*roots, *(need for root in roots for need in self.reach(root, platform))}
        return [name for name, target in self.targets.items() if name in reached and target.is_swift]
