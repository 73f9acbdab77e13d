// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchHTTP
import Synchronization

/// A URL session with an application's configuration and delegate, but without redirects, cookies and stored passwords.
///
/// The delegate still decides about everything else, such as the trust in a server's key. It receives the calls of this
/// session instead of those of the application's session.
package final class GuardedSession: Sendable {
    /// The session; nil if the configuration is not supported.
    private let session: URLSession?

    /// Creates a copy of `session` that follows no redirects, and stores no cookies and no passwords.
    package init(_ session: URLSession) {
        let configuration = session.configuration
        guard configuration.identifier == nil else {
            self.session = nil
            return
        }
        // LatchHTTP handles cookies and passwords, so they must not be shared with the application's other requests.
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        self.session = URLSession(
            configuration: configuration, delegate: DelegateForwarder(to: session.delegate),
            delegateQueue: session.delegate == nil ? nil : session.delegateQueue)
    }

    deinit { session?.finishTasksAndInvalidate() }

    /// Performs a request.
    ///
    /// - Throws: `HTTPError.backgroundSession`, and the errors of URLSession.
    package func exchange(
        _ request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        guard let session else { throw HTTPError.backgroundSession }
        return try await session.exchange(request, delegate: delegate.map { DelegateForwarder(to: $0) })
    }
}

extension HTTPError {
    /// The session has a background configuration, whose tasks cannot return a response to their caller.
    ///
    /// URLSession documents that they accept no completion handlers.
    package static let backgroundSession = HTTPError(
        code: "backgroundSession", message: "A background URL session cannot send a request and await its response.",
        hint: "Pass a session with the configuration default or ephemeral.")
}

extension URLSession {
    /// Performs a request; canceling the Swift task cancels the session task.
    package func exchange(
        _ request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        let sessionTask = Mutex<URLSessionDataTask?>(nil)
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
                sessionTask.withLock { $0 = task }
                if Task.isCancelled { task.cancel() }
                task.resume()
            }
        } onCancel: {
            sessionTask.withLock { $0 }?.cancel()
        }
    }
}
