// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LatchCore
import LatchCrypto
import Synchronization

/// A key that a keyring keeps under a random name, which is in the file's header.
///
/// If two programs create a file at the same time, both create a key. The second program then finds the file with the
/// first program's key.
final class KeyringFileKey: SecretFileKeySource {
    private let keyring: any SecretStore
    /// The keys that were read; the key under a name never changes.
    private let known = Mutex<[String: SymmetricKey]>([:])

    init(keyring: any SecretStore) { self.keyring = keyring }

    func prepare(for header: SecretFileHeader?) throws {
        if let header { _ = try key(for: header) }
    }

    func key(for header: SecretFileHeader) throws -> SymmetricKey {
        guard case .keyring(let name) = header.lock else { throw Self.denied("its key is not in a keyring") }
        if let key = known.withLock({ $0[name] }), header.accepts(key) { return key }
        let keyring = keyring
        guard let bytes = try Self.waiting({ try await keyring.read(name) }) else {
            throw Self.denied("its key '\(name)' is not in this keyring")
        }
        let key = SymmetricKey(data: bytes)
        guard header.accepts(key) else { throw Self.denied("the keyring has another key as '\(name)'") }
        known.withLock { $0[name] = key }
        return key
    }

    func makeSeal() throws -> SecretFileSeal {
        let key = SymmetricKey(size: .bits256)
        let name = "key-" + RandomSource.system.identifier()
        let (keyring, bytes) = (keyring, key.withUnsafeBytes(Array.init))
        try Self.waiting { try await keyring.write(bytes, for: name) }
        known.withLock { $0[name] = key }
        return SecretFileSeal(.keyring(name: name), key: key)
    }

    /// Waits for a task on a thread of the store's queue, which may block.
    private static func waiting<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) throws
        -> Result
    {
        let signal = DispatchSemaphore(value: 0)
        // The semaphore orders the write before the read.
        nonisolated(unsafe) var result: Swift.Result<Result, any Error> = .failure(AuthError.storeUnavailable)
        Task.detached {
            do { result = .success(try await body()) } catch { result = .failure(error) }
            signal.signal()
        }
        signal.wait()
        return try result.get()
    }
}
