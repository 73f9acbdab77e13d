// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// An interceptor that logs each request without secrets.
///
/// ```swift
/// LoggingInterceptor { entry in print(entry) }
/// // POST https://api.example.com/notes/*?page=* → 201 in 12.3 ms, 34 B sent, 120 B received
/// ```
///
/// Entries are built from an allow-list of harmless data. They never hold content or error descriptions, nor the values
/// of fields and query parameters that the options do not name.
public struct LoggingInterceptor: Interceptor {
    private let options: LoggingOptions
    private let clock: WallClock
    private let formatter: (@Sendable (HTTPBody) -> String?)?
    private let write: @Sendable (LogEntry) -> Void

    /// Creates an interceptor that passes each entry to `write`, which must not block.
    ///
    /// - Parameters:
    ///   - options: The additional data to log, and the minimum level.
    ///   - clock: The clock that measures the durations.
    ///   - formatter: A function that formats the content of requests and responses at debug level, or returns nil to
    ///     omit it; nil to omit all content. Content often holds passwords and tokens, so pass only a formatter that
    ///     removes them.
    ///   - write: A function that receives each entry.
    public init(
        _ options: LoggingOptions = LoggingOptions(), clock: WallClock = .system,
        showingContentThatMayHoldSecretsBy formatter: (@Sendable (HTTPBody) -> String?)? = nil,
        to write: @escaping @Sendable (LogEntry) -> Void
    ) {
        self.options = options
        self.clock = clock
        self.formatter = formatter
        self.write = write
    }

    /// Calls `next` and logs the result; at debug level also the start.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        let began = clock.uptime
        log(.debug, request) { entry in
            entry.fields = shown(request.fields, of: request)
            entry.content = content(request.body)
        }
        do {
            let response = try await next.respond(to: request)
            log(Self.level(of: response.status), request, since: began) { entry in
                entry.status = response.status.rawValue
                entry.receivedBytes = response.body.length
                entry.requestID = response.fields[.requestID].flatMap(LogRedaction.identifier) ?? entry.requestID
                guard options.minimumLevel == .debug else { return }
                entry.fields = shown(response.fields, of: request)
                entry.content = content(response.body)
            }
            return response
        } catch {
            log(Self.level(of: error), request, since: began) { entry in
                entry.errorCode = LogRedaction.errorCode((error as? any CodedError)?.code, of: error)
            }
            throw error
        }
    }

    /// Returns the level of a status: a rejection is a warning, not an error.
    private static func level(of status: HTTPStatus) -> LogLevel {
        if status.rawValue < 300 || status.rawValue == 304 { return .info }
        return status.rawValue < 500 ? .warning : .error
    }

    private static func level(of error: any Error) -> LogLevel {
        error is CancellationError || HTTPError.cancelled ~= error ? .info : .error
    }

    /// Writes an entry, unless its level is too low.
    private func log(
        _ level: LogLevel, _ request: HTTPRequest, since began: Duration? = nil, _ complete: (inout LogEntry) -> Void
    ) {
        guard level >= options.minimumLevel else { return }
        var entry = LogEntry(
            level: level, method: LogRedaction.method(request.method), origin: LogRedaction.origin(request),
            target: LogRedaction.target(request, showing: options.queryNames, hidingPath: options.hidesPaths),
            attempt: request.attempt, sentBytes: request.body.length)
        entry.requestID = request.fields[.requestID].flatMap(LogRedaction.identifier)
        entry.traceID = request.trace?.traceID
        entry.duration = began.map { clock.uptime - $0 }
        complete(&entry)
        write(entry)
    }

    /// Returns the allowed fields, except those that carry a credential.
    private func shown(_ fields: HTTPFields, of request: HTTPRequest) -> [String] {
        fields.compactMap { line in
            guard options.fieldNames.contains(line.name), !request.isCredential(line.name),
                !Self.neverShown.contains(line.name)
            else { return nil }
            return
                LogRedaction.printable(line.name.rawName, upTo: 64) + ": "
                + LogRedaction.printable(line.value, upTo: 128)
        }
    }

    private static let neverShown: Set<HTTPFieldName> = [
        .setCookie, "Authentication-Info", "Proxy-Authentication-Info",
    ]

    private func content(_ body: HTTPBody) -> String? {
        guard let formatter, !body.isEmpty else { return nil }
        return formatter(body).map { LogRedaction.printable($0, upTo: 4096) }
    }
}

/// The options of a log beyond the defaults: method, origin, words of the path, status, sizes, durations and codes.
///
/// Other data is redacted. Named data is shown unchanged, so do not name anything that may be a secret.
public struct LoggingOptions: Sendable {
    /// The minimum level; entries below it are omitted.
    public var minimumLevel: LogLevel
    /// The fields to show at debug level; fields with credentials are never shown.
    public var fieldNames: Set<HTTPFieldName> = [
        .accept, .contentType, .contentLength, .date, .retryAfter, .userAgent, "Allow", "Content-Encoding", .rateLimit,
    ]
    /// The names of the query parameters whose values are shown, as they are spelled in the URL.
    public var queryNames: Set<String>
    /// Whether the path is redacted unless the request has a `template`.
    ///
    /// Otherwise segments that are words are shown. Random identifiers are not words, but user names may be.
    public var hidesPaths: Bool

    /// Creates options; the default logs from `info` on, redacts query values and shows words of paths.
    public init(minimumLevel: LogLevel = .info, queryNames: Set<String> = [], hidesPaths: Bool = false) {
        self.minimumLevel = minimumLevel
        self.queryNames = queryNames
        self.hidesPaths = hidesPaths
    }
}
