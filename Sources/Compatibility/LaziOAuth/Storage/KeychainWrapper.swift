// SPDX-License-Identifier: Apache-2.0

public import LatchAuth

/// A storage of texts in the platform's secret store, under names that begin with `lazi.`.
///
/// `OAuthService` stores its session elsewhere; this storage is for the program's secrets.
public struct KeychainWrapper: Sendable {
    /// A keychain for the app's secrets.
    public static let shared = KeychainWrapper(platformSecretStore(service: OAuthService.keychainService))

    private let secrets: any SecretStore

    /// Creates a wrapper around any store.
    public init(_ secrets: any SecretStore) { self.secrets = secrets }

    /// Stores a text atomically; an error leaves the previous one.
    public func save(_ value: String, for key: String) async throws {
        try await secrets.write(Array(value.utf8), for: Self.name(key))
    }

    /// Returns the text for a name; nil only if there is none.
    public func get(_ key: String) async throws -> String? {
        try await secrets.read(Self.name(key)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Deletes the text for a name.
    public func delete(_ key: String) async throws { try await secrets.remove(Self.name(key)) }

    /// Deletes all texts of this wrapper, and nothing else.
    public func clearAll() async throws {
        for name in try await secrets.names() where name.utf8.starts(with: "lazi.".utf8) {
            try await secrets.remove(name)
        }
    }

    private static func name(_ key: String) -> String { key.utf8.starts(with: "lazi.".utf8) ? key : "lazi." + key }
}
