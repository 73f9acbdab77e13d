// SPDX-License-Identifier: Apache-2.0

import LatchCore

extension EncryptedFileSecretStore {
    /// The same file, sealed with another key; with the same key file or keyring, with a new one of the kind.
    ///
    /// The file is replaced as a whole. Interrupted anywhere, it opens with the old key or with the new, never with
    /// neither, and the call can be repeated. A store that still has the old key is denied from then on, and changes
    /// nothing.
    ///
    /// - Returns: The store with the new key.
    /// - Throws: What reading throws; the file is then as it was.
    public func rekeyed(to key: SecretFileKey) async throws -> EncryptedFileSecretStore {
        let store = EncryptedFileSecretStore(path: file.path, key: key)
        try await onQueue { try rekey(to: store.keySource) }
        return store
    }

    private func rekey(to source: any SecretFileKeySource) throws {
        guard try file.read() != nil else { return }
        try prepareKey()
        // A new passphrase is asked for now, and not while others wait for the file.
        try source.prepare(for: nil)
        try file.locked(
            {
                let found = try opened()
                let seal = try source.makeSeal(replacing: found.seal?.key)
                try file.replace(with: try Self.seal(found.content, with: seal))
                try source.settle(seal)
                if let old = found.seal?.header, old != seal.header { try keySource.retire(old) }
            }, onFailure: { $0 })
    }
}
