// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// A URL session, or a replacement for tests.
public protocol URLSessionProtocol: Sendable {
    /// Performs a request.
    func requestData(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (Data, URLResponse)
}

extension URLSessionProtocol {
    /// Performs a request without a delegate.
    public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        try await requestData(for: request, delegate: nil)
    }

    /// The session as a transport of LatchHTTP.
    var handler: any Handler {
        let session: any URLSessionProtocol = (self as? URLSession).map(GuardedSession.init) ?? self
        return FoundationHandler { try await session.requestData(for: $0, delegate: $1.taskDelegate) }
    }
}

private enum TaskDelegate: HTTPContextKey {
    static var defaultValue: (any URLSessionTaskDelegate)? { nil }
}

extension HTTPRequest {
    /// The delegate of the session task that sends the request.
    var taskDelegate: (any URLSessionTaskDelegate)? {
        get { context[TaskDelegate.self] }
        set { if newValue != nil || taskDelegate != nil { context[TaskDelegate.self] = newValue } }
    }
}

extension URLSession: URLSessionProtocol {
    /// Performs a request; canceling the Swift task cancels the session task.
    public func requestData(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (Data, URLResponse) {
        try await exchange(request, delegate: delegate)
    }
}

extension GuardedSession: URLSessionProtocol {
    package func requestData(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (Data, URLResponse) {
        try await exchange(request, delegate: delegate)
    }
}
