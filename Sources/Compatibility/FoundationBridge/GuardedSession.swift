// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// A session of the program's own with its configuration, but without what would go behind the core's back.
package final class GuardedSession: Sendable {
    private let session: URLSession

    /// A copy of `session` that follows no redirects, and keeps no cookies and no passwords.
    package init(_ session: URLSession) {
        let configuration = session.configuration
        // Cookies and passwords of other requests must not be added here, nor those of these kept there.
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        self.session = URLSession(configuration: configuration, delegate: RefusesRedirects(), delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// The content and the head of the answer to one task.
    package func exchange(
        _ request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        try await session.exchange(request, delegate: delegate)
    }
}

/// Leaves redirects to the core, which drops credentials where they leave the origin.
private final class RefusesRedirects: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}

extension URLSession {
    /// The content and the head of the answer to one task, which is cancelled with the Swift task.
    package func exchange(
        _ request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) {
        let running = Mutex<URLSessionDataTask?>(nil)
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
