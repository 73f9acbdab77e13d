// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import LatchCrypto

/// Where the key of an encrypted file of secrets comes from.
public struct SecretFileKey: Sendable {
    /// Where the key comes from; a given one never touches the disk.
    private enum Source: Sendable {
        case given(SymmetricKey)
        case file(AtomicFile)
    }

    private let source: Source

    /// A key that the program holds, of 32 bytes.
    public static func given(_ key: SymmetricKey) -> SecretFileKey { SecretFileKey(source: .given(key)) }

    /// A key in a file of its own, with mode 0600, made at the first write.
    ///
    /// It keeps the secrets out of backups and copies that take only one of the two files; who can read both reads all.
    public static func keyFile(path: String) -> SecretFileKey { SecretFileKey(source: .file(AtomicFile(path))) }

    /// The key; nil when its file does not exist yet.
    func key() throws -> SymmetricKey? {
        switch source {
        case .given(let key):
            return key
        case .file(let file):
            guard let bytes = try file.read() else { return nil }
            guard bytes.count == 32 else { throw AuthError.store(.storeCorrupt, "\(file.path) is not a key") }
            return SymmetricKey(data: bytes)
        }
    }

    /// The key, made before when its file does not exist yet; called while the store's lock is held.
    ///
    /// A damaged key opens nothing any more. It is set aside like the secrets that it locked, or nobody could sign in
    /// again.
    func keyMadeIfMissing() throws -> SymmetricKey {
        let file: AtomicFile
        switch source {
        case .given(let key): return key
        case .file(let place): file = place
        }
        do {
            if let key = try key() { return key }
        } catch AuthError.storeCorrupt {
            _ = try file.setAside(suffix: "corrupt")
        }
        let bytes = SecureRandom.bytes(32)
        try file.makeFolder()
        try file.replace(with: bytes)
        return SymmetricKey(data: bytes)
    }
}
