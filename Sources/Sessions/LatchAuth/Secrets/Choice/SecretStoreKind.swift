// SPDX-License-Identifier: Apache-2.0

/// A kind of place for secrets, by the name that `LATCH_SECRET_STORE` takes.
public struct SecretStoreKind: RawRepresentable, Sendable, Hashable, Codable {
    /// The name.
    public let rawValue: String

    /// A kind by its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Apple's keychain.
    public static let keychain = SecretStoreKind(rawValue: "keychain")
    /// The keyring of a desktop, by the freedesktop Secret Service API.
    public static let secretService = SecretStoreKind(rawValue: "secret-service")
    /// An encrypted file with its key in a file beside it.
    public static let file = SecretStoreKind(rawValue: "file")
    /// An encrypted file whose key follows from a passphrase.
    public static let passphrase = SecretStoreKind(rawValue: "passphrase")
    /// An encrypted file whose key is in the desktop's keyring.
    public static let keyringFile = SecretStoreKind(rawValue: "keyring-file")
}

extension SecretStoreKind: CustomStringConvertible {
    /// The name.
    public var description: String { rawValue }
}
