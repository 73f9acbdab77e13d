// SPDX-License-Identifier: Apache-2.0

public import LatchHTTP
import Synchronization

/// A handler that responds as a test specifies, and records the requests.
///
/// ```swift
/// let api = ScriptedHandler([.success(HTTPResponse(status: .serviceUnavailable)), .success(HTTPResponse(status: .ok))])
/// let client = Client(baseURL: url, transport: api)
/// …
/// #expect(api.requests.map(\.path) == ["/notes", "/notes"])
/// ```
public final class ScriptedHandler: Handler {
    private struct State {
        var requests: [HTTPRequest] = []
        var responses: [Result<HTTPResponse, any Error>]
    }

    private let body: (@Sendable (HTTPRequest) async throws -> HTTPResponse)?
    private let state: Mutex<State>

    /// Creates a handler that responds to each request by a closure.
    public init(_ respond: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse) {
        body = respond
        state = Mutex(State(responses: []))
    }

    /// Creates a handler that responds to the first requests from a list, in order; each further request fails.
    public init(_ responses: [Result<HTTPResponse, any Error>]) {
        body = nil
        state = Mutex(State(responses: responses))
    }

    /// The requests so far, in the order of their arrival.
    public var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// Records the request, and responds.
    ///
    /// - Throws: The errors of the script, and `UnexpectedRequest` when a list is used up.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let next = state.withLock { state -> Result<HTTPResponse, any Error>? in
            state.requests.append(request)
            return state.responses.isEmpty ? nil : state.responses.removeFirst()
        }
        if let body { return try await body(request) }
        guard let next else { throw UnexpectedRequest(request) }
        return try next.get()
    }
}

/// An error for a request without a response in the test.
public struct UnexpectedRequest: Error, CustomStringConvertible {
    /// The method and the path, without the query.
    public let description: String

    init(_ request: HTTPRequest) {
        description = "unexpected request: \(request.method) \(request.pathWithoutQuery)"
    }
}
