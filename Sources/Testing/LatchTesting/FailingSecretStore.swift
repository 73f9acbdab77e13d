// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchCore
import Synchronization

/// A secret store that fails after some calls, like a store that is locked or removed during use.
public final class FailingSecretStore: SecretStore {
    private let store: any SecretStore
    private let error: AuthError
    private let remaining: Mutex<Int>

    /// Creates a store in front of another one.
    ///
    /// - Parameters:
    ///   - store: The store that gets the first calls.
    ///   - calls: The number of calls before the first failure.
    ///   - error: The error of all later calls.
    public init(_ store: any SecretStore, after calls: Int, with error: AuthError) {
        self.store = store
        self.error = error
        remaining = Mutex(calls)
    }

    /// Returns the secret for `name`.
    public func read(_ name: String) async throws -> [UInt8]? {
        try pass()
        return try await store.read(name)
    }

    /// Stores `secret` for `name`.
    public func write(_ secret: [UInt8], for name: String) async throws {
        try pass()
        try await store.write(secret, for: name)
    }

    /// Removes the secret for `name`.
    public func remove(_ name: String) async throws {
        try pass()
        try await store.remove(name)
    }

    /// Returns the names of the secrets.
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
