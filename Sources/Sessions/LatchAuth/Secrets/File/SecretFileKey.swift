// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import LatchCrypto

/// The key of an encrypted file of secrets.
public struct SecretFileKey: Sendable {
    /// The implementation of the kind of key.
    let source: any SecretFileKeySource

    /// Returns a key of 32 bytes in memory.
    public static func given(_ key: SymmetricKey) -> SecretFileKey { SecretFileKey(source: InMemoryFileKey(key: key)) }

    /// Returns a key in a separate file with mode 0600, which is created at the first write.
    ///
    /// It protects the secrets if backups or copies contain only one of the two files.
    public static func keyFile(path: String) -> SecretFileKey {
        SecretFileKey(source: StoredFileKey(file: AtomicFile(path)))
    }

    /// Returns a key that argon2id (RFC 9106) derives from a passphrase.
    ///
    /// - Parameters:
    ///   - passphrase: The source of the passphrase, which is read at the first use.
    ///   - cost: The cost of each guess for a new file; an existing file keeps its cost. The default is the second
    ///     choice of RFC 9106 §4 in one lane: 64 MiB and 3 passes.
    package static func passphrase(
        _ passphrase: Passphrase, cost: Argon2Parameters? = nil
    ) -> SecretFileKey {
        SecretFileKey(source: PassphraseFileKey(passphrase, cost: cost))
    }

    /// Returns a random key in a keyring, while the secrets are in the file.
    ///
    /// It suits keyrings that are slow or small, or that show users each item. A locked keyring locks the file.
    ///
    /// - Parameter keyring: The store of file keys and nothing else, such as a `SecretServiceStore` with a separate
    ///   service.
    package static func keyring(_ keyring: any SecretStore) -> SecretFileKey {
        SecretFileKey(source: KeyringFileKey(keyring: keyring))
    }
}

/// A key and the header of the files that it opens.
struct SecretFileSeal: Sendable {
    let key: SymmetricKey
    let header: SecretFileHeader

}

extension SecretFileSeal {
    /// Creates the seal of a new file.
    init(_ lock: SecretFileHeader.Lock, key: SymmetricKey) {
        self.init(key: key, header: SecretFileHeader(lock, for: key))
    }
}

/// A source of keys.
///
/// All methods block, and run on the queue of a store.
protocol SecretFileKeySource: Sendable {
    /// Runs the slow part (a prompt, a keyring, argon2id) before the file's lock is taken.
    ///
    /// - Parameter header: The header of the file; nil if the file does not exist yet.
    func prepare(for header: SecretFileHeader?) throws

    /// Returns the key of a file.
    ///
    /// - Throws: `storeDenied` if the file has another key, `storeCorrupt` if the key is lost, `storeLocked` if the key
    ///   is not available now.
    func key(for header: SecretFileHeader) throws -> SymmetricKey

    /// Creates a seal for a new file; called while the file's lock is held.
    func makeSeal() throws -> SecretFileSeal
}

extension SecretFileKeySource {
    func prepare(for header: SecretFileHeader?) throws {}

    /// Returns the error for a file with another key, which must stay unchanged.
    static func denied(_ reason: String) -> AuthError {
        AuthError.storeDenied.saying(
            "The encrypted file of secrets stays closed: \(reason).",
            hint: "Use the key that the file was written with. To start over, move the file to another folder.")
    }
}

struct InMemoryFileKey: SecretFileKeySource {
    let key: SymmetricKey

    func key(for header: SecretFileHeader) throws -> SymmetricKey {
        guard header.lock == .key, header.accepts(key) else { throw Self.denied("it was written with another key") }
        return key
    }

    func makeSeal() -> SecretFileSeal { SecretFileSeal(.key, key: key) }
}

struct StoredFileKey: SecretFileKeySource {
    let file: AtomicFile

    func key(for header: SecretFileHeader) throws -> SymmetricKey {
        guard header.lock == .key else { throw Self.denied("it was not written with a key file") }
        guard let key = try read() else { throw AuthError.store(.storeCorrupt, "the key \(file.path) is missing") }
        guard header.accepts(key) else {
            throw Self.denied("it was written with another key than that in \(file.path)")
        }
        return key
    }

    /// Returns a seal with the existing key, or with a new one.
    ///
    /// A damaged key can no longer open the file. Both are set aside, so that a user can sign in again.
    func makeSeal() throws -> SecretFileSeal {
        do {
            if let key = try read() { return SecretFileSeal(.key, key: key) }
        } catch AuthError.storeCorrupt {
            _ = try file.setAside(suffix: "corrupt")
        }
        let key = SymmetricKey(size: .bits256)
        try file.makeFolder()
        try file.replace(with: key.withUnsafeBytes(Array.init))
        return SecretFileSeal(.key, key: key)
    }

    /// Reads the key; nil if its file does not exist.
    private func read() throws -> SymmetricKey? {
        guard let bytes = try file.read() else { return nil }
        guard bytes.count == 32 else { throw AuthError.store(.storeCorrupt, "\(file.path) is not a key") }
        return SymmetricKey(data: bytes)
    }
}
