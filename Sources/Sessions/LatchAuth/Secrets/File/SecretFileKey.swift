// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import LatchCrypto

/// The key of an encrypted file of secrets.
public struct SecretFileKey: Sendable {
    /// The implementation of the kind of key.
    let source: any SecretFileKeySource

    /// Returns a key of 32 bytes in memory.
    public static func given(_ key: SymmetricKey) -> SecretFileKey { SecretFileKey(source: InMemoryFileKey(key: key)) }

    /// Returns a key in a file of its own, with mode 0600, created at the first write.
    ///
    /// It protects the secrets in backups and copies of only one of the two files.
    public static func keyFile(path: String) -> SecretFileKey {
        SecretFileKey(source: StoredFileKey(file: AtomicFile(path)))
    }

    /// Returns a key that argon2id (RFC 9106) derives from a passphrase.
    ///
    /// - Parameters:
    ///   - passphrase: The source of the passphrase, read at the first use.
    ///   - cost: The cost of each guess, for a new file; an existing one has its own. The default is the second choice of
    ///     RFC 9106 §4 in one lane: 64 MiB and 3 passes.
    package static func passphrase(
        _ passphrase: Passphrase, cost: Argon2Parameters? = nil
    ) -> SecretFileKey {
        SecretFileKey(source: PassphraseFileKey(passphrase, cost: cost))
    }

    /// Returns a random key in a keyring, while the secrets are in the file.
    ///
    /// It suits keyrings that are slow, small, or shown to users item by item. A locked keyring locks the file.
    ///
    /// - Parameter keyring: Keeps keys of files and nothing else, such as a `SecretServiceStore` of a service of its own.
    package static func keyring(_ keyring: any SecretStore) -> SecretFileKey {
        SecretFileKey(source: KeyringFileKey(keyring: keyring))
    }
}

/// A key and the header of the files that it opens.
struct SecretFileSeal: Sendable {
    let key: SymmetricKey
    let header: SecretFileHeader

    init(_ lock: SecretFileHeader.Lock, key: SymmetricKey) {
        self.key = key
        header = SecretFileHeader(lock, for: key)
    }

    /// Creates the seal of an existing file.
    init(_ header: SecretFileHeader, key: SymmetricKey) {
        self.key = key
        self.header = header
    }
}

/// A source of keys.
///
/// All methods block, and run on the queue of a store.
protocol SecretFileKeySource: Sendable {
    /// Runs the slow part (a prompt, a keyring, argon2id) before the file's lock is taken.
    ///
    /// - Parameter header: The header of the file; nil where there is no file yet.
    func prepare(for header: SecretFileHeader?) throws

    /// Returns the keys that may open a file of the earlier version, which did not name its key.
    func plainKeys() throws -> [SymmetricKey]

    /// Returns the key of a file.
    ///
    /// - Throws: `storeDenied` where the file has another key, `storeCorrupt` where the key is lost, `storeLocked` where it
    ///   is not available now.
    func key(for header: SecretFileHeader) throws -> SymmetricKey

    /// Creates a seal for a new or replaced file; called while its lock is held.
    ///
    /// - Parameter old: The key of the replaced file; a source that would return the same key generates a new one.
    func makeSeal(replacing old: SymmetricKey?) throws -> SecretFileSeal

    /// Removes the remains of a change after the file was sealed.
    func settle(_ seal: SecretFileSeal) throws

    /// Removes the key of a header that seals no file any more.
    func retire(_ header: SecretFileHeader) throws
}

extension SecretFileKeySource {
    func prepare(for header: SecretFileHeader?) throws {}
    func plainKeys() throws -> [SymmetricKey] { [] }
    func settle(_ seal: SecretFileSeal) throws {}
    func retire(_ header: SecretFileHeader) throws {}

    /// Returns the error for a file of another key, which must stay as it is.
    static func denied(_ reason: String) -> AuthError {
        AuthError(
            code: AuthError.storeDenied.code, message: "The encrypted file of secrets stays closed: \(reason).",
            hint: "Pass the key with which it was written. To start over, move the file away.")
    }
}

/// A key in memory.
struct InMemoryFileKey: SecretFileKeySource {
    let key: SymmetricKey

    func plainKeys() -> [SymmetricKey] { [key] }

    func key(for header: SecretFileHeader) throws -> SymmetricKey {
        guard header.lock == .key, header.accepts(key) else { throw Self.denied("it was written with another key") }
        return key
    }

    func makeSeal(replacing old: SymmetricKey?) -> SecretFileSeal { SecretFileSeal(.key, key: key) }
}

/// A key in a key file, which holds two keys while one replaces the other.
///
/// A crash between the change of the secrets and the change of this file leaves both keys here, so that one of them
/// opens the secrets.
struct StoredFileKey: SecretFileKeySource {
    let file: AtomicFile

    func plainKeys() throws -> [SymmetricKey] { try read() ?? [] }

    func key(for header: SecretFileHeader) throws -> SymmetricKey {
        guard header.lock == .key else { throw Self.denied("it was not written with a key file") }
        guard let keys = try read() else { throw AuthError.store(.storeCorrupt, "the key \(file.path) is missing") }
        guard let key = keys.first(where: header.accepts) else {
            throw Self.denied("it was written with another key than that in \(file.path)")
        }
        return key
    }

    /// Returns a seal with the existing key, or with a new one.
    ///
    /// A damaged key opens nothing any more. It is set aside like its secrets, so that a user can sign in again.
    func makeSeal(replacing old: SymmetricKey?) throws -> SecretFileSeal {
        var kept: [SymmetricKey]?
        do { kept = try read() } catch AuthError.storeCorrupt { _ = try file.setAside(suffix: "corrupt") }
        if let key = kept?.last, key != old { return SecretFileSeal(.key, key: key) }
        let key = SymmetricKey(size: .bits256)
        try write([old, key].compactMap { $0 })
        return SecretFileSeal(.key, key: key)
    }

    func settle(_ seal: SecretFileSeal) throws {
        if let keys = try read(), keys != [seal.key] { try write([seal.key]) }
    }

    /// Reads the keys, the newest last; nil where there is no file.
    private func read() throws -> [SymmetricKey]? {
        guard let bytes = try file.read() else { return nil }
        guard [32, 64].contains(bytes.count) else {
            throw AuthError.store(.storeCorrupt, "\(file.path) is not a key")
        }
        return stride(from: 0, to: bytes.count, by: 32).map { SymmetricKey(data: bytes[$0..<$0 + 32]) }
    }

    private func write(_ keys: [SymmetricKey]) throws {
        try file.makeFolder()
        try file.replace(with: keys.flatMap { $0.withUnsafeBytes(Array.init) })
    }
}
