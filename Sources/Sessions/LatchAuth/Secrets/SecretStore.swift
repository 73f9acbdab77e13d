// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// Named bytes in a safe place: a keychain, a secret service, an encrypted file, or memory.
public protocol SecretStore: Sendable {
    /// The bytes kept under `name`; nil only when there are none.
    ///
    /// - Throws: `AuthError` with a `store…` code when the store cannot tell.
    func read(_ name: String) async throws -> [UInt8]?

    /// Keeps `secret` under `name`, durably and atomically: a failure or a crash leaves the earlier bytes.
    func write(_ secret: [UInt8], for name: String) async throws

    /// Forgets what is kept under `name`; forgetting nothing is no error.
    func remove(_ name: String) async throws

    /// The names under which something is kept, sorted.
    func names() async throws -> [String]
}

/// A secret store that ends with the process.
public final class MemorySecretStore: SecretStore {
    private let kept = Mutex<[String: [UInt8]]>([:])

    /// An empty store.
    public init() {}

    /// The bytes kept under `name`.
    public func read(_ name: String) -> [UInt8]? { kept.withLock { $0[name] } }

    /// Keeps `secret` under `name`.
    public func write(_ secret: [UInt8], for name: String) { kept.withLock { $0[name] = secret } }

    /// Forgets what is kept under `name`.
    public func remove(_ name: String) { kept.withLock { $0[name] = nil } }

    /// The names under which something is kept, sorted.
    public func names() -> [String] { kept.withLock { $0.keys.sorted() } }
}
