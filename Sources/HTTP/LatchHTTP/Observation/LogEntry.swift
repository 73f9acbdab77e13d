// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// A log entry about one request, which holds only data that is safe to show.
///
/// It keeps no reference to the request or the response, so a log handler cannot read more than the entry shows.
public struct LogEntry: Sendable, Hashable, CustomStringConvertible {
    /// The severity.
    public let level: LogLevel
    /// The request's method, such as `GET`.
    public let method: String
    /// The scheme, host and port.
    public let origin: String
    /// The path and the query, with `*` for redacted parts.
    public let target: String
    /// The number of the attempt, from 1, if the interceptor is inside `RetryInterceptor`.
    public let attempt: Int
    /// The number of bytes of content to send; nil if it is not known in advance.
    public let sentBytes: Int?
    /// The status of the response; nil if there is none, or not yet.
    public internal(set) var status: Int?
    /// The number of bytes of content received; nil for a stream and without a response.
    public internal(set) var receivedBytes: Int?
    /// The code of the error, or the name of its type; nil if there is a response.
    public internal(set) var errorCode: String?
    /// The duration from the request to its response; nil at the start of a request.
    public internal(set) var duration: Duration?
    /// The request identifier, which correlates the entry with the server's log.
    public internal(set) var requestID: String?
    /// The identifier of the trace that the request is part of.
    public internal(set) var traceID: String?
    /// The fields of the message that the options allow; only at debug level.
    package internal(set) var fields: [String] = []
    /// The content as the caller's formatter shows it; nil without a formatter.
    package internal(set) var content: String?

    /// The entry as one line, followed by the content if there is any.
    public var description: String {
        var text = "\(method) \(origin)\(target)"
        if let status { text += " → \(status)" }
        if let errorCode { text += " → \(errorCode)" }
        if let duration { text += " in \(Self.milliseconds(duration)) ms" }
        if let sentBytes, sentBytes > 0 { text += ", \(sentBytes) B sent" }
        if let receivedBytes { text += ", \(receivedBytes) B received" }
        if attempt > 1 { text += ", attempt \(attempt)" }
        if let requestID { text += ", request \(requestID)" }
        if let traceID { text += ", trace \(traceID)" }
        if !fields.isEmpty { text += " [" + fields.joined(separator: "; ") + "]" }
        if let content { text += "\n" + content }
        return text
    }

    private static func milliseconds(_ duration: Duration) -> String {
        let tenths = Int64((duration.inSeconds * 10_000).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}

/// The severity of a log entry.
public enum LogLevel: Sendable, Hashable, Comparable, CaseIterable {
    /// Information for debugging: the start of requests, and harmless fields.
    case debug
    /// A success.
    case info
    /// A rejection: a status from 400 to 499, or a redirect that was not followed.
    case warning
    /// A failure: no response, or a status from 500 on.
    case error
}
