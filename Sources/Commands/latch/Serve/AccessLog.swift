// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LatchCommand
import LatchCore
import LatchHTTP
import LatchIdentity
import LatchServer
import PortableFoundation
import Synchronization

/// The form of the access log: text, JSON, logfmt, or none.
enum AccessLogFormat: String {
    case text, json, logfmt, off

    /// Parses the setting `access_log`.
    init(_ text: String) throws(CommandError) {
        guard let format = Self(rawValue: text.lowercased()) else {
            throw .failed(
                "The setting 'access_log' must be text, json, logfmt or off.", hint: "Leave it out for text.")
        }
        self = format
    }
}

/// The access log of a server: one line per request, without query, header fields and content, and one more for a slow
/// request, which names its route instead of its path, and for a slow statement of the store.
final class AccessLog: Sendable {
    /// The maximum number of lines that wait for a slow reader of the log; further lines are dropped.
    private static let maximumWaiting = 10_000

    private let format: AccessLogFormat
    /// The milliseconds from which a request is slow; nil if none is.
    private let slowest: Double?
    private let output: Environment.Output
    /// A thread of its own, so that a full pipe blocks no request.
    private let queue = DispatchQueue(label: "latch.access-log")
    private let waiting = Mutex(0)

    /// Creates a log; 0 milliseconds stand for no slow requests.
    init(_ format: AccessLogFormat, slowAfterMilliseconds slowest: Int = 0, _ output: Environment.Output) {
        self.format = format
        self.slowest = slowest == 0 ? nil : Double(slowest)
        self.output = output
    }

    /// Returns a handler that logs the requests to another one.
    func logging(_ handler: any Handler) -> any Handler {
        guard format != .off || slowest != nil else { return handler }
        return handler.intercepted(by: [RequestIDInterceptor(), AccessLogInterceptor { [self] in write($0) }])
    }

    /// Logs the statements of the store that take at least as many milliseconds, without their values; 0 stands for none.
    func watchStatements(slowAfterMilliseconds threshold: Int) {
        guard threshold > 0 else { return }
        StatementWatch.report(slowerThan: .milliseconds(threshold)) { [self] statement, duration in
            let date = Date()
            enqueue { [self] in output.line(Self.statementLine(statement, duration, date, format)) }
        }
    }

    /// Waits until all lines are written.
    func flush() { queue.sync {} }

    private func write(_ entry: AccessLogEntry) {
        let isSlow = slowest.map { entry.milliseconds >= $0 } ?? false
        guard isSlow || format != .off else { return }
        let date = Date()
        enqueue { [self] in
            if format != .off { output.line(Self.line(entry, date, format)) }
            if isSlow { output.line(Self.slowLine(entry, date, format)) }
        }
    }

    /// Writes on the log's thread, unless too much waits for it.
    private func enqueue(_ write: @escaping @Sendable () -> Void) {
        let isAccepted = waiting.withLock { waiting in
            guard waiting < Self.maximumWaiting else { return false }
            waiting += 1
            return true
        }
        guard isAccepted else { return }
        queue.async { [self] in
            write()
            waiting.withLock { $0 -= 1 }
        }
    }

    /// Returns the line of an entry.
    static func line(_ entry: AccessLogEntry, _ date: Date, _ format: AccessLogFormat) -> String {
        let time = date.formatted(.iso8601)
        guard format == .text else {
            return structured(
                [
                    "time": .string(time), "method": .string(entry.method.rawValue), "path": .string(entry.path),
                    "status": entry.statusCode, "milliseconds": .number(entry.milliseconds),
                    "request_id": entry.requestID.map { .string($0) } ?? .null,
                ], format)
        }
        let status = entry.status.map { String($0.rawValue) } ?? "-"
        return
            "\(time) \(entry.method.rawValue) \(entry.path) \(status) \(entry.milliseconds)ms \(entry.requestID ?? "-")"
            .printable
    }

    /// Returns the line of a slow request, which names no resource: its path may hold an identifier.
    static func slowLine(_ entry: AccessLogEntry, _ date: Date, _ format: AccessLogFormat) -> String {
        let (time, route) = (date.formatted(.iso8601), entry.route ?? "-")
        guard format == .json || format == .logfmt else {
            let status = entry.status.map { String($0.rawValue) } ?? "-"
            return
                "\(time) slow \(entry.method.rawValue) \(route) \(status) \(entry.milliseconds)ms \(entry.requestID ?? "-")"
                .printable
        }
        return structured(
            [
                "time": .string(time), "event": "slow_request", "method": .string(entry.method.rawValue),
                "route": .string(route), "status": entry.statusCode, "milliseconds": .number(entry.milliseconds),
                "request_id": entry.requestID.map { .string($0) } ?? .null,
            ], format)
    }

    /// Returns the line of a slow statement, whose text has placeholders for its values.
    static func statementLine(
        _ statement: String, _ duration: Duration, _ date: Date, _ format: AccessLogFormat
    ) -> String {
        let milliseconds = (duration.inSeconds * 10_000).rounded() / 10
        let text = statement.unicodeScalars.split { $0 == " " || $0 == "\n" }.map { String($0) }.joined(separator: " ")
        let time = date.formatted(.iso8601)
        guard format == .json || format == .logfmt else {
            return "\(time) slow query \(milliseconds)ms \(text)".printable
        }
        return structured(
            [
                "time": .string(time), "event": "slow_query", "milliseconds": .number(milliseconds),
                "statement": .string(text),
            ], format)
    }

    /// Returns an object as JSON, or as words `name=value` with the value as JSON where it is not a plain word.
    private static func structured(_ object: JSONObject, _ format: AccessLogFormat) -> String {
        guard format == .logfmt else { return String(decoding: JSONValue.object(object).serialized(), as: UTF8.self) }
        return object.compactMap { name, value in
            guard !value.isNull else { return nil }
            if let text = value.stringValue, text.isLogfmtWord { return "\(name)=\(text)" }
            return "\(name)=\(String(decoding: value.serialized(), as: UTF8.self))"
        }.joined(separator: " ").printable
    }
}

extension AccessLogEntry {
    /// The duration in milliseconds with one decimal.
    fileprivate var milliseconds: Double { (duration.inSeconds * 10_000).rounded() / 10 }

    /// The status as a number; null if the endpoint threw an error.
    fileprivate var statusCode: JSONValue { status.map { .integer(Int64($0.rawValue)) } ?? .null }
}

extension String {
    /// Whether logfmt needs no quotation marks for the text.
    fileprivate var isLogfmtWord: Bool {
        !utf8.isEmpty && utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x3D && $0 != 0x5C }
    }
}

/// A mailer that logs the mails that another one failed to send, without their recipient and text.
struct LoggingMailer: Mailer {
    let next: any Mailer
    let log: Environment.Output

    func send(_ message: MailMessage) async throws {
        do {
            try await next.send(message)
        } catch {
            let reason = CommandError(describing: error).message.split(whereSeparator: \.isNewline).joined(
                separator: " ")
            log.line("latch: the mail '\(message.subject)' was not sent: \(reason)".printable)
            throw error
        }
    }
}
