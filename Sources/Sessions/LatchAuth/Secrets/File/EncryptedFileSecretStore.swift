// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LatchCore
import LatchCrypto
import LatchJOSE

/// Named bytes in one encrypted file that is replaced as a whole.
///
/// The file has mode 0600 and is written beside the old one, synced and renamed, so that a crash leaves the old content
/// or the new. Processes that share it take turns by an advisory lock. What is damaged is reported as `storeCorrupt` and
/// set aside, never overwritten, when something new is stored. What another key closes is `storeDenied` and stays.
///
/// Format: the lines of ``SecretFileHeader``, then nonce, ciphertext and tag of AES-256-GCM (NIST SP 800-38D) over a JSON
/// object of base64url values, with the lines as authenticated data. An earlier version began with `latch-secrets-1`
/// alone and is still read.
public struct EncryptedFileSecretStore: SecretStore {
    /// The earlier version, in which the key itself sealed.
    private static let firstMagic = Array("latch-secrets-1\n".utf8)

    /// The file; readers see the old content or the new, and only writers take its lock.
    let file: AtomicFile
    /// Asked at each use, since another process may have made the key meanwhile.
    let keySource: any SecretFileKeySource
    /// Blocking calls run here, not on the threads of the tasks.
    private let queue = DispatchQueue(label: "latch.secrets")

    /// A store in the file at `path`; file and folder are made at the first write.
    public init(path: String, key: SecretFileKey) {
        file = AtomicFile(path)
        keySource = key.source
    }

    /// The bytes kept under `name`.
    public func read(_ name: String) async throws -> [UInt8]? {
        try await onQueue { try opened().content[name] }
    }

    /// Keeps `secret` under `name`.
    public func write(_ secret: [UInt8], for name: String) async throws {
        try await onQueue { try change { $0[name] = secret } }
    }

    /// Forgets what is kept under `name`.
    public func remove(_ name: String) async throws {
        try await onQueue {
            // Nothing to forget must not need a folder that can be written.
            guard try file.read() != nil else { return }
            try change { $0[name] = nil }
        }
    }

    /// The names under which something is kept, sorted.
    public func names() async throws -> [String] {
        try await onQueue { try opened().content.keys.sorted() }
    }

    /// Runs blocking work on the store's own queue; errors come out as `AuthError`.
    ///
    /// The queue is serial, so that the calls of one store take effect in the order in which they were made.
    func onQueue<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(with: Swift.Result { try body() }.mapError(Self.authError))
            }
        }
    }

    /// Reads, changes and replaces the content while the lock keeps other processes from doing the same.
    ///
    /// Only damage is set aside. A file that is denied or locked may be whole, and is left alone by throwing.
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

    /// Asks for what opens the file before its lock is taken: a person may take long, and others wait.
    func prepareKey() throws {
        let bytes = try file.read()
        let header = bytes.flatMap { SecretFileHeader(parsing: $0) }
        // The earlier version needs no preparation, and damage is found again under the lock.
        guard bytes == nil || header != nil else { return }
        do { try keySource.prepare(for: header) } catch AuthError.storeCorrupt {}
    }
}

extension EncryptedFileSecretStore {
    /// All names and secrets, and what seals them; empty only where there is no file.
    ///
    /// - Returns: No seal where there is no file, and where it is of the earlier version.
    /// - Throws: `AuthError.storeCorrupt` for another format, a lost key or a changed byte; `storeDenied` for another key.
    func opened() throws -> (content: [String: [UInt8]], seal: SecretFileSeal?) {
        guard let bytes = try file.read() else { return ([:], nil) }
        if bytes.starts(with: Self.firstMagic) { return (try openFirstVersion(bytes), nil) }
        guard let header = SecretFileHeader(parsing: bytes) else {
            throw AuthError.store(.storeCorrupt, "\(file.path) is not a file of secrets")
        }
        let seal = SecretFileSeal(header, key: try keySource.key(for: header))
        let sealed = bytes.dropFirst(header.bytes.count)
        return (try open(sealed, with: header.sealingKey(seal.key), authenticating: header.bytes), seal)
    }

    /// The content of a file that says nothing about its key.
    private func openFirstVersion(_ bytes: [UInt8]) throws -> [String: [UInt8]] {
        var failure = AuthError.store(.storeCorrupt, "\(file.path): its key is gone")
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

    /// The bytes of the file, under a fresh random nonce each time (NIST SP 800-38D §8.2.2).
    ///
    /// Names are sorted, so that the order in which they were stored leaves no trace.
    static func seal(_ content: [String: [UInt8]], with seal: SecretFileSeal) throws -> [UInt8] {
        let object = JSONObject(
            content.sorted { $0.key < $1.key }.map { ($0.key, .string(Base64URL.encode($0.value))) })
        let text = JSONValue.object(object).serialized()
        let head = seal.header.bytes
        let box = try AES.GCM.seal(text, using: seal.header.sealingKey(seal.key), authenticating: head)
        // Absent only for a nonce of another length than the standard one, which this one has.
        guard let sealed = box.combined else { throw AuthError.storeUnavailable }
        return head + sealed
    }

    /// The names and secrets of a decrypted text; the inverse of what `seal(_:)` wrote.
    private static func decode(_ text: [UInt8]) throws -> [String: [UInt8]] {
        guard let object = try JSONValue(parsing: text).objectValue else { throw AuthError.storeCorrupt }
        var content: [String: [UInt8]] = [:]
        for (name, value) in object {
            guard let text = value.stringValue else { throw AuthError.storeCorrupt }
            content[name] = try Base64URL.decode(text)
        }
        return content
    }

    /// A failure of the file system as a `store…` code, and any other as it is.
    static func authError(_ error: any Error) -> any Error {
        (error as? FileFailure).map { AuthError.file($0) } ?? AuthError.fromStore(error)
    }
}
