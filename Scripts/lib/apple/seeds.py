# SPDX-License-Identifier: Apache-2.0
"""Mistakes of different kinds, each made in a copy of one file, and whether the check finds it there."""

import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from apple import framework_seeds, integers, lints, sources
from apple.swiftui_seeds import MISTAKES
from swift_text import blanked


@dataclass(frozen=True)
class Seed:
    """A mistake: `pattern` is replaced once, or `added` is put at the end of the file's outermost condition."""

    name: str
    target: str
    file: str
    platform: str
    expected: str
    pattern: str = ""
    replacement: str = ""
    added: str = ""

    def planted(self, text):
        if self.pattern:
            changed, count = re.subn(self.pattern, self.replacement, text, count=1)
            return changed if count else None
        body, end, rest = text.rpartition("#endif")
        return f"{body}{self.added}\n{end}{rest}" if end else f"{text}{self.added}\n"


SEEDS = [
    Seed(
        "misspelt constant", "LatchAuth", "KeychainSecretStore.swift", "ios", "cannot find 'kSecAttrAcount'",
        r"\bkSecAttrAccount\b", "kSecAttrAcount"),
    Seed(
        "missing argument", "LatchCrypto", "SecurityKey.swift", "macos", "missing argument",
        added="func seeded(_ key: SecKey) -> Bool { SecKeyCopyExternalRepresentation(key) != nil }"),
    Seed(
        "missing import", "LatchAuth", "KeychainSecretStore.swift", "macos", "cannot find",
        r"\nimport Security\n", "\n"),
    Seed(
        "missing bridging cast", "LatchAuth", "KeychainSecretStore.swift", "macos", "'CFDictionary'",
        r" as CFDictionary\b", ""),
    Seed(
        "misspelt delegate method", "LatchHTTP", "TransferDelegate.swift", "macos", "would never call it",
        r"\bwillPerformHTTPRedirection\b", "willPerformHTTPRedirect"),
    Seed(
        "not on watchOS", "LatchAuth", "KeychainProtection.swift", "watchos", "unavailable in watchOS",
        added="import LocalAuthentication\n"
        "func seeded() -> Bool { LAContext().canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: nil) }"),
    Seed(
        "newer than the oldest system", "LatchHTTP", "URLSessionTransport.swift", "ios", "only available in iOS 18.4",
        added="func seeded(_ settings: URLSessionConfiguration) { settings.usesClassicLoadingMode = false }"),
    Seed(
        "overflow of 32 bits", "LatchHTTP", "HTTPError.swift", "watchos", "does not fit",
        added="let seededLimit = 5 * 1024 * 1024 * 1024"),
    Seed(
        "capture that is not Sendable", "LatchHTTP", "UploadPipe.swift", "macos", "data races",
        added="final class Seeded { var count = 0 }\n"
        "func seeded(_ counter: Seeded) { Task.detached { counter.count += 1 }; counter.count += 1 }"),
    Seed(
        "slow expression", "LatchAuth", "KeychainProtection.swift", "macos", "reasonable time",
        added="func seeded(_ x: [UInt8], _ y: Int) -> Double {\n"
        "    let a = x.map { 1 / (2.5 + -$0 * 3) } + [1, -2, 3.5].map { ($0 * 2 + 1) / 3 - -1 * $0 }\n"
        "    return a.reduce(0, { -$0 + 2 * -$1 - (1 + 2 * $0) / (3 - $1 * 4) + Double(y << 1 | 2 & 4 ^ 1) })\n}"),
    Seed(
        "type of Linux in a portable file", "LatchHTTP", "HTTPError.swift", "tvos", "'CurlTransport'",
        added="func seeded() -> any Handler { CurlTransport() }"),
    Seed(
        "optional of another type", "LatchCrypto", "SecurityKey.swift", "visionos", "cannot convert",
        added="func seeded(_ key: SecKey) -> [UInt8]? { SecKeyCopyExternalRepresentation(key, nil) as Data? }"),
    *(Seed(name, "LatchUI", file, platform, expected, added=code) for name, file, platform, expected, code in MISTAKES),
    *(
        Seed(*where, pattern, code) if pattern else Seed(*where, added=code)
        for *where, pattern, code in framework_seeds.MISTAKES
    ),
]


def _found(build, platforms, seed):
    """What the check says of a seed; None if it does not fit its file."""
    target = build.package.targets[seed.target]
    platform = next(one for one in platforms if one.key == seed.platform)
    original = next((file for file in target.files if file.name == seed.file), None)
    text = seed.planted(original.read_text(encoding="utf-8")) if original else None
    if text is None:
        return None
    folder = build.work / "seeds" / re.sub(r"\W", "-", seed.name)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / seed.file).write_text(sources.staged(text), encoding="utf-8")
    files = [folder / seed.file if build.source_of.get(str(file), file) == original else file for file in build.files(target)]
    command = [*build.toolchain.frontend, "-emit-module", *build.flags(target, platform), "-o", str(folder / "x.swiftmodule")]
    findings = build.findings(subprocess.run([*command, *map(str, files)], capture_output=True, text=True), target, platform)
    if platform.key == "watchos":
        findings += integers.check(build, target, platform, files)
    findings += lints.check_file(str(Path(target.folder.name) / seed.file), blanked(text), build.package, platforms)
    return findings


def run(build, platforms, workers):
    """Tries every seed, prints which are found, and returns 0 if all are."""
    with ThreadPoolExecutor(workers) as pool:
        results = list(pool.map(lambda seed: _found(build, platforms, seed), SEEDS))
    count = 0
    for seed, findings in zip(SEEDS, results):
        hit = next((finding for finding in findings or () if seed.expected in finding.text and seed.file in finding.where), None)
        count += hit is not None
        others = "; ".join(finding.text for finding in (findings or ())[:3]) or "nothing"
        said = hit.text if hit else others if findings is not None else "it does not fit its file"
        print(f"  {'found ' if hit else 'MISSED'}  {seed.name} ({seed.platform}): {said[:110]}")
    print(f"apple: {count} of {len(SEEDS)} seeded mistakes found")
    return 0 if count == len(SEEDS) else 1
