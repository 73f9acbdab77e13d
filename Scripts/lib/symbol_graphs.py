# SPDX-License-Identifier: Apache-2.0
"""Symbol graphs of the products, from the modules of the last debug build."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from swift_text import ROOT


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def products():
    """The modules of the library products that have public names."""
    # In a folder of its own, since SwiftPM would wait for tests that run.
    scratch = ["--scratch-path", str(ROOT / ".build/manifest")]
    manifest = json.loads(output("swift", "package", "--package-path", str(ROOT), *scratch, "dump-package"))
    return sorted(
        product["name"] for product in manifest["products"]
        if "library" in product["type"] and product["name"] in product["targets"])


@cache
def flags():
    """The compiler's flags for the modules of the last debug build."""
    build = Path(output("swift", "build", "--package-path", str(ROOT), "--show-bin-path").strip())
    includes = [f"-I{path}" for path in sorted((ROOT / "Sources/C").iterdir())]
    # A program of a plugin has its modules a second time.
    for path in sorted(path for path in build.glob("*.build/module.modulemap") if "-tool.build" not in str(path)):
        includes += ["-Xcc", f"-fmodule-map-file={path}"]
    triple = json.loads(output("swiftc", "-print-target-info"))["target"]["unversionedTriple"]
    return [f"-I{build}/Modules", *includes, "-target", triple]


def extract(module, folder):
    """Writes the public symbol graph of a module into a folder, which it creates."""
    folder.mkdir(parents=True)
    result = subprocess.run(
        ["swift", "symbolgraph-extract", "-module-name", module, *flags(), "-minimum-access-level", "public",
         "-output-dir", str(folder), "-skip-synthesized-members"],
        capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"symbols: {module}: {result.stderr.strip()}\nhint: run 'swift build' first.")


def for_each(modules, work):
    """The results of a function for each module, in their order; as many at a time as there are processors."""
    flags()
    with ThreadPoolExecutor(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()) as pool:
        return list(pool.map(work, modules))
