// SPDX-License-Identifier: Apache-2.0

extension IdentityError {
    /// A setting has a value that it cannot have, or there is no such setting.
    public static let invalidSetting = IdentityError.invalidSetting("?", "another value")

    /// The setting by name and what it may be; never what it was, which may be a secret that was put under the wrong
    /// key.
    package static func invalidSetting(_ key: String, _ expected: String) -> IdentityError {
        IdentityError(
            code: "invalidSetting", message: "The setting '\(key)' must be \(expected).",
            hint: "See 'latch serve --print-config' for all settings and their values.")
    }

    /// Names the settings that begin alike, four letters being enough to be meant.
    static func unknownSetting(_ key: String) -> IdentityError {
        let known = IdentitySetting.all.map(\.key).filter { $0.commonPrefix(with: key) >= 4 }
        let hint =
            known.isEmpty
            ? "See 'latch serve --print-config' for all settings." : "Meant: \(known.joined(separator: ", "))?"
        return IdentityError(code: "invalidSetting", message: "There is no setting '\(key)'.", hint: hint)
    }
}

extension String {
    /// How many characters two texts share from their start.
    fileprivate func commonPrefix(with other: String) -> Int { zip(self, other).prefix { $0 == $1 }.count }
}
