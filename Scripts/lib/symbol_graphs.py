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

# The modules that a product consists of, besides the one of its name, which exports them.
PARTS = {"LatchIdentity": ["LatchIdentityStorage", "LatchIdentityAccounts", "LatchIdentityProvider", "LatchIdentityPages"]}


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
    """Writes the public symbol graph of a module and of its parts into a folder, which it creates."""
    folder.mkdir(parents=True)
    for part in [module, *PARTS.get(module, [])]:
        result = subprocess.run(
            ["swift", "symbolgraph-extract", "-module-name", part, *flags(), "-minimum-access-level", "public",
             "-output-dir", str(folder), "-skip-synthesized-members"],
            capture_output=True, text=True)
        if result.returncode:
            sys.exit(f"symbols: {part}: {result.stderr.strip()}\nhint: run 'swift build' first.")
        if PARTS.get(module):
            adopt(part, module, folder)


def adopt(part, module, folder):
    """Gives the graphs of a part the name of its module; extensions of another part's types are not of a foreign module."""
    for file in sorted(folder.glob(f"{part}*.symbols.json")):
        extended = file.name.removesuffix(".symbols.json").partition("@")[2]
        graph = json.loads(file.read_text())
        graph["module"]["name"] = module
        mark = "" if not extended else f"-{extended}" if extended in PARTS[module] else f"@{extended}"
        file.unlink()
        (folder / f"{module}-{part}{mark}.symbols.json").write_text(json.dumps(graph))


def for_each(modules, work):
    """The results of a function for each module, in their order; as many at a time as there are processors."""
    flags()
    with ThreadPoolExecutor(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()) as pool:
        return list(pool.map(work, modules))
