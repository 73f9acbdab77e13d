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
    /// The time for which lines gather, so that a busy server does not wake a thread for each of them.
    private static let delay = DispatchTimeInterval.milliseconds(10)
    /// The maximum number of lines that wait for a slow reader of the log; further lines are dropped.
    private static let maximumWaiting = 10_000

    private let format: AccessLogFormat
    /// The milliseconds from which a request is slow; nil if none is.
    private let slowest: Double?
    private let output: Environment.Output
    /// A thread of its own, so that a full pipe blocks no request.
    private let queue = DispatchQueue(label: "latch.access-log")
    private let waiting = Mutex(Waiting())

    /// What waits to be written.
    private struct Waiting {
        var lines: [@Sendable () -> String] = []
        /// Whether the queue is about to write them.
        var isScheduled = false
    }

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

    /// Logs when the store's database is lost and when it is back, and the statements that take at least as many milliseconds,
    /// without their values; 0 stands for none.
    func watchStore(slowAfterMilliseconds threshold: Int) {
        StoreOutages.report { [self] failure in
            let date = Date()
            enqueue { [format] in Self.outageLine(failure, date, format) }
        }
        guard threshold > 0 else { return }
        StatementWatch.report(slowerThan: .milliseconds(threshold)) { [self] statement, duration in
            let date = Date()
            enqueue { [format] in Self.statementLine(statement, duration, date, format) }
        }
    }

    /// Waits until all lines are written.
    func flush() { queue.sync { writeWaiting() } }

    private func write(_ entry: AccessLogEntry) {
        let isSlow = slowest.map { entry.milliseconds >= $0 } ?? false
        guard isSlow || format != .off else { return }
        let date = Date()
        if format != .off { enqueue { [format] in Self.line(entry, date, format) } }
        if isSlow { enqueue { [format] in Self.slowLine(entry, date, format) } }
    }

    /// Writes a line on the log's thread, unless too much waits for it.
    private func enqueue(_ line: @escaping @Sendable () -> String) {
        let mustSchedule = waiting.withLock { waiting in
            guard waiting.lines.count < Self.maximumWaiting else { return false }
            waiting.lines.append(line)
            defer { waiting.isScheduled = true }
            return !waiting.isScheduled
        }
        if mustSchedule { queue.asyncAfter(deadline: .now() + Self.delay) { [self] in writeWaiting() } }
    }

    /// Writes what waits: lines that came during a write share the next one.
    private func writeWaiting() {
        while true {
            let lines = waiting.withLock { waiting in
                defer { waiting.lines = [] }
                waiting.isScheduled = !waiting.lines.isEmpty
                return waiting.lines
            }
            guard !lines.isEmpty else { return }
            output.write(lines.map { $0() + "\n" }.joined())
        }
    }

    /// Returns the line of an entry.
    static func line(_ entry: AccessLogEntry, _ date: Date, _ format: AccessLogFormat) -> String {
        let time = date.formatted(.iso8601)
        guard format == .text else {
            var object: JSONObject = [
                "time": .string(time), "method": .string(entry.method.rawValue), "path": .string(entry.path),
                "status": entry.statusCode, "milliseconds": .number(entry.milliseconds),
                "request_id": entry.requestID.map { .string($0) } ?? .null,
            ]
            if let failure = entry.failure { object["failure"] = .string(failure) }
            return structured(object, format)
        }
        let status = entry.status.map { String($0.rawValue) } ?? "-"
        let words = [
            time, entry.method.rawValue, entry.path, status, "\(entry.milliseconds)ms", entry.requestID ?? "-",
        ]
        return (words + [entry.failure].compactMap(\.self)).joined(separator: " ").printable
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

    /// Returns the line of the loss of the database, or of its return.
    static func outageLine(_ failure: IdentityError?, _ date: Date, _ format: AccessLogFormat) -> String {
        let time = date.formatted(.iso8601)
        guard format == .json || format == .logfmt else {
            let reason = failure.map { "lost, and is tried again: \($0.message)" } ?? "back"
            return "\(time) the database is \(reason)".printable
        }
        return structured(
            [
                "time": .string(time), "event": failure == nil ? "database_back" : "database_lost",
                "message": failure.map { .string($0.message) } ?? .null,
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
