// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCrypto

/// A kind of store that keeps the contract in this very process.
enum SecretStoreKind: String, CaseIterable, Sendable {
    case memory, fileWithKeyFile, fileWithGivenKey

    /// A place of this kind, which makes any number of stores over the same secrets.
    func place(in folder: String) -> @Sendable () -> any SecretStore {
        let (path, key) = ("\(folder)/secrets", SymmetricKey(size: .bits256))
        let memory = MemorySecretStore()
        return switch self {
        case .memory: { memory }
        case .fileWithKeyFile: { EncryptedFileSecretStore(path: path, key: .keyFile(path: "\(folder)/key")) }
        case .fileWithGivenKey: { EncryptedFileSecretStore(path: path, key: .given(key)) }
        }
    }
}
