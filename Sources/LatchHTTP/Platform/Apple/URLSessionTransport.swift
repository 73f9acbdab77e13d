// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Foundation

/// Sends requests with URLSession: the system's TLS, proxies, HTTP/2 and HTTP/3.
///
/// Redirects are not followed here and nothing is kept between requests but connections: no cookies, no cache, no
/// credentials.
public final class URLSessionTransport: Handler {
    /// Limits of a transport.
    public struct Configuration: Sendable {
        /// How long one transfer may take in all, unless the request says otherwise.
        public var timeout: Duration = .seconds(60)
        /// How large the content of a response may be.
        public var maximumResponseBytes = 64 << 20
        /// How many connections to one host may be open at once.
        public var maximumConnectionsPerHost = 64

        /// The usual limits.
        public init() {}
    }

    private let configuration: Configuration
    private let session: URLSession

    /// A transport with a session of its own.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        let settings = URLSessionConfiguration.ephemeral
        settings.httpCookieStorage = nil
        settings.httpShouldSetCookies = false
        settings.httpCookieAcceptPolicy = .never
        settings.urlCache = nil
        settings.urlCredentialStorage = nil
        settings.requestCachePolicy = .reloadIgnoringLocalCacheData
        settings.httpMaximumConnectionsPerHost = configuration.maximumConnectionsPerHost
        session = URLSession(configuration: settings)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Sends `request` and collects its response; cancelling the task aborts the transfer.
    ///
    /// - Throws: `HTTPError`: `offline`, `timeout`, `tls`, `cancelled`, `tooLarge`, `malformedMessage`, or
    ///   `invalidURL` and `invalidField` before anything is sent.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        try request.validateForSending()
        let limit = request.timeLimit(usual: configuration.timeout)
        let task = session.dataTask(with: try URLRequest(request, timeout: limit))
        let collector = ResponseCollector(limit: configuration.maximumResponseBytes)
        task.delegate = collector
        // URLRequest's own time starts anew with every packet; this one does not.
        let clock = Task {
            try await Task.sleep(for: limit)
            collector.fail(.timeout)
            task.cancel()
        }
        defer { clock.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                collector.begin(continuation)
                task.resume()
            }
        } onCancel: {
            collector.fail(.cancelled)
            task.cancel()
        }
    }
}

extension URLRequest {
    fileprivate init(_ request: HTTPRequest, timeout: Duration) throws(HTTPError) {
        guard let url = URL(string: request.absoluteURL) else { throw .invalidURL("the system does not understand it") }
        self.init(url: url, timeoutInterval: TimeInterval(timeout.components.seconds) + 1)
        httpMethod = request.method.rawValue
        httpShouldHandleCookies = false
        for line in request.fields where !line.name.isSetByTransport {
            addValue(line.value, forHTTPHeaderField: line.name.rawName)
        }
        // RFC 9110 §8.6: these methods anticipate content, so its absence is said with a length of 0.
        let anticipatesContent = [.post, .put, .patch].contains(request.method)
        if !request.body.isEmpty || anticipatesContent { httpBody = Data(request.body.bytes) }
    }
}
#endif
