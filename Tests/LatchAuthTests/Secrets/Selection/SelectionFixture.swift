// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchTesting
import Synchronization

@testable import LatchAuth

/// The stores of a user on one device, as any number of their processes see them.
final class SelectionFixture: Sendable {
    let folder: String
    let keyring = InMemorySecretStore()
    /// The keys of files, which are items of another name in the same keyring.
    let fileKeys = InMemorySecretStore()
    /// The error of the keyring; nil where it exists and is unlocked.
    let trouble = Mutex<AuthError?>(nil)
    /// The number of calls that the keyring still answers; nil for any number.
    let callsUntilTrouble = Mutex<Int?>(nil)

    /// The system's own store: the Secret Service, or on macOS the keychain.
    let kind: SecretStoreKind

    init(_ folder: String, keyring kind: SecretStoreKind = .secretService) {
        self.folder = folder
        self.kind = kind
    }

    /// The stores that a process selects from.
    func selection(_ environment: [String: String] = [:]) -> SecretStoreSelection {
        let path = "\(folder)/app"
        let keyring = GuardedStore(keyring: keyring, fixture: self)
        let fileKeys = GuardedStore(keyring: fileKeys, fixture: self)
        return SecretStoreSelection(
            service: "app", path: path, environment: environment,
            makeStore: { [own = self.kind] kind in
                switch kind {
                case own: (keyring, "the keyring")
                case .file:
                    (EncryptedFileSecretStore(path: "\(path).secrets", key: .keyFile(path: "\(path).key")), "the file")
                case .keyringFile:
                    (EncryptedFileSecretStore(path: "\(path).k", key: .keyring(fileKeys)), "the file with a key")
                default: nil
                }
            }, keyring: kind, checkKeyring: { try keyring.check() })
    }

    /// The store as a process uses it.
    func store(_ environment: [String: String] = [:]) -> ChosenSecretStore {
        ChosenSecretStore(selection(environment))
    }

    /// The keyring where it is out of reach.
    struct GuardedStore: SecretStore {
        let keyring: InMemorySecretStore
        let fixture: SelectionFixture

        func check() throws {
            if let error = fixture.trouble.withLock({ $0 }) { throw error }
            let left = fixture.callsUntilTrouble.withLock { count in
                count = count.map { $0 - 1 }
                return count
            }
            if let left, left < 0 { throw AuthError.storeUnavailable }
        }

        func read(_ name: String) async throws -> [UInt8]? {
            try check()
            return keyring.read(name)
        }

        func write(_ secret: [UInt8], for name: String) async throws {
            try check()
            keyring.write(secret, for: name)
        }

        func remove(_ name: String) async throws {
            try check()
            keyring.remove(name)
        }

        func names() async throws -> [String] {
            try check()
            return keyring.names()
        }
    }
}
