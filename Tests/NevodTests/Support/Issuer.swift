// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import Nevod
import Synchronization

/// An issuer that exchanges each token once, and repeats its response to the same idempotency key.
final class Issuer: Sendable {
    private struct State {
        var exchanges: [String: (key: String, successor: String)] = [:]
        var count = 0
        var wasReused = false
    }

    private let state = Mutex(State())

    /// The number of tokens that it has issued.
    var count: Int { state.withLock { $0.count } }

    /// Whether a token was exchanged under two keys, which an issuer takes for theft.
    var wasReused: Bool { state.withLock { $0.wasReused } }

    /// The keys of the exchanges.
    var keys: [String] { state.withLock { $0.exchanges.values.map(\.key) } }

    func exchange(_ token: Token?, key: String) throws -> Token {
        try state.withLock { state in
            let old = token?.value ?? ""
            if let known = state.exchanges[old] {
                guard known.key == key else {
                    state.wasReused = true
                    throw NetworkError.unauthorized
                }
                return Token(value: known.successor)
            }
            state.count += 1
            state.exchanges[old] = (key, "fresh-\(state.count)")
            return Token(value: "fresh-\(state.count)")
        }
    }
}

/// A storage of a program that is killed: after some writes it fails for good.
final class KilledStorage: KeyValueStorage {
    private let inner: InMemoryStorage
    private let remainingWrites: Mutex<Int>

    init(_ inner: InMemoryStorage, afterWrites writes: Int) {
        self.inner = inner
        remainingWrites = Mutex(writes)
    }

    private func write() throws {
        try remainingWrites.withLock { writes in
            guard writes > 0 else { throw AuthError.storeUnavailable }
            writes -= 1
        }
    }

    func string(for key: StorageKey) -> String? { inner.string(for: key) }
    func data(for key: StorageKey) -> Data? { inner.data(for: key) }
    func set(_ value: String?, for key: StorageKey) throws {
        try write()
        inner.set(value, for: key)
    }
    func set(_ value: Data?, for key: StorageKey) throws {
        try write()
        inner.set(value, for: key)
    }
    func remove(for key: StorageKey) throws {
        try write()
        inner.remove(for: key)
    }
}
