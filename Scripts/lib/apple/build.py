# SPDX-License-Identifier: Apache-2.0
"""Type-checks modules for platforms: each once its needs have an interface, several at a time, none without reason."""

import hashlib
import json
import os
import re
import subprocess
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field
from pathlib import Path

from apple import integers, sources
from apple.finding import Finding
from apple.sources import STUBS
from swift_text import blanked

# From the bottom up; each may import those before it.
STUB_ORDER = (
    "AppleCoreFoundation AppleDispatch Darwin Security CryptoKit os OSLog Combine AppleFoundation Accessibility UIKit AppKit WatchKit SwiftUI "
    "CoreImage "
    "LocalAuthentication AuthenticationServices"
).split()
DIAGNOSTIC = re.compile(
    r"^(?P<path>/[^:\n]+):(?P<line>\d+):(?P<column>\d+): (?P<kind>error|warning): (?P<text>.*)$", re.MULTILINE
)
FAILED = "the compiler failed"
LOST = re.compile(r"^<unknown>:0: error: (.*)$|^(Please submit a bug report.*)$", re.MULTILINE)
# A cast to a Swift type, which without Objective-C cannot come from a Core Foundation class.
BRIDGED = re.compile(r"cast from .*(?:'CF\w+\??'|'AnyObject\??').* always fails")


@dataclass
class Result:
    """What the compiler said of one module for one platform."""

    platform: object
    module: str
    findings: list = field(default_factory=list)
    interface: str = ""
    is_cached: bool = False


