// SPDX-License-Identifier: Apache-2.0

import LatchCrypto

@testable import LatchAuth

/// A kind of store that keeps the contract in this very process.
enum TestedStore: String, CaseIterable, Sendable {
    case memory, fileWithKeyFile, fileWithGivenKey, fileWithPassphrase, fileWithKeyring

    /// A place of this kind, which makes any number of stores over the same secrets.
    func place(in folder: String) -> @Sendable () -> any SecretStore {
        let (path, key) = ("\(folder)/secrets", SymmetricKey(size: .bits256))
        let memory = InMemorySecretStore()
        return switch self {
        case .memory: { memory }
        case .fileWithKeyFile: { EncryptedFileSecretStore(path: path, key: .keyFile(path: "\(folder)/key")) }
        case .fileWithPassphrase:
            {
                EncryptedFileSecretStore(
                    path: path, key: .passphrase(.asking { Array("pass".utf8) }, cost: .cheap))
            }
        case .fileWithKeyring: { EncryptedFileSecretStore(path: path, key: .keyring(memory)) }
        case .fileWithGivenKey: { EncryptedFileSecretStore(path: path, key: .given(key)) }
        }
    }
}

extension Argon2Parameters {
    /// The least that argon2id allows: these tests are not about its cost.
    static var cheap: Argon2Parameters? { try? Argon2Parameters(memoryKiB: 8, passes: 1) }
}
