# SPDX-License-Identifier: Apache-2.0
"""Apple's platforms as the compiler names them, with the oldest versions that Package.swift supports."""

from dataclasses import dataclass

# Platform in the manifest → name in `@available`, operating system of the triple, folder of the compiler's modules.
KNOWN = {
    "macos": ("macOS", "macosx", "macosx", "macos"),
    "ios": ("iOS", "ios", "iphoneos", "ios"),
    "maccatalyst": ("macCatalyst", "ios", "maccatalyst", "ios-macabi"),
    "tvos": ("tvOS", "tvos", "appletvos", "tvos"),
    "watchos": ("watchOS", "watchos", "watchos", "watchos"),
    "visionos": ("visionOS", "xros", "xros", "xros"),
}

# The versions of iOS and visionOS that came out together; where a declaration names iOS alone, visionOS follows it.
# Source: https://developer.apple.com/documentation/visionos-release-notes.
SAME_RELEASE = {
    "17.1": "1.0", "17.4": "1.1", "17.5": "1.2",
    **{f"18.{minor}": f"2.{minor}" for minor in range(7)},
    **{f"26.{minor}": f"26.{minor}" for minor in range(6)},
}


@dataclass(frozen=True)
class Platform:
    """One platform, as a target of the compiler."""

    key: str
    version: str

    @property
    def name(self):
        return KNOWN[self.key][0]

    @property
    def os(self):
        """The name that `#if os()` knows."""
        return "iOS" if self.key == "maccatalyst" else self.name

    @property
    def triple(self):
        return f"arm64-apple-{KNOWN[self.key][1]}{self.version}{self._environment}"

    @property
    def _environment(self):
        """The last part of the triple: an app of iOS on a Mac is another target of the same system."""
        return "-macabi" if self.key == "maccatalyst" else ""

    @property
    def module_folder(self):
        """The folder below the resource directory that the compiler searches for this platform's modules."""
        return KNOWN[self.key][2]

    @property
    def module_file(self):
        return f"arm64-apple-{KNOWN[self.key][3]}.swiftmodule"

    def padded_triple(self, length):
        """The triple in exactly `length` bytes: zeros before the version do not change it."""
        start = f"arm64-apple-{KNOWN[self.key][1]}"
        version = self.version.split(".")[0]
        zeros = length - len(start) - len(version) - len(self._environment)
        if zeros < 0:
            raise ValueError(f"the host's triple has {length} bytes, too few for {start}{version}")
        return f"{start}{'0' * zeros}{version}{self._environment}"


def platforms_of(manifest):
    """The Apple platforms of a manifest, in the order of KNOWN."""
    versions = {one["platformName"]: one["version"] for one in manifest["platforms"]}
    return [Platform(key, versions[key]) for key in KNOWN if key in versions]
