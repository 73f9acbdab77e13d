// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// One method of a generated fake: what it answers, and what it was called with.
///
/// A method without an answer fails with `unimplemented`, as one that the server does not have.
public final class RPCFakeMethod<Request: Sendable, Answer: Sendable>: Sendable {
    private let name: String
    private let state = Mutex(State())

    private struct State: Sendable {
        var answer: (@Sendable (Request) async throws -> Answer)?
        var requests: [Request] = []
    }

    /// A method without an answer.
    ///
    /// - Parameter name: The full name, for errors.
    public init(_ name: String) { self.name = name }

    /// What the method answers; nil for an error.
    public var answer: (@Sendable (Request) async throws -> Answer)? {
        get { state.withLock { $0.answer } }
        set { state.withLock { $0.answer = newValue } }
    }

    /// What the method was called with, the first call first.
    public var requests: [Request] { state.withLock { $0.requests } }

    /// Notes the request, and answers it.
    public func call(_ request: Request) async throws -> Answer {
        let answer = state.withLock { state in
            state.requests.append(request)
            return state.answer
        }
        guard let answer else { throw RPCError(.unimplemented, "The fake has no answer for \(name).") }
        return try await answer(request)
    }
}
