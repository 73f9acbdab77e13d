// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import LatchCrypto

/// Where the key of an encrypted file of secrets comes from.
public struct SecretFileKey: Sendable {
    /// What each kind of key can do.
    let source: any SecretFileKeySource

    /// A key that the program holds, of 32 bytes.
    public static func given(_ key: SymmetricKey) -> SecretFileKey { SecretFileKey(source: GivenFileKey(key: key)) }

    /// A key in a file of its own, with mode 0600, made at the first write.
    ///
    /// It keeps the secrets out of backups and copies that take only one of the two files; who can read both reads all.
    public static func keyFile(path: String) -> SecretFileKey {
        SecretFileKey(source: StoredFileKey(file: AtomicFile(path)))
    }

    /// A passphrase, stretched by argon2id (RFC 9106).
    ///
    /// - Parameters:
    ///   - passphrase: Where it comes from; asked when it is first needed.
    ///   - cost: What each guess costs, for a file that is made; one that exists says its own. The default is the second
    ///     choice of RFC 9106 §4 in one lane: 64 MiB and 3 passes.
    public static func passphrase(
        _ passphrase: Passphrase, cost: Argon2Parameters? = nil
    ) -> SecretFileKey {
        SecretFileKey(source: PassphraseFileKey(passphrase, cost: cost))
    }

    /// A random key that a keyring keeps, while the secrets are in the file.
    ///
    /// For keyrings that are slow, small, or shown to people item by item. Where the keyring is locked, so is the file.
    ///
    /// - Parameter keyring: Keeps keys of files and nothing else, such as a `SecretServiceStore` of a service of its own.
    public static func keyring(_ keyring: any SecretStore) -> SecretFileKey {
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

    /// For a file that exists.
    init(_ header: SecretFileHeader, key: SymmetricKey) {
        self.key = key
        self.header = header
    }
}

/// A kind of key.
///
/// All of it blocks, and runs on the queue of a store.
protocol SecretFileKeySource: Sendable {
    /// Obtains what may take long (a person, a keyring, argon2id) before the file's lock is taken.
    ///
    /// - Parameter header: The file's; nil where there is no file yet.
    func prepare(for header: SecretFileHeader?) throws

    /// The keys that may open a file of the earlier version, which did not say what opens it.
    func plainKeys() throws -> [SymmetricKey]

    /// The key of a file.
    ///
    /// - Throws: `storeDenied` where it is another key's, `storeCorrupt` where the key is lost for good, `storeLocked`
    ///   where it cannot be had now.
    func key(for header: SecretFileHeader) throws -> SymmetricKey

    /// A seal for a file that is made or replaced by a new one; called while its lock is held.
    ///
    /// - Parameter old: The key of the file that is replaced; a source that would give the same makes a new one.
    func makeSeal(replacing old: SymmetricKey?) throws -> SecretFileSeal

    /// The file is now sealed with this: what was needed for the change can go.
    func settle(_ seal: SecretFileSeal) throws

    /// Nothing is sealed with this any more.
    func retire(_ header: SecretFileHeader) throws
}

extension SecretFileKeySource {
    func prepare(for header: SecretFileHeader?) throws {}
    func plainKeys() throws -> [SymmetricKey] { [] }
    func settle(_ seal: SecretFileSeal) throws {}
    func retire(_ header: SecretFileHeader) throws {}

    /// The error for a file that is closed by another key, which must stay as it is.
    static func denied(_ why: String) -> AuthError {
        AuthError(
            code: AuthError.storeDenied.code, message: "The encrypted file of secrets stays closed: \(why).",
            hint: "Give the key with which it was written. To begin anew, move the file away.")
    }
}
