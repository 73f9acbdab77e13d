// SPDX-License-Identifier: Apache-2.0

/// A session of the program's own with its configuration, but without what would go behind the provider's back.
final class GuardedSession: URLSessionProtocol {
    private let session: URLSession

    init(_ session: URLSession) {
        let configuration = session.configuration
        // Cookies and passwords of other requests must not be added here, nor those of these kept there.
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        self.session = URLSession(configuration: configuration, delegate: RefusesRedirects(), delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    func requestData(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (Data, URLResponse) {
        try await session.requestData(for: request, delegate: delegate)
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
