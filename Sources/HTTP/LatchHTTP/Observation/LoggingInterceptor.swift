// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// Writes a line about each request, and no secret with it.
///
/// ```swift
/// LoggingInterceptor { entry in print(entry) }
/// // POST https://api.example.com/notes/*?page=* → 201 in 12.3 ms, 34 B sent, 120 B received
/// ```
///
/// It is redacting by construction: an entry is made of what is on a list of harmless things, and of nothing else. No
/// content, no value of a field or a query that is not named in the options, and no description of an error gets in.
public struct LoggingInterceptor: Interceptor {
    /// Shows content; nil for what it does not want to show.
    public typealias ContentFormatter = @Sendable (HTTPBody) -> String?

    private let options: LoggingOptions
    private let clock: WallClock
    private let formatter: ContentFormatter?
    private let write: @Sendable (LogEntry) -> Void

    /// An interceptor that hands each entry to `write`, which must not block.
    ///
    /// - Parameters:
    ///   - options: What is shown beside the usual, and from which level on.
    ///   - formatter: Shows the content of requests and answers, where debugging. Content holds passwords and tokens more
    ///     often than not: give one only where you know that yours does not, or takes them out.
    public init(
        _ options: LoggingOptions = LoggingOptions(), clock: WallClock = .system,
        showingContentThatMayHoldSecretsBy formatter: ContentFormatter? = nil,
        to write: @escaping @Sendable (LogEntry) -> Void
    ) {
        self.options = options
        self.clock = clock
        self.formatter = formatter
        self.write = write
    }

    /// Asks `next` and writes what came of it; where debugging, also that it begins.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        let began = clock.uptime
        if options.minimumLevel == .debug { write(beginning(of: request)) }
        do {
            let response = try await next.respond(to: request)
            let level = Self.level(of: response.status)
            if level >= options.minimumLevel { write(end(of: request, began, level, response)) }
            return response
        } catch {
            let level = Self.level(of: error)
            if level >= options.minimumLevel { write(end(of: request, began, level, error)) }
            throw error
        }
    }

    /// A refusal is no failure of ours, and a cancellation is somebody's wish.
    private static func level(of status: HTTPStatus) -> LogLevel {
        if status.rawValue < 300 || status.rawValue == 304 { return .info }
        return status.rawValue < 500 ? .warning : .error
    }

    private static func level(of error: any Error) -> LogLevel {
        error is CancellationError || HTTPError.cancelled ~= error ? .info : .error
    }

    private func beginning(of request: HTTPRequest) -> LogEntry {
        var entry = entry(.debug, request)
        entry.fields = shown(request.fields, of: request)
        entry.content = content(request.body)
        return entry
    }

    private func end(
        of request: HTTPRequest, _ began: Duration, _ level: LogLevel, _ response: HTTPResponse
    ) -> LogEntry {
        var entry = entry(level, request)
        entry.duration = clock.uptime - began
        entry.status = response.status.rawValue
        entry.receivedBytes = response.body.length
        entry.requestID = response.fields[.requestID].flatMap(LogText.identifier) ?? entry.requestID
        if options.minimumLevel == .debug {
            entry.fields = shown(response.fields, of: request)
            entry.content = content(response.body)
        }
        return entry
    }

    private func end(of request: HTTPRequest, _ began: Duration, _ level: LogLevel, _ error: any Error) -> LogEntry {
        var entry = entry(level, request)
        entry.duration = clock.uptime - began
        entry.errorCode = LogText.errorCode((error as? any CodedError)?.code, of: error)
        return entry
    }

    private func entry(_ level: LogLevel, _ request: HTTPRequest) -> LogEntry {
        var entry = LogEntry(
            level: level, method: LogText.method(request.method), origin: LogText.origin(request),
            target: LogText.target(request, showing: options.queryNames, hidingPath: options.hidesPaths),
            attempt: request.attempt, sentBytes: request.body.length)
        entry.requestID = request.fields[.requestID].flatMap(LogText.identifier)
        entry.traceID = request.trace?.traceID
        return entry
    }

    /// The fields on the list, without those that carry a credential whatever the list says.
    private func shown(_ fields: HTTPFields, of request: HTTPRequest) -> [String] {
        fields.compactMap { line in
            guard options.fieldNames.contains(line.name), !request.isCredential(line.name),
                !Self.neverShown.contains(line.name)
            else { return nil }
            return "\(LogText.printable(line.name.rawName, upTo: 64)): \(LogText.printable(line.value, upTo: 128))"
        }
    }

    private static let neverShown: Set<HTTPFieldName> = [
        .setCookie, "Authentication-Info", "Proxy-Authentication-Info",
    ]

    private func content(_ body: HTTPBody) -> String? {
        guard let formatter, !body.isEmpty else { return nil }
        return formatter(body).map { LogText.printable($0, upTo: 4096) }
    }
}
