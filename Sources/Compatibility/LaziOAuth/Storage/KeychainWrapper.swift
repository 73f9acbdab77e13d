// SPDX-License-Identifier: Apache-2.0

public import LatchAuth

/// Texts under names that begin with `lazi.`, where the platform keeps secrets.
///
/// `OAuthService` keeps its session elsewhere, as one record; this is for what a program keeps beside it.
public struct KeychainWrapper: Sendable {
    /// A keychain for the app's secrets.
    public static let shared = KeychainWrapper(platformSecretStore(service: OAuthService.keychainService))

    private let secrets: any SecretStore

    /// A wrapper around any store.
    public init(_ secrets: any SecretStore) { self.secrets = secrets }

    /// Keeps a text, whole or not at all; what was there before stays where this throws.
    public func save(_ value: String, for key: String) async throws {
        try await secrets.write(Array(value.utf8), for: Self.name(key))
    }

    /// The text of a name; nil only where there is none.
    public func get(_ key: String) async throws -> String? {
        try await secrets.read(Self.name(key)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Forgets the text of a name.
    public func delete(_ key: String) async throws { try await secrets.remove(Self.name(key)) }

    /// Forgets what this wrapper keeps, and nothing else.
    public func clearAll() async throws {
        for name in try await secrets.names() where name.hasPrefix("lazi.") { try await secrets.remove(name) }
    }

    private static func name(_ key: String) -> String { key.hasPrefix("lazi.") ? key : "lazi." + key }
}