class Build:
    """The check of a package, with the modules that it makes below `work`."""

    def __init__(self, package, toolchain, work):
        self.package, self.toolchain, self.work = package, toolchain, work
        self.source_of = {}
        self._files = {}
        self.sensitive = self._sensitive_names()
        # A change of the check itself repeats it.
        self.own_digest = _digest([toolchain.version], sorted(Path(__file__).parent.glob("*.py")))

    def modules(self, platform):
        return self.work / "modules" / platform.key

    # Stubs

    def compile_stubs(self, platform):
        """Compiles the stubs for a platform, unless they have not changed."""
        folder = self.work / "stubs" / platform.key
        folder.mkdir(parents=True, exist_ok=True)
        digest = _digest([self.toolchain.version], sorted(file for file in STUBS.rglob("*.*") if file.is_file()))
        mark = folder / "digest.txt"
        if mark.exists() and mark.read_text() == digest:
            return digest
        for name in STUB_ORDER:
            command = [
                *self.toolchain.frontend, "-emit-module", *self.toolchain.flags(platform), "-swift-version", "6",
                "-parse-as-library", "-enable-library-evolution", "-enable-upcoming-feature", "InternalImportsByDefault",
                "-module-name", name,
                "-I", str(folder), "-o", str(folder / f"{name}.swiftmodule"), "-suppress-warnings",
                *map(str, sorted((STUBS / name).glob("*.swift"))),
            ]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise SystemExit(f"check-apple: the stub {name} does not compile for {platform.name}:\n{done.stderr[:4000]}")
        mark.write_text(digest)
        return digest

    # Modules

    def flags(self, target, platform):
        needed = [self.package.targets[name] for name in self.package.reach(target.name, platform)]
        folders = [one.folder if one.kind == "system" else one.folder / "include" for one in needed if not one.is_swift]
        libraries = [flag for folder in folders if (folder / "module.modulemap").exists() for flag in ("-I", str(folder))]
        is_script = any(file.name == "main.swift" for file in target.files)
        return [
            *self.toolchain.flags(platform), "-I", str(self.work / "stubs" / platform.key),
            "-I", str(self.modules(platform)), *libraries, "-swift-version", "6", "-package-name", self.package.name.lower(),
            "-module-name", target.module, *target.flags, *([] if is_script else ["-parse-as-library"]),
            "-enable-testing", "-diagnostic-style", "llvm", "-no-color-diagnostics",
        ]

    def files(self, target):
        """The files to compile: a staged copy stands for a file that names a system module.

        `run` asks for them before it starts anything, so that nothing is written while a compiler reads.
        """
        if target.name not in self._files:
            self._files[target.name] = self._stage(target)
        return self._files[target.name]

    def _stage(self, target):
        folder = self.work / "staged" / target.name
        files = []
        for file in target.files:
            original = file.read_text(encoding="utf-8")
            if (text := sources.staged(original)) != original:
                copy = folder / file.relative_to(target.folder)
                self.source_of[str(copy)] = file
                files.append(_written(copy, text))
            else:
                files.append(file)
        if resources := sources.embedded_resources(target):
            files.append(_written(folder / "embedded_resources.swift", resources))
        return files

    def _sensitive_names(self):
        """The names whose use can be right on one platform and wrong on another.

        These are names of limited declarations, in the stubs and in the package, and of those between platform conditions.
        All other declarations that a source can name come from the toolchain's modules, where the platforms' releases of
        one year are alike, or are the package's own and the same everywhere.
        """
        names = set()
        for file in STUBS.rglob("*.swift"):
            names |= sources.limited_names(blanked(file.read_text(encoding="utf-8")))
        for target in self.package.targets.values():
            if target.is_swift and target.kind == "regular":
                for file in target.files:
                    code = blanked(file.read_text(encoding="utf-8"))
                    if sources.differs_by_platform(code):
                        names |= sources.differing_names(code)
        return names

    def is_sensitive(self, file):
        """Whether the bodies of a file have to be checked for each platform."""
        code = blanked(file.read_text(encoding="utf-8"))
        if sources.C_LIBRARY.search(code):
            return True
        return sources.differs_by_platform(code) or not self.sensitive.isdisjoint(sources.WORD.findall(code))

    def check(self, target, platform, stubs, needs):
        """Checks one module, unless it and the interfaces below it are as they were when it was last without errors.

        macOS sees all of it. Of the other platforms, each sees all declarations, and the bodies in files that can differ.
        """
        result = Result(platform, target.name)
        files = self.files(target)
        command = [*self.toolchain.frontend, "-emit-module", *self.flags(target, platform)]
        sensitive = []
        if platform.key != "macos":
            command.append("-experimental-skip-all-function-bodies")
            sensitive = [file for file in files if self.is_sensitive(file)]
        output = self.modules(platform) / f"{target.module}.swiftmodule"
        output.parent.mkdir(parents=True, exist_ok=True)
        digest = _digest([self.own_digest, stubs, *command, *map(str, sensitive), *(need.interface for need in needs)], files)
        mark = output.with_suffix(".json")
        if output.exists() and mark.exists() and (last := json.loads(mark.read_text()))["digest"] == digest:
            result.is_cached, result.interface = True, last["interface"]
            result.findings = [Finding(**warning) for warning in last["warnings"]]
            return result
        mark.unlink(missing_ok=True)
        done = subprocess.run([*command, "-o", str(output), *map(str, files)], capture_output=True, text=True)
        result.findings = self.findings(done, target, platform)
        if sensitive and not done.returncode:
            result.findings += self.check_bodies(target, platform, files, sensitive)
        if done.returncode:
            # What stands above it is checked against its interface all the same.
            keep = ["-experimental-skip-all-function-bodies", "-experimental-allow-module-with-compiler-errors"]
            subprocess.run([*command, *keep, "-o", str(output), *map(str, files)], capture_output=True)
        # A module has no bodies but those that others inline, so that a change within a body does not reach what is above.
        result.interface = _digest([], [output]) if output.exists() else digest
        if any(finding.kind == "error" for need in needs for finding in need.findings):
            # The compiler can fail at what is wrong below, which is reported there.
            result.findings = [finding for finding in result.findings if not finding.text.startswith(FAILED)]
        if platform.key == "watchos":
            result.findings += integers.check(self, target, platform, files)
        if not done.returncode and not any(finding.kind == "error" for finding in result.findings):
            warnings = [asdict(one) for one in result.findings]
            mark.write_text(json.dumps({"digest": digest, "interface": result.interface, "warnings": warnings}))
        return result

    def check_bodies(self, target, platform, files, sensitive):
        primary = [flag for file in files for flag in (["-primary-file"] if file in sensitive else []) + [str(file)]]
        command = [*self.toolchain.frontend, "-typecheck", *self.flags(target, platform), *primary]
        return self.findings(subprocess.run(command, capture_output=True, text=True), target, platform)

    def findings(self, done, target, platform):
        """The compiler's diagnostics, with the paths of the sources."""
        findings = {}
        for match in DIAGNOSTIC.finditer(done.stderr):
            path = self.source_of.get(match["path"], Path(match["path"]))
            if path != Path(match["path"]) and match["kind"] == "warning" and BRIDGED.search(match["text"]):
                continue
            where = os.path.relpath(path, self.package.root) if path.is_relative_to(self.package.root) else path
            # A method that is spelt nearly like an optional requirement is one that nobody calls.
            kind = "error" if "nearly matches" in match["text"] else match["kind"]
            finding = Finding(f"{where}:{match['line']}:{match['column']}", match["text"], kind)
            findings[str(finding)] = finding
        if done.returncode and not any(finding.kind == "error" for finding in findings.values()):
            said = LOST.search(done.stderr)
            text = (said[1] or said[2]) if said else done.stderr.strip()[-500:]
            findings["lost"] = Finding(target.name, f"{FAILED}: {text}")
        return list(findings.values())

    def run(self, plan, workers):
        """Checks the modules of each platform, `plan`: platform → names. Yields the results as they come."""
        with ThreadPoolExecutor(workers) as pool:
            stubs = dict(zip(plan, pool.map(self.compile_stubs, plan)))
        waiting = [(platform, name) for platform, names in plan.items() for name in names]
        for _, name in waiting:
            self.files(self.package.targets[name])
        done, running = {}, {}
        with ThreadPoolExecutor(workers) as pool:
            while waiting or running:
                for job in [job for job in waiting if self._is_ready(job, plan, done)][: workers - len(running)]:
                    waiting.remove(job)
                    platform, name = job
                    target = self.package.targets[name]
                    below = self.package.reach(name, platform)
                    needs = [done[platform, need] for need in below if (platform, need) in done]
                    running[pool.submit(self.check, target, platform, stubs[platform], needs)] = job
                future = next(iter(wait(running, return_when=FIRST_COMPLETED).done))
                done[running.pop(future)] = future.result()
                yield future.result()

    def _is_ready(self, job, plan, done):
        platform, name = job
        return all(
            (platform, need) in done
            for need in self.package.targets[name].needs_on(platform) if need in plan[platform]
        )


def _written(path, text):
    """Writes a file, unless it has this text already."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return path


def _digest(texts, files):
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode() + b"\0")
    for file in files:
        digest.update(str(file).encode() + b"\0" + hashlib.sha256(Path(file).read_bytes()).digest())
    return digest.hexdigest()
