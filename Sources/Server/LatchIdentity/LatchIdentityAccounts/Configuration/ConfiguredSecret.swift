// SPDX-License-Identifier: Apache-2.0

import LatchFoundation
package import LatchIdentityStorage

/// The secret of a named element of a setting, which another setting or a file has.
package enum ConfiguredSecret {
    /// The maximum size of a file with a secret, in bytes.
    private static let maximumSize = 16 << 10

    /// Returns the secret.
    ///
    /// - Parameters:
    ///   - name: The name of the element.
    ///   - setting: The setting with the element, such as `upstreams`.
    ///   - secrets: The setting with the secrets by name, such as `upstream_secrets`.
    ///   - given: The secret in that setting; nil for none.
    ///   - path: The path of the file; nil for none.
    /// - Throws: `IdentityError.invalidSetting` unless there is one secret.
    package static func read(
        of name: String, in setting: String, or secrets: String, given: String?, path: String?
    ) throws(IdentityError) -> String {
        guard let path else {
            guard let given else {
                throw .invalidSetting(secrets, "set for '\(name)', or a secret_file in '\(setting)'")
            }
            return given
        }
        guard given == nil else {
            throw .invalidSetting(secrets, "left out for '\(name)', which has a secret_file")
        }
        guard let bytes = FileManager.default.contents(atPath: path), bytes.count <= maximumSize else {
            throw .invalidSetting(setting, "a readable secret_file for '\(name)'")
        }
        let text = String(String(decoding: bytes, as: UTF8.self).trimmingSpace())
        guard !text.isEmpty else { throw .invalidSetting(setting, "a secret_file with a secret for '\(name)'") }
        return text
    }
}
