// SPDX-License-Identifier: Apache-2.0

/// Keeps text and bytes where the platform keeps secrets, whatever its name says.
///
/// Defaults are a plain file that backups copy and any process of the user reads; the seed itself calls them insecure.
/// The name and the call are kept, and what is stored goes to the keychain, on Linux to the keyring or an encrypted file.
public struct UserDefaultsStorage: KeyValueStorage {
    private let storage: KeychainStorage

    /// The storage of this program, or of a suite of programs.
    ///
    /// - Parameter suiteName: Names the suite; nil means the program itself.
    public init(suiteName: String? = nil) {
        let program = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        storage = KeychainStorage(service: suiteName ?? "\(program).defaults")
    }

    /// The text kept under `key`; nil also where the bytes are no UTF-8.
    public func string(for key: StorageKey) async throws -> String? { try await storage.string(for: key) }

    /// The bytes kept under `key`.
    public func data(for key: StorageKey) async throws -> Data? { try await storage.data(for: key) }

    /// Keeps text under `key`, atomically; nil removes what is there.
    public func set(_ value: String?, for key: StorageKey) async throws { try await storage.set(value, for: key) }

    /// Keeps bytes under `key`, atomically; nil removes what is there.
    public func set(_ value: Data?, for key: StorageKey) async throws { try await storage.set(value, for: key) }

    /// Removes what is kept under `key`.
    public func remove(for key: StorageKey) async throws { try await storage.remove(for: key) }
}
