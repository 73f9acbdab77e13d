// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LatchCommand
import LatchCore
import LatchHTTP
import LatchIdentity
import LatchServer
import PortableFoundation
import Synchronization

/// The form of the access log: text, JSON, or none.
enum AccessLogFormat: String {
    case text, json, off

    /// Parses the setting `access_log`.
    init(_ text: String) throws(CommandError) {
        guard let format = Self(rawValue: text.lowercased()) else {
            throw .failed("The setting 'access_log' must be text, json or off.", hint: "Leave it out for text.")
        }
        self = format
    }
}

/// The access log of a server: one line per request, without query, header fields and content.
final class AccessLog: Sendable {
    /// The maximum number of lines that wait for a slow reader of the log; further lines are dropped.
    private static let maximumWaiting = 10_000

    private let format: AccessLogFormat
    private let output: Environment.Output
    /// A thread of its own, so that a full pipe blocks no request.
    private let queue = DispatchQueue(label: "latch.access-log")
    private let waiting = Mutex(0)

    init(_ format: AccessLogFormat, _ output: Environment.Output) {
        self.format = format
        self.output = output
    }

    /// Returns a handler that logs the requests to another one.
    func logging(_ handler: any Handler) -> any Handler {
        guard format != .off else { return handler }
        return handler.intercepted(by: [RequestIDInterceptor(), AccessLogInterceptor { [self] in write($0) }])
    }

    /// Waits until all lines are written.
    func flush() { queue.sync {} }

    private func write(_ entry: AccessLogEntry) {
        let isAccepted = waiting.withLock { waiting in
            guard waiting < Self.maximumWaiting else { return false }
            waiting += 1
            return true
        }
        guard isAccepted else { return }
        let date = Date()
        queue.async { [self] in
            output.line(Self.line(entry, date, format))
            waiting.withLock { $0 -= 1 }
        }
    }

    /// Returns the line of an entry.
    static func line(_ entry: AccessLogEntry, _ date: Date, _ format: AccessLogFormat) -> String {
        let milliseconds = (entry.duration.inSeconds * 10_000).rounded() / 10
        let time = date.formatted(.iso8601)
        guard format == .json else {
            let status = entry.status.map { String($0.rawValue) } ?? "-"
            return
                "\(time) \(entry.method.rawValue) \(entry.path) \(status) \(milliseconds)ms \(entry.requestID ?? "-")"
                .printable
        }
        let object: JSONValue = [
            "time": .string(time), "method": .string(entry.method.rawValue), "path": .string(entry.path),
            "status": entry.status.map { .integer(Int64($0.rawValue)) } ?? .null,
            "milliseconds": .number(milliseconds), "request_id": entry.requestID.map { .string($0) } ?? .null,
        ]
        return String(decoding: object.serialized(), as: UTF8.self)
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
