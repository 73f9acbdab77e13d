// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LatchCore
import LatchCrypto
import LatchJOSE

/// A store of named secrets in one encrypted file, which is replaced as a whole.
///
/// The file has mode 0600. A new file is written next to the old one, synced and renamed, so that a crash leaves the
/// old or the new content. An advisory lock serializes the processes that share the file. A damaged file is reported as
/// `storeCorrupt`. The next write sets it aside, and never overwrites it. A file with another key is `storeDenied`, and
/// stays.
///
/// Format: the lines of a `SecretFileHeader`, then nonce, ciphertext and tag of AES-256-GCM (NIST SP 800-38D). The
/// plaintext is a JSON object of base64url values, and the lines are authenticated data.
public struct EncryptedFileSecretStore: SecretStore {
    /// The file.
    ///
    /// Readers see the old or the new content, and only writers lock it.
    private let file: AtomicFile
    /// The source of the key, which is asked at each access, because another process may have created the key
    /// in the meantime.
    private let keySource: any SecretFileKeySource
    /// The queue of blocking calls, which must not block the threads of tasks.
    private let queue = DispatchQueue(label: "latch.secrets")

    /// Creates a store in the file at `path`; the first write creates the file and its folder.
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
            // Removing a missing secret must not require a writable folder.
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
    /// The queue is serial, so that the calls of one store take effect in their order.
    private func onQueue<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        do { return try await queue.run(body) } catch { throw AuthError.fromStore(error) }
    }

    /// Reads, changes and replaces the content, while the lock prevents other processes from doing so.
    ///
    /// Only a damaged file is set aside. A denied or locked file may be intact, and stays.
    private func change(_ body: (inout [String: [UInt8]]) -> Void) throws {
        try file.makeFolder()
        try prepareKey()
        try file.locked {
            var found: (content: [String: [UInt8]], seal: SecretFileSeal?) = ([:], nil)
            do {
                found = try opened()
            } catch AuthError.storeCorrupt {
                // Nothing is set aside, and no key is created, if nothing could be encrypted afterwards.
                _ = try AES.GCM.seal([], using: SymmetricKey(size: .bits256))
                _ = try file.setAside(suffix: "corrupt")
            }
            body(&found.content)
            let seal = try found.seal ?? keySource.makeSeal()
            try file.replace(with: try Self.seal(found.content, with: seal))
        } onFailure: {
            $0
        }
    }

    /// Obtains the key before the file's lock is taken, because a prompt may take long while other processes wait.
    private func prepareKey() throws {
        let bytes = try file.read()
        let header = bytes.flatMap { SecretFileHeader(parsing: $0) }
        // The damage is found again under the lock.
        guard bytes == nil || header != nil else { return }
        do { try keySource.prepare(for: header) } catch AuthError.storeCorrupt {}
    }
}

extension EncryptedFileSecretStore {
    /// Returns all secrets and the seal of the file; empty and nil if the file does not exist.
    ///
    /// - Throws: `AuthError.storeCorrupt` for another format, a lost key or a changed byte; `storeDenied` for another
    ///   key. `storeUnavailable` if nothing can be decrypted, for example because OpenSSL is configured without
    ///   ciphers.
    private func opened() throws -> (content: [String: [UInt8]], seal: SecretFileSeal?) {
        guard let bytes = try file.read() else { return ([:], nil) }
        guard let header = SecretFileHeader(parsing: bytes) else {
            throw AuthError.store(.storeCorrupt, "\(file.path) is not a file of secrets")
        }
        let seal = SecretFileSeal(key: try keySource.key(for: header), header: header)
        do {
            let box = try AES.GCM.SealedBox(combined: Array(bytes.dropFirst(header.bytes.count)))
            let text = try AES.GCM.open(box, using: header.sealingKey(seal.key), authenticating: header.bytes)
            return (try Self.decode(Array(text)), seal)
        } catch let error as CryptoError where CryptoError.engineFailure ~= error {
            throw AuthError.store(.storeUnavailable, error.message).caused(by: error)
        } catch {
            throw AuthError.store(.storeCorrupt, file.path).caused(by: error)
        }
    }

    /// Seals the content under a fresh random nonce (NIST SP 800-38D §8.2.2).
    ///
    /// Names are sorted, so that the file does not show the order of writes.
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

    /// Decodes the secrets in a decrypted text.
    private static func decode(_ text: [UInt8]) throws -> [String: [UInt8]] {
        guard let object = try JSONValue(parsing: text).objectValue else { throw AuthError.storeCorrupt }
        var content: [String: [UInt8]] = [:]
        for (name, value) in object {
            guard let text = value.stringValue else { throw AuthError.storeCorrupt }
            content[name] = try Base64URL.decode(text)
        }
        return content
    }
}
