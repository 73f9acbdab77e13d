// SPDX-License-Identifier: Apache-2.0

/// The selected secret store of a service on this device, and the reason.
package struct SecretStoreChoice: Sendable, Hashable {
    /// A candidate of the selection.
    package struct Candidate: Sendable, Hashable {
        package let kind: SecretStoreKind
        /// The reason why it was selected or not, for display.
        package let explanation: String

        /// Creates a candidate.
        init(_ kind: SecretStoreKind, _ explanation: String) {
            self.kind = kind
            self.explanation = explanation
        }
    }

    /// The kind of the selected store.
    package let kind: SecretStoreKind
    /// The reason for the selection, for display.
    package let reason: String
    /// All candidates in order; the last one is selected.
    package let candidates: [Candidate]
    /// The location of the secrets: a path, or the name of a keyring's items.
    package let location: String
    /// Whether the choice is recorded, so that every process of the user follows it.
    package let isRecorded: Bool
}

/// A kind of secret store, by its name in `LATCH_SECRET_STORE`.
public struct SecretStoreKind: RawRepresentable, Sendable, Hashable, Codable {
    /// The name.
    public let rawValue: String

    /// Creates a kind from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Apple's keychain.
    public static let keychain = SecretStoreKind(rawValue: "keychain")
    /// The keyring of a desktop, through the freedesktop Secret Service API.
    public static let secretService = SecretStoreKind(rawValue: "secret-service")
    /// An encrypted file with its key in a separate file.
    public static let file = SecretStoreKind(rawValue: "file")
    /// An encrypted file whose key is derived from a passphrase.
    public static let passphrase = SecretStoreKind(rawValue: "passphrase")
    /// An encrypted file whose key is in the desktop's keyring.
    public static let keyringFile = SecretStoreKind(rawValue: "keyring-file")
}

extension SecretStoreKind: CustomStringConvertible {
    /// The name.
    public var description: String { rawValue }
}
