// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchCore
import Synchronization

/// A storage of text and bytes by key.
///
/// The requirements may throw, like a keychain; a type whose methods do not throw also satisfies them.
public protocol KeyValueStorage: Sendable {
    /// Returns the text for `key`; nil only if there is none.
    func string(for key: StorageKey) async throws -> String?

    /// Returns the bytes for `key`; nil only if there are none.
    func data(for key: StorageKey) async throws -> Data?

    /// Stores text for `key`; nil removes it.
    func set(_ value: String?, for key: StorageKey) async throws

    /// Stores bytes for `key`; nil removes them.
    ///
    /// The previous value is replaced either completely or not at all.
    func set(_ value: Data?, for key: StorageKey) async throws

    /// Removes the value for `key`, if there is one.
    func remove(for key: StorageKey) async throws
}

/// The name under which a storage keeps a value.
public struct StorageKey: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name, which is not secret.
    public let value: String

    /// Creates a key.
    public init(value: String) { self.value = value }

    /// Creates a key from a literal.
    public init(stringLiteral value: String) { self.value = value }

    /// The default key of a `TokenStorage`.
    public static let token = StorageKey(value: "com.nevod.token")

    /// The key under which an unreadable value is kept.
    var damaged: StorageKey { StorageKey(value: value + ".damaged") }
}

/// A storage in memory, for tests and previews.
public final class InMemoryStorage: KeyValueStorage {
    private let values = Mutex<[StorageKey: Data]>([:])

    /// Creates an empty storage.
    public init() {}

    /// Returns the text for `key`.
    public func string(for key: StorageKey) -> String? {
        data(for: key).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Returns the bytes for `key`.
    public func data(for key: StorageKey) -> Data? { values.withLock { $0[key] } }

    /// Stores text for `key`; nil removes it.
    public func set(_ value: String?, for key: StorageKey) { set(value.map { Data($0.utf8) }, for: key) }

    /// Stores bytes for `key`; nil removes them.
    public func set(_ value: Data?, for key: StorageKey) { values.withLock { $0[key] = value } }

    /// Removes the value, if there is one.
    public func remove(for key: StorageKey) { values.withLock { $0[key] = nil } }
}

/// A storage in the keychain of the platform.
public struct KeychainStorage: KeyValueStorage {
    private let secrets: any SecretStore

    /// Creates a storage in `keychain`.
    public init(keychain: Keychain) { secrets = keychain.secrets }

    /// Creates a storage in the keychain of a service.
    public init(service: String) { self.init(keychain: Keychain(service: service)) }

    /// Returns the text for `key`; nil if there is none, or if the bytes are not UTF-8.
    public func string(for key: StorageKey) async throws -> String? {
        try await data(for: key).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Returns the bytes for `key`.
    ///
    /// - Throws: `AuthError` with a `store…` code, such as `storeLocked`; the value then still exists.
    public func data(for key: StorageKey) async throws -> Data? {
        try await secrets.read(key.value).map { Data($0) }
    }

    /// Stores text for `key` atomically; nil removes it.
    public func set(_ value: String?, for key: StorageKey) async throws {
        try await set(value.map { Data($0.utf8) }, for: key)
    }

    /// Stores bytes for `key` atomically; nil removes them.
    public func set(_ value: Data?, for key: StorageKey) async throws {
        guard let value else { return try await secrets.remove(key.value) }
        try await secrets.write(Array(value), for: key.value)
    }

    /// Removes the value, if there is one.
    public func remove(for key: StorageKey) async throws { try await secrets.remove(key.value) }
}

/// The secrets of an application in the store of the platform.
public struct Keychain: Sendable {
    let secrets: any SecretStore

    /// Creates a keychain in the system's keychain; on Linux, in the keyring or an encrypted file.
    ///
    /// - Parameter service: The name of the application, such as its bundle identifier.
    public init(service: String) { secrets = platformSecretStore(service: service) }

    /// Creates a keychain in another secret store.
    public init(secrets: any SecretStore) { self.secrets = secrets }
}

/// A storage in the keychain of the platform, despite its name.
///
/// User defaults are a plain file, which backups copy and all processes of the user can read. Nevod itself calls them
/// insecure. The values are therefore stored in the keychain; on Linux, in the keyring or an encrypted file.
public struct UserDefaultsStorage: KeyValueStorage {
    private let storage: KeychainStorage

    /// Creates the storage of this application, or of a suite of applications.
    ///
    /// - Parameter suiteName: The name of the suite; nil for the application itself.
    public init(suiteName: String? = nil) {
        let application = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        storage = KeychainStorage(service: suiteName ?? "\(application).defaults")
    }

    /// Returns the text for `key`; nil if there is none, or if the bytes are not UTF-8.
    public func string(for key: StorageKey) async throws -> String? { try await storage.string(for: key) }

    /// Returns the bytes for `key`.
    public func data(for key: StorageKey) async throws -> Data? { try await storage.data(for: key) }

    /// Stores text for `key` atomically; nil removes it.
    public func set(_ value: String?, for key: StorageKey) async throws { try await storage.set(value, for: key) }

    /// Stores bytes for `key` atomically; nil removes them.
    public func set(_ value: Data?, for key: StorageKey) async throws { try await storage.set(value, for: key) }

    /// Removes the value, if there is one.
    public func remove(for key: StorageKey) async throws { try await storage.remove(for: key) }
}
