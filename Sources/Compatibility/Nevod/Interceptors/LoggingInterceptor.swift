// SPDX-License-Identifier: Apache-2.0

import LatchCore
import FoundationBridge
import LatchHTTP
import Synchronization

/// Logs each request and each failure, and no secret with it.
///
/// The core writes the text, out of what is on a list of harmless things: words of a path, names of query parameters,
/// the status, sizes. No content, no credential and no value of a query is among them.
public actor LoggingInterceptor: RequestInterceptor {
    private let logger: NevodLogger
    private let options: LoggingOptions

    /// An interceptor.
    ///
    /// - Parameters:
    ///   - logger: Where the lines go.
    ///   - hideHeaderFields: Fields that are not shown although they are harmless to most; those that carry credentials
    ///     never are, and no list is needed for them.
    public init(
        logger: NevodLogger = NevodLogger(
            config: .oslog(subsystem: "com.nevod.network", category: "LoggingInterceptor")),
        hideHeaderFields: [String] = ["password", "bearer", "email", "authorization"]
    ) {
        self.logger = logger
        var options = LoggingOptions(minimumLevel: .debug)
        for name in hideHeaderFields { options.fieldNames.remove(HTTPFieldName(name)) }
        self.options = options
    }

    /// Logs the request, and changes nothing.
    public func adapt(_ request: URLRequest) async throws -> URLRequest {
        let entries = await entries(of: request) { _ in throw HTTPError.cancelled }
        guard let begun = entries.first else { return request }
        await logger.info("→ \(begun.method) \(begun.origin)\(begun.target)", payload: payload(of: begun))
        await logger.debug("Fields: \(begun.fields.joined(separator: "; "))")
        return request
    }

    /// Logs the failure, and sends nothing again.
    public func retry(_ request: URLRequest, response: HTTPURLResponse?, error: NetworkError) async throws -> Bool {
        let entries = await entries(of: request) { _ in
            guard let response else { throw error }
            return HTTPResponse(response, data: Data())
        }
        guard let ended = entries.last else { return false }
        let outcome = ended.status.map { "HTTP \($0)" } ?? error.name
        var payload = payload(of: ended)
        payload["status_code"] = ended.status.map(String.init)
        payload["error"] = error.name
        await logger.error("← \(ended.method) \(ended.origin)\(ended.target) - \(outcome)", payload: payload)
        return false
    }

    private func payload(of entry: LogEntry) -> [String: String] {
        ["method": entry.method, "url": entry.origin + entry.target]
    }

    /// What the core's log says about a request and what comes of it.
    private func entries(
        of request: URLRequest, answer: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) async -> [LogEntry] {
        let entries = Mutex<[LogEntry]>([])
        let log = LatchHTTP.LoggingInterceptor(options) { entry in entries.withLock { $0.append(entry) } }
        do {
            let message = try HTTPRequest(request)
            _ = try await log.intercept(message, next: HandlerFunction(answer))
        } catch {
            // It is logged; nobody waits for it here.
        }
        return entries.withLock { $0 }
    }
}
