// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import Synchronization

/// An interceptor that logs each request and each failure without secrets.
///
/// LatchHTTP writes only allowed parts: words of a path, names of query parameters, the status, sizes. The text
/// contains no content, no credential and no value of a query.
public actor LoggingInterceptor: RequestInterceptor {
    private let logger: NevodLogger
    private let options: LoggingOptions

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - logger: The logger; nil writes all requests to the unified log, or to standard error on Linux.
    ///   - hideHeaderFields: Fields to omit; fields with credentials are always omitted.
    public init(
        logger: NevodLogger? = nil,
        hideHeaderFields: [String] = ["password", "bearer", "email", "authorization"]
    ) {
        self.logger = logger ?? NevodLogger(config: .requests)
        var options = LoggingOptions(minimumLevel: .debug)
        for name in hideHeaderFields { options.fieldNames.remove(HTTPFieldName(name)) }
        self.options = options
    }

    /// Logs the request and returns it unchanged.
    public func adapt(_ request: URLRequest) async throws -> URLRequest {
        let entries = await entries(of: request) { _ in throw HTTPError.cancelled }
        guard let first = entries.first else { return request }
        await logger.info("→ \(first.method) \(first.origin)\(first.target)", payload: payload(of: first))
        await logger.debug("Fields: \(first.fields.joined(separator: "; "))")
        return request
    }

    /// Logs the failure and returns false.
    public func retry(_ request: URLRequest, response: HTTPURLResponse?, error: NetworkError) async throws -> Bool {
        let entries = await entries(of: request) { _ in
            guard let response else { throw error }
            return HTTPResponse(response, data: Data())
        }
        guard let last = entries.last else { return false }
        let outcome = last.status.map { "HTTP \($0)" } ?? error.name
        var payload = payload(of: last)
        payload["status_code"] = last.status.map(String.init)
        payload["error"] = error.name
        await logger.error("← \(last.method) \(last.origin)\(last.target) - \(outcome)", payload: payload)
        return false
    }

    private func payload(of entry: LogEntry) -> [String: String] {
        ["method": entry.method, "url": entry.origin + entry.target]
    }

    /// Returns the entries that LatchHTTP logs for a request and its response.
    private func entries(
        of request: URLRequest, respond: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) async -> [LogEntry] {
        let entries = Mutex<[LogEntry]>([])
        let log = LatchHTTP.LoggingInterceptor(options) { entry in entries.withLock { $0.append(entry) } }
        do {
            let message = try HTTPRequest(request)
            _ = try await log.intercept(message, next: ClosureHandler(respond))
        } catch {
            // The log contains the error.
        }
        return entries.withLock { $0 }
    }
}
