// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchTesting

@testable import LatchAuth

/// The stores of a person on one device, as any number of their processes see them.
final class SelectionFixture: Sendable {
    let folder: String
    let keyring = MemorySecretStore()
    /// What the keyring says: nil where it is there and unlocked.
    let trouble = Lock<AuthError?>(nil)

    init(_ folder: String) { self.folder = folder }

    /// What a process of the person chooses from.
    func selection(_ environment: [String: String] = [:]) -> SecretStoreSelection {
        let path = "\(folder)/app"
        let keyring = GuardedStore(keyring: keyring, fixture: self)
        return SecretStoreSelection(
            service: "app", path: path, environment: environment,
            makeStore: { kind in
                switch kind {
                case .file:
                    (EncryptedFileSecretStore(path: "\(path).secrets", key: .keyFile(path: "\(path).key")), "the file")
                case .secretService: (keyring, "the keyring")
                case .keyringFile:
                    (EncryptedFileSecretStore(path: "\(path).k", key: .keyring(keyring)), "the file with a key")
                default: nil
                }
            }, checkKeyring: { try keyring.check() })
    }

    /// The store as a process uses it.
    func store(_ environment: [String: String] = [:]) -> ChosenSecretStore {
        ChosenSecretStore(selection(environment))
    }

    /// The keyring where it is out of reach.
    struct GuardedStore: SecretStore {
        let keyring: MemorySecretStore
        let fixture: SelectionFixture

        func check() throws { if let error = fixture.trouble.withLock({ $0 }) { throw error } }

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
