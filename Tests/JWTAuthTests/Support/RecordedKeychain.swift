// SPDX-License-Identifier: Apache-2.0

import JWTAuth
import LatchAuth
import LatchCore
import Synchronization

/// A keychain whose accesses are counted, and which fails when it is told to.
final class RecordedKeychain: SecretStore {
    struct State: Sendable {
        var reads = 0
        var writes: [String] = []
        var readFailure: AuthError?
        var writeFailure: AuthError?
    }

    let state = Mutex(State())
    let memory = InMemorySecretStore()

    func read(_ name: String) throws -> [UInt8]? {
        try state.withLock { state in
            state.reads += 1
            if let failure = state.readFailure { throw failure }
        }
        return memory.read(name)
    }

    func write(_ secret: [UInt8], for name: String) throws {
        try state.withLock { state in
            if let failure = state.writeFailure { throw failure }
            state.writes.append(String(decoding: secret, as: UTF8.self))
        }
        memory.write(secret, for: name)
    }

    func remove(_ name: String) throws {
        try state.withLock { if let failure = $0.writeFailure { throw failure } }
        memory.remove(name)
    }

    func names() -> [String] { memory.names() }

    var client: KeychainClient { KeychainClient(over: self) }
    var reads: Int { state.withLock { $0.reads } }
    var writes: [String] { state.withLock { $0.writes } }
    func failReads(_ failure: AuthError?) { state.withLock { $0.readFailure = failure } }
    func failWrites(_ failure: AuthError?) { state.withLock { $0.writeFailure = failure } }
}
