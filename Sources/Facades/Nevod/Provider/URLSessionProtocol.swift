// SPDX-License-Identifier: Apache-2.0

import LatchCore
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
    var handler: any Handler { SessionHandler(session: (self as? URLSession).map(GuardedSession.init) ?? self) }
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

/// Sends requests of the core through a session.
private struct SessionHandler: Handler {
    /// A stream would have to be in memory for it: more than this is refused.
    static let largestStream = 64 << 20

    let session: any URLSessionProtocol

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        try request.validateForSending()
        var request = request
        request.body = HTTPBody(try await request.body.collected(upTo: Self.largestStream))
        let (data, response) = try await answer(to: request)
        guard let response = response as? HTTPURLResponse else { throw HTTPError.malformedMessage }
        return HTTPResponse(response, data: data)
    }

    /// Failures in the core's words, so that its retries know them.
    private func answer(to request: HTTPRequest) async throws -> (Data, URLResponse) {
        do {
            return try await session.requestData(for: try URLRequest(request), delegate: request.taskDelegate)
        } catch let error as URLError {
            switch NetworkError(error) {
            case .timeout: throw HTTPError.timeout
            case .noConnection: throw HTTPError.offline
            case .cancelled: throw HTTPError.cancelled
            default: throw error
            }
        }
    }
}

extension URLSession: URLSessionProtocol {
    /// The content and the head of the answer to one task.
    ///
    /// The task is cancelled with the Swift task.
    public func requestData(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (Data, URLResponse) {
        let running = Lock<URLSessionDataTask?>(nil)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let task = dataTask(with: request) { data, response, error in
                    if let response, error == nil {
                        continuation.resume(returning: (data ?? Data(), response))
                    } else {
                        continuation.resume(throwing: error ?? URLError(.badServerResponse))
                    }
                }
                task.delegate = delegate
                running.withLock { $0 = task }
                if Task.isCancelled { task.cancel() }
                task.resume()
            }
        } onCancel: {
            running.withLock { $0 }?.cancel()
        }
    }
}
