// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LatchCore
import LatchCrypto
import LatchJOSE

/// Named bytes in one encrypted file that is replaced as a whole.
///
/// The file has mode 0600 and is written beside the old one, synced and renamed, so that a crash leaves the old content
/// or the new. Processes that share it take turns by an advisory lock. What cannot be decrypted is reported as
/// `storeCorrupt` and set aside, never overwritten, when something new is stored.
///
/// Format: 16 bytes `latch-secrets-1\n`, then nonce, ciphertext and tag of AES-256-GCM (NIST SP 800-38D) over a JSON
/// object of base64url values, with the first 16 bytes as authenticated data.
public struct EncryptedFileSecretStore: SecretStore {
    /// Names the format and its version; authenticated, so that no other version can be passed off as this one.
    private static let magic = Array("latch-secrets-1\n".utf8)

    /// The file; readers see the old content or the new, and only writers take its lock.
    private let file: AtomicFile
    /// Asked at each use, since another process may have made the key meanwhile.
    private let keySource: SecretFileKey
    /// Blocking calls run here, not on the threads of the tasks.
    private let queue = DispatchQueue(label: "latch.secrets")

    /// A store in the file at `path`; file and folder are made at the first write.
    public init(path: String, key: SecretFileKey) {
        file = AtomicFile(path)
        keySource = key
    }

    /// The bytes kept under `name`.
    public func read(_ name: String) async throws -> [UInt8]? {
        try await onQueue { try content()[name] }
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
        try await onQueue { try content().keys.sorted() }
    }

    /// Runs blocking work on the store's own queue; errors come out as `AuthError`.
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
    /// Only damage is set aside. A file that is denied or locked may be whole, and is left alone by throwing.
    private func change(_ body: (inout [String: [UInt8]]) -> Void) throws {
        try file.makeFolder()
        try file.locked(
            {
                var content: [String: [UInt8]]
                do {
                    content = try self.content()
                } catch AuthError.storeCorrupt {
                    _ = try file.setAside(suffix: "corrupt")
                    content = [:]
                }
                body(&content)
                try file.replace(with: try seal(content))
            }, onFailure: { $0 })
    }
}

extension EncryptedFileSecretStore {
    /// All names and secrets; empty only where there is no file.
    ///
    /// - Throws: `AuthError.storeCorrupt` for another format, another key, a lost key or a changed byte.
    private func content() throws -> [String: [UInt8]] {
        guard let bytes = try file.read() else { return [:] }
        guard bytes.starts(with: Self.magic) else {
            throw AuthError.store(.storeCorrupt, "\(file.path) is not a file of secrets")
        }
        guard let key = try keySource.key() else {
            throw AuthError.store(.storeCorrupt, "the key of \(file.path) is gone")
        }
        do {
            let box = try AES.GCM.SealedBox(combined: Array(bytes.dropFirst(Self.magic.count)))
            let text = try AES.GCM.open(box, using: key, authenticating: Self.magic)
            return try Self.decode(text)
        } catch {
            throw AuthError.store(.storeCorrupt, file.path).caused(by: error)
        }
    }

    /// The bytes of the file, under a fresh random nonce each time (NIST SP 800-38D §8.2.2).
    ///
    /// Names are sorted, so that the order in which they were stored leaves no trace.
    private func seal(_ content: [String: [UInt8]]) throws -> [UInt8] {
        let object = JSONObject(
            content.sorted { $0.key < $1.key }.map { ($0.key, .string(Base64URL.encode($0.value))) })
        let text = JSONValue.object(object).serialized()
        let box = try AES.GCM.seal(text, using: try keySource.keyMadeIfMissing(), authenticating: Self.magic)
        // Absent only for a nonce of another length than the standard one, which this one has.
        guard let sealed = box.combined else { throw AuthError.storeUnavailable }
        return Self.magic + sealed
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
