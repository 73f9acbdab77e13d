// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// A URL session with an application's configuration, but without redirects, cookies and stored passwords.
package final class GuardedSession: Sendable {
    private let session: URLSession

    /// Creates a copy of `session` that follows no redirects, and stores no cookies and no passwords.
    package init(_ session: URLSession) {
        let configuration = session.configuration
        // LatchHTTP decides about cookies and passwords: none may be shared with other requests of the application.
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        self.session = URLSession(configuration: configuration, delegate: RedirectBlocker(), delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Performs a request.
    package func exchange(
        _ request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try await session.exchange(request, delegate: delegate)
    }
}

/// A delegate that follows no redirect: LatchHTTP does, and drops credentials on the way to another origin.
private final class RedirectBlocker: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}

extension URLSession {
    /// Performs a request; cancelling the Swift task cancels the session task.
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
