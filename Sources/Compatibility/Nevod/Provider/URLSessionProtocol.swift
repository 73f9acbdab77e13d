// SPDX-License-Identifier: Apache-2.0

import FoundationBridge
import LatchHTTP

/// The type of `URLSession.shared`, whichever module it is in.
public typealias URLSessionType = URLSession

/// Sends a request, as a URL session does; a test gives an answer of its own.
public protocol URLSessionProtocol: Sendable {
    /// The content and the head of the answer.
    func requestData(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (Data, URLResponse)
}

extension URLSessionProtocol {
    /// The same without a delegate.
    public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        try await requestData(for: request, delegate: nil)
    }

    /// This session as a transport of the core.
    var handler: any Handler {
        let session: any URLSessionProtocol = (self as? URLSession).map(GuardedSession.init) ?? self
        return FoundationHandler { try await session.requestData(for: $0, delegate: $1.taskDelegate) }
    }
}

private enum TaskDelegate: HTTPContextKey {
    static var defaultValue: (any URLSessionTaskDelegate)? { nil }
}

extension HTTPRequest {
    /// Who is told of a session's task, where a session of the program's own sends the request.
    var taskDelegate: (any URLSessionTaskDelegate)? {
        get { context[TaskDelegate.self] }
        set { if newValue != nil || taskDelegate != nil { context[TaskDelegate.self] = newValue } }
    }
}

extension URLSession: URLSessionProtocol {
    /// The content and the head of the answer to one task.
    ///
    /// The task is cancelled with the Swift task.
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
