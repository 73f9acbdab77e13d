// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchCore
import Synchronization

/// A secret store that works for some calls and then fails, as one does that is locked or unplugged meanwhile.
public final class FailingSecretStore: SecretStore {
    private let store: any SecretStore
    private let error: AuthError
    private let remaining: Mutex<Int>

    /// A store in front of another.
    ///
    /// - Parameters:
    ///   - calls: How many calls it passes on before it fails.
    ///   - error: What it then throws, for ever.
    public init(_ store: any SecretStore, after calls: Int, with error: AuthError) {
        self.store = store
        self.error = error
        remaining = Mutex(calls)
    }

    /// The bytes kept under `name`.
    public func read(_ name: String) async throws -> [UInt8]? {
        try pass()
        return try await store.read(name)
    }

    /// Keeps `secret` under `name`.
    public func write(_ secret: [UInt8], for name: String) async throws {
        try pass()
        try await store.write(secret, for: name)
    }

    /// Forgets what is kept under `name`.
    public func remove(_ name: String) async throws {
        try pass()
        try await store.remove(name)
    }

    /// The names under which something is kept.
    public func names() async throws -> [String] {
        try pass()
        return try await store.names()
    }

    private func pass() throws {
        let fails = remaining.withLock { count in
            guard count > 0 else { return true }
            count -= 1
            return false
        }
        if fails { throw error }
    }
}
