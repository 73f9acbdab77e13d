// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// One method of a generated fake service: a handler and the requests it has received.
///
/// A method without a handler fails with `unimplemented`, as if the server did not have the method.
public final class RPCFakeMethod<Request: Sendable, Response: Sendable>: Sendable {
    private let name: String
    private let state = Mutex(State())

    private struct State: Sendable {
        var handler: (@Sendable (Request) async throws -> Response)?
        var requests: [Request] = []
    }

    /// Creates a method without a handler.
    ///
    /// - Parameter name: The full name of the method, for error messages.
    public init(_ name: String) { self.name = name }

    /// The handler of the method; nil makes calls fail.
    public var handler: (@Sendable (Request) async throws -> Response)? {
        get { state.withLock { $0.handler } }
        set { state.withLock { $0.handler = newValue } }
    }

    /// The requests so far, oldest first.
    public var requests: [Request] { state.withLock { $0.requests } }

    /// Records a request and calls the handler.
    public func call(_ request: Request) async throws -> Response {
        let handler = state.withLock { state in
            state.requests.append(request)
            return state.handler
        }
        guard let handler else { throw RPCError(.unimplemented, "The fake has no handler for \(name).") }
        return try await handler(request)
    }
}
