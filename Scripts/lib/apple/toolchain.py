# SPDX-License-Identifier: Apache-2.0
"""The Linux toolchain's compiler, made to type-check for Apple's platforms.

A compiler knows every target. What it lacks on Linux is the standard library for Apple's, and an SDK. The modules of
Linux serve instead: declarations carry the availability of every platform in all of them, and only the name of their
target, which is text in a header, keeps the compiler from loading them for another one. The copies have it replaced.
Clang parses Apple's own C headers, see headers.py. What only Apple's frameworks declare is in stubs/.
"""

import json
import shutil
import subprocess
from pathlib import Path

from apple import headers
from apple.platforms import SAME_RELEASE

# Modules of the toolchain for other systems.
NOT_APPLES = {"linux", "linux-static", "wasi", "wasi-static"}


class Toolchain:
    """The compiler and the copies of its modules, below `work`."""

    def __init__(self, work):
        self.work = work
        self.headers = headers.fetched(work.parent)
        info = json.loads(subprocess.run(["swiftc", "-print-target-info"], check=True, capture_output=True).stdout)
        self.version = info["compilerVersion"]
        self.host = info["target"]["unversionedTriple"]
        self.resources = Path(info["paths"]["runtimeResourcePath"])
        if "-linux-" not in self.host:
            raise SystemExit("check-apple: it is for Linux; where there is an Apple SDK, `swift build` proves more")
        self.architecture = self.host.split("-")[0]
        self.frontend = [shutil.which("swiftc"), "-frontend"]

    def prepare(self, platforms):
        """Copies the modules for each platform, once for each version of the compiler."""
        mark = self.work / "toolchain.txt"
        own = Path(__file__).read_text(encoding="utf-8")
        wanted = "\n".join([self.version, *(platform.triple for platform in platforms), own])
        if mark.exists() and mark.read_text() == wanted:
            return
        shutil.rmtree(self.work, ignore_errors=True)
        folder = self.work / "resources"
        folder.mkdir(parents=True)
        for entry in self.resources.iterdir():
            (folder / entry.name).symlink_to(entry)
        self._write_shims(folder / "shims")
        for platform in platforms:
            self._copy_modules(folder / platform.module_folder, platform)
        self._write_glibc_module_map()
        self._write_sdk_settings()
        mark.write_text(wanted)

    def flags(self, platform):
        """The options with which the compiler sees a platform."""
        include = [self.resources / "clang/include", self.headers]
        maps = [self.work / "glibc/module.modulemap", self.headers / "CommonCrypto/module.modulemap"]
        resources = self.work / "resources"
        maps += [path for path in sorted(resources.glob("*/module.modulemap")) if path.parent.name not in NOT_APPLES]
        settings = self.work / "sdk"
        return [
            "-target", platform.triple, "-clang-target", platform.triple, "-disable-objc-interop",
            "-resource-dir", str(resources), "-module-cache-path", str(self.work / "clang-modules" / platform.key),
            "-sdk", str(settings), "-platform-availability-inheritance-map-path", str(settings / "SDKSettings.json"),
            "-I", str(resources), "-plugin-path", str(self.resources / "host/plugins"),
            "-Xcc", "-UOS_OBJECT_HAVE_OBJC_SUPPORT", "-Xcc", "-DOS_OBJECT_HAVE_OBJC_SUPPORT=0",
            *(flag for path in maps for flag in ("-Xcc", f"-fmodule-map-file={path}")),
            *(flag for path in include for flag in ("-Xcc", "-isystem", "-Xcc", str(path))),
        ]

    def _copy_modules(self, folder, platform):
        old = self.host.encode()
        new = platform.padded_triple(len(old)).encode()
        for module in (self.resources / "linux").glob("*.swiftmodule"):
            original = module / f"{self.host}.swiftmodule"
            # Swift Testing comes as an interface, which the compiler compiles when it is imported.
            interface = original.with_suffix(".swiftinterface")
            if original.is_file() or interface.is_file():
                (folder / module.name).mkdir(parents=True)
            if original.is_file():
                (folder / module.name / platform.module_file).write_bytes(original.read_bytes().replace(old, new))
            elif interface.is_file():
                text = interface.read_bytes().replace(old, platform.triple.encode())
                (folder / module.name / platform.module_file).with_suffix(".swiftinterface").write_bytes(text)

    def _write_shims(self, folder):
        """The toolchain's own C declarations; one that its module of locks names is there for Linux only."""
        folder.unlink()
        shutil.copytree(self.resources / "shims", folder)
        with open(folder / "_SynchronizationShims.h", "a") as file:
            file.write("#if !defined(__linux__)\nstatic inline __swift_uint32_t _swift_stdlib_gettid(void) { return 0; }\n#endif\n")

    def _write_glibc_module_map(self):
        """The toolchain finds this module by an overlay that it makes for Linux only."""
        folder = self.work / "glibc"
        folder.mkdir()
        shutil.copy(self.resources / "linux" / self.architecture / "SwiftGlibc.h", folder)
        (folder / "module.modulemap").write_text('module SwiftGlibc [system] { header "SwiftGlibc.h" export * }\n')

    def _write_sdk_settings(self):
        """The only file of an SDK that the check needs: which versions of two platforms belong together."""
        back = {vision: phone for phone, vision in SAME_RELEASE.items()}
        settings = {
            "Version": "26.0", "CanonicalName": "xros26.0", "MaximumDeploymentTarget": "26.0.99",
            "VersionMap": {
                "iOS_visionOS": SAME_RELEASE, "iOS_xrOS": SAME_RELEASE, "visionOS_iOS": back, "xrOS_iOS": back,
            },
        }
        (self.work / "sdk").mkdir()
        (self.work / "sdk/SDKSettings.json").write_text(json.dumps(settings))
