// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchIdentity
import LatchServer
import Synchronization

/// A line of a server's log that is not about a request (``RequestLine``); as text, errors and warnings have two lines.
struct LogLine: Sendable {
    private let text: String
    /// Whether the text begins with the time.
    private let hasTime: Bool
    /// The members of JSON and logfmt, after the time.
    private let members: JSONObject

    private init(_ text: String, hasTime: Bool = true, _ members: JSONObject) {
        self.text = text
        self.hasTime = hasTime
        self.members = members
    }

    /// Returns the line in one of the log's formats.
    func text(_ date: Date, _ format: AccessLogFormat) -> String {
        let time = LogTime.text(date)
        guard format == .json || format == .logfmt else { return hasTime ? "\(time) \(text)" : text }
        let object = JSONObject([(key: "time", value: .string(time))] + members.map { ($0.key, $0.value) })
        guard format == .logfmt else {
            return String(decoding: JSONValue.object(object).serialized(), as: UTF8.self).printableJSON
        }
        return object.compactMap { name, value in
            guard !value.isNull else { return nil }
            return "\(name)=\(value.stringValue?.logfmtValue ?? String(decoding: value.serialized(), as: UTF8.self))"
        }.joined(separator: " ").printable
    }
}

extension LogLine {
    /// Returns the line for a slow request, without its path, which may contain an identifier.
    static func slowRequest(_ entry: AccessLogEntry) -> LogLine {
        let route = entry.route ?? "-"
        let words = [
            "slow", entry.method.rawValue, route, entry.statusText, "\(entry.duration.tenths)ms",
            entry.requestID ?? "-",
        ]
        return LogLine(
            words.joined(separator: " ").printable,
            [
                "event": "slow_request", "method": .string(entry.method.rawValue), "route": .string(route),
                "status": entry.statusCode, "milliseconds": .number(entry.duration.tenths),
                "request_id": .optional(entry.requestID),
            ])
    }

    /// Returns the line for a slow statement, whose text has placeholders instead of values.
    static func slowStatement(_ statement: String, _ duration: Duration) -> LogLine {
        let text = statement.unicodeScalars.split { $0 == " " || $0 == "\n" }.map { String($0) }.joined(separator: " ")
        return LogLine(
            "slow query \(duration.tenths)ms \(text)".printable,
            ["event": "slow_query", "milliseconds": .number(duration.tenths), "statement": .string(text)])
    }

    /// Returns the line that counts dropped lines, because the reader of the log was too slow.
    static func dropped(_ count: Int) -> LogLine {
        LogLine(
            "the log was too slow for \(count) lines",
            ["level": "warning", "event": "lines_dropped", "count": .integer(Int64(count))])
    }

    /// Returns the line for the loss of a service, or for its return.
    ///
    /// - Parameters:
    ///   - name: The name of the service, also in the event.
    ///   - part: The function that has lost the service; nil for all functions.
    ///   - failure: The reason for the loss; nil for the return.
    static func outage(
        of name: String, for part: String? = nil, level: String = "error", _ failure: String?
    ) -> LogLine {
        let words = "the \(name)\(part.map { " of \($0)" } ?? "")"
        guard let failure else {
            return LogLine(
                "\(words) is back", ["level": "info", "event": .string("\(name)_back"), "signal": .optional(part)])
        }
        return LogLine(
            "\(words) is lost, and is tried again: \(failure)".printable,
            [
                "level": .string(level), "event": .string("\(name)_lost"), "message": .string(failure),
                "signal": .optional(part),
            ])
    }

    /// The events of failures that the store is not to blame for: what a client publishes, and the operator's programs.
    private static let foreignFailures = [
        IdentityError.unreadableKeys.code: "client_keys_unreadable",
        IdentityError.hookFailed("", "").code: "hook_failed",
    ]

    /// Returns the line for a failed call of the store, or of a program; its error contains no values.
    static func storeFailure(_ error: IdentityError, in operation: String) -> LogLine {
        if let event = foreignFailures[error.code] {
            return LogLine(
                error.message.printable,
                [
                    "level": "warning", "event": .string(event), "message": .string(error.message),
                    "hint": .optional(error.hint),
                ])
        }
        return LogLine(
            "the store has failed in '\(operation)': \(error.message)".printable,
            [
                "level": "error", "event": "store_failed", "code": .string(error.code), "operation": .string(operation),
                "message": .string(error.message), "hint": .optional(error.hint),
            ])
    }

    /// The line for a process that has no descriptor or memory left for more connections.
    static let exhaustion: LogLine = {
        let message = "no file descriptor or memory is left for further connections, which wait"
        let hint = "Raise the limit of open files (LimitNOFILE in a unit), or lower 'maximum_connections'."
        return LogLine(
            "latch: \(message). \(hint)", hasTime: false,
            [
                "level": "error", "event": "resources_exhausted", "message": .string(message), "hint": .string(hint),
            ])
    }()

    /// Returns the line for an email that was not sent, without its recipient and text.
    static func unsentMail(_ message: MailMessage, because error: any Error) -> LogLine {
        let reason = CommandError(describing: error).message.split(whereSeparator: \.isNewline).joined(separator: " ")
        return LogLine(
            "latch: the email '\(message.subject)' was not sent: \(reason)".printable, hasTime: false,
            [
                "level": "warning", "event": "mail_not_sent", "subject": .string(message.subject),
                "message": .string(reason),
            ])
    }

    /// Returns the line for an expected event.
    static func notice(_ message: String, event: String, _ members: JSONObject = [:]) -> LogLine {
        let all: JSONObject = ["level": "info", "event": .string(event), "message": .string(message)]
        return LogLine(
            "latch: \(message)".printable, hasTime: false,
            JSONObject((all.map { $0 } + members.map { $0 }).map { ($0.key, $0.value) }))
    }

    static func warning(_ warning: StartupWarning, in environment: Environment) -> LogLine {
        LogLine(
            environment.text(ofWarning: warning.message, hint: warning.hint, copying: warning.lines), hasTime: false,
            [
                "level": "warning", "message": .string(warning.message),
                "hint": .string(([warning.hint] + warning.lines).joined(separator: "\n")),
            ])
    }

    static func failure(_ error: CommandError, in environment: Environment) -> LogLine {
        LogLine(
            environment.text(of: error), hasTime: false,
            [
                "level": "error", "code": .string(error.code), "message": .string(error.message),
                "hint": .optional(error.hint),
            ])
    }
}

/// The date of a line (RFC 3339 §5.6), formatted once a second.
enum LogTime {
    private static let last = Mutex((second: Int64.min, text: ""))

    static func text(_ date: Date) -> String {
        let second = Int64(date.timeIntervalSince1970.rounded(.down))
        return last.withLock { last in
            if last.second != second { last = (second, date.formatted(.iso8601)) }
            return last.text
        }
    }
}

extension Duration {
    /// The duration in milliseconds with one decimal.
    fileprivate var tenths: Double { Double(tenthsOfMilliseconds) / 10 }
}

extension AccessLogEntry {
    /// The status as a number; null if the endpoint threw an error.
    fileprivate var statusCode: JSONValue { status.map { .integer(Int64($0.rawValue)) } ?? .null }

    /// The status as text; a dash if the endpoint threw an error.
    fileprivate var statusText: String { status.map { String($0.rawValue) } ?? "-" }
}

extension JSONValue {
    /// Returns a text; null for nil.
    fileprivate static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}
