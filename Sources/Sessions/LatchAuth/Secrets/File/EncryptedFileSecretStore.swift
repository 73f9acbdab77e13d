// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LatchCore
import LatchCrypto
import LatchJOSE

/// A store of named secrets in one encrypted file that is replaced as a whole.
///
/// The file has mode 0600 and is written next to the old one, synced and renamed, so that a crash leaves the old content
/// or the new. An advisory lock serializes the processes that share it. A damaged file is reported as `storeCorrupt` and
/// set aside, never overwritten, by the next write. A file of another key is `storeDenied` and stays.
///
/// Format: the lines of ``SecretFileHeader``, then nonce, ciphertext and tag of AES-256-GCM (NIST SP 800-38D) over a JSON
/// object of base64url values, with the lines as authenticated data. An earlier version began with `latch-secrets-1`
/// alone and is still read.
public struct EncryptedFileSecretStore: SecretStore {
    /// The first line of the earlier version, which was sealed with the key itself.
    private static let firstMagic = Array("latch-secrets-1\n".utf8)

    /// The file; readers see the old content or the new, and only writers lock it.
    private let file: AtomicFile
    /// The source of the key; used at each access, since another process may have created the key meanwhile.
    private let keySource: any SecretFileKeySource
    /// The queue of blocking calls, which must not block the threads of tasks.
    private let queue = DispatchQueue(label: "latch.secrets")

    /// Creates a store in the file at `path`; file and folder are created at the first write.
    public init(path: String, key: SecretFileKey) {
        file = AtomicFile(path)
        keySource = key.source
    }

    /// Returns the secret with a name.
    public func read(_ name: String) async throws -> [UInt8]? {
        try await onQueue { try opened().content[name] }
    }

    /// Stores a secret under a name.
    public func write(_ secret: [UInt8], for name: String) async throws {
        try await onQueue { try change { $0[name] = secret } }
    }

    /// Removes the secret with a name.
    public func remove(_ name: String) async throws {
        try await onQueue {
            // Removing nothing must not need a writable folder.
            guard try file.read() != nil else { return }
            try change { $0[name] = nil }
        }
    }

    /// Returns the names of all secrets, sorted.
    public func names() async throws -> [String] {
        try await onQueue { try opened().content.keys.sorted() }
    }

    /// Runs blocking work on the store's own queue, and maps errors to `AuthError`.
    ///
    /// The queue is serial, so that the calls of one store take effect in the order in which they were made.
    private func onQueue<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(with: Swift.Result { try body() }.mapError(Self.authError))
            }
        }
    }

    /// Reads, changes and replaces the content while the lock keeps other processes from doing the same.
    ///
    /// Only damage is set aside. A file that is denied or locked may be intact, and stays as it is.
    private func change(_ body: (inout [String: [UInt8]]) -> Void) throws {
        try file.makeFolder()
        try prepareKey()
        try file.locked(
            {
                var found: (content: [String: [UInt8]], seal: SecretFileSeal?)
                do {
                    found = try opened()
                } catch AuthError.storeCorrupt {
                    _ = try file.setAside(suffix: "corrupt")
                    found = ([:], nil)
                }
                body(&found.content)
                let seal = try found.seal ?? keySource.makeSeal(replacing: nil)
                try file.replace(with: try Self.seal(found.content, with: seal))
            }, onFailure: { $0 })
    }

    /// Obtains the key before the file's lock is taken: a prompt may take long while other processes wait.
    private func prepareKey() throws {
        let bytes = try file.read()
        let header = bytes.flatMap { SecretFileHeader(parsing: $0) }
        // The earlier version needs no preparation, and damage is found again under the lock.
        guard bytes == nil || header != nil else { return }
        do { try keySource.prepare(for: header) } catch AuthError.storeCorrupt {}
    }
}

