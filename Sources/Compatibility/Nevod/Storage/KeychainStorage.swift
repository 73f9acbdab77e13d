// SPDX-License-Identifier: Apache-2.0

import LatchAuth

/// Keeps text and bytes where the platform keeps secrets.
public struct KeychainStorage: KeyValueStorage {
    private let secrets: any SecretStore

    /// A storage in `keychain`.
    public init(keychain: Keychain) { secrets = keychain.secrets }

    /// A storage in a keychain of its own.
    public init(service: String) { self.init(keychain: Keychain(service: service)) }

    /// The text kept under `key`; nil also where the bytes are no UTF-8.
    public func string(for key: StorageKey) async throws -> String? {
        try await data(for: key).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The bytes kept under `key`.
    ///
    /// - Throws: `AuthError` with a `store…` code, such as `storeLocked`, which does not mean that nothing is there.
    public func data(for key: StorageKey) async throws -> Data? {
        try await secrets.read(key.value).map { Data($0) }
    }

    /// Keeps text under `key`, atomically; nil removes what is there.
    public func set(_ value: String?, for key: StorageKey) async throws {
        try await set(value.map { Data($0.utf8) }, for: key)
    }

    /// Keeps bytes under `key`, atomically; nil removes what is there.
    public func set(_ value: Data?, for key: StorageKey) async throws {
        guard let value else { return try await secrets.remove(key.value) }
        try await secrets.write(Array(value), for: key.value)
    }

    /// Removes what is kept under `key`.
    public func remove(for key: StorageKey) async throws { try await secrets.remove(key.value) }
}
