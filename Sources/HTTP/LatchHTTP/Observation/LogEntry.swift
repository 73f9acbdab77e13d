// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// A line of a log about one request, made only of what may be shown.
///
/// Every part of it is text, or a number, that was let through: no request or response is kept, so no sink can find
/// in it what is not here.
public struct LogEntry: Sendable, Hashable, CustomStringConvertible {
    /// How much it matters.
    public let level: LogLevel
    /// The method.
    public let method: String
    /// Scheme, host and port.
    public let origin: String
    /// The path and the query, with `*` for what is not shown.
    public let target: String
    /// Which attempt, from 1, where the interceptor stands inside of `RetryInterceptor`.
    public let attempt: Int
    /// How many bytes of content are sent; nil where that is not known before.
    public let sentBytes: Int?
    /// The status of the answer; nil where there is none, or not yet.
    public internal(set) var status: Int?
    /// How many bytes of content came; nil where there is no answer, or it comes as a stream.
    public internal(set) var receivedBytes: Int?
    /// The code of the error, or the name of its type; nil where there is an answer.
    public internal(set) var errorCode: String?
    /// From the request to its answer; nil where it only begins.
    public internal(set) var duration: Duration?
    /// The identifier by which the server's log can be searched.
    public internal(set) var requestID: String?
    /// The trace that the request is part of.
    public internal(set) var traceID: String?
    /// The fields of the message that are on the list of those to show; only where debugging.
    public internal(set) var fields: [String] = []
    /// The content as the caller's own formatter shows it; nil without one.
    public internal(set) var content: String?

    /// One line, with one more for content.
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
        let tenths = Int((duration.inSeconds * 10_000).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