extension EncryptedFileSecretStore {
    /// Returns all secrets and the seal of the file; empty only where there is no file.
    ///
    /// - Returns: No seal where there is no file, or one of the earlier version.
    /// - Throws: `AuthError.storeCorrupt` for another format, a lost key or a changed byte; `storeDenied` for another key.
    private func opened() throws -> (content: [String: [UInt8]], seal: SecretFileSeal?) {
        guard let bytes = try file.read() else { return ([:], nil) }
        if bytes.starts(with: Self.firstMagic) { return (try openFirstVersion(bytes), nil) }
        guard let header = SecretFileHeader(parsing: bytes) else {
            throw AuthError.store(.storeCorrupt, "\(file.path) is not a file of secrets")
        }
        let seal = SecretFileSeal(header, key: try keySource.key(for: header))
        let sealed = bytes.dropFirst(header.bytes.count)
        return (try open(sealed, with: header.sealingKey(seal.key), authenticating: header.bytes), seal)
    }

    /// Opens a file of the earlier version, which does not name its key.
    private func openFirstVersion(_ bytes: [UInt8]) throws -> [String: [UInt8]] {
        var failure = AuthError.store(.storeCorrupt, "\(file.path): its key is missing")
        for key in try keySource.plainKeys() {
            do {
                return try open(
                    bytes.dropFirst(Self.firstMagic.count), with: key, authenticating: Self.firstMagic)
            } catch let error as AuthError {
                failure = error
            }
        }
        throw failure
    }

    private func open(
        _ sealed: ArraySlice<UInt8>, with key: SymmetricKey, authenticating head: [UInt8]
    ) throws -> [String: [UInt8]] {
        do {
            let box = try AES.GCM.SealedBox(combined: Array(sealed))
            return try Self.decode(try AES.GCM.open(box, using: key, authenticating: head))
        } catch {
            throw AuthError.store(.storeCorrupt, file.path).caused(by: error)
        }
    }

    /// Seals the content under a fresh random nonce (NIST SP 800-38D §8.2.2).
    ///
    /// Names are sorted, so that the order of writes leaves no trace.
    private static func seal(_ content: [String: [UInt8]], with seal: SecretFileSeal) throws -> [UInt8] {
        let object = JSONObject(
            content.sorted { $0.key < $1.key }.map { ($0.key, .string(Base64URL.encode($0.value))) })
        let text = JSONValue.object(object).serialized()
        let head = seal.header.bytes
        let box = try AES.GCM.seal(text, using: seal.header.sealingKey(seal.key), authenticating: head)
        // Nil only for a nonce of a nonstandard length.
        guard let sealed = box.combined else { throw AuthError.storeUnavailable }
        return head + sealed
    }

    /// Decodes the secrets of a decrypted text.
    private static func decode(_ text: [UInt8]) throws -> [String: [UInt8]] {
        guard let object = try JSONValue(parsing: text).objectValue else { throw AuthError.storeCorrupt }
        var content: [String: [UInt8]] = [:]
        for (name, value) in object {
            guard let text = value.stringValue else { throw AuthError.storeCorrupt }
            content[name] = try Base64URL.decode(text)
        }
        return content
    }

    /// Returns the `store…` code of a failure of the file system, and any other error as it is.
    private static func authError(_ error: any Error) -> any Error {
        (error as? FileError).map { AuthError.file($0) } ?? AuthError.fromStore(error)
    }
}

extension EncryptedFileSecretStore {
    /// Seals the file with another key; with the same key file or keyring, with a new key of that kind.
    ///
    /// The file is replaced as a whole. After an interruption it opens with the old key or the new one, and the call can
    /// be repeated. A store that still has the old key is denied from then on, and changes nothing.
    ///
    /// - Returns: The store with the new key.
    /// - Throws: The errors of reading; the file is then unchanged.
    package func rekeyed(to key: SecretFileKey) async throws -> EncryptedFileSecretStore {
        let store = EncryptedFileSecretStore(path: file.path, key: key)
        try await onQueue { try rekey(to: store.keySource) }
        return store
    }

    private func rekey(to source: any SecretFileKeySource) throws {
        guard try file.read() != nil else { return }
        try prepareKey()
        // A new passphrase is prompted for now, and not while other processes wait for the file.
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
