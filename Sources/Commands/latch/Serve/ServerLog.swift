// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LatchCommand
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchIdentity
import LatchServer
import Synchronization

/// The format of the log: text, JSON, logfmt, or text without requests.
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

/// The log of a server: everything that it writes to standard error once its settings are known, in one format.
///
/// Each request has one line, without query, header fields and content. A slow request has a second line, which names
/// its route instead of its path. A slow statement of the store also has a line.
final class ServerLog: Sendable {
    /// The time for which lines are collected, so that a busy server does not wake a thread for each line.
    private static let delay = DispatchTimeInterval.milliseconds(10)
    /// The maximum number of bytes that wait for a slow reader of the log; more lines are dropped.
    private static let maximumWaiting = 1 << 20

    private let format: AccessLogFormat
    /// The duration in milliseconds from which a request is slow; nil if no request is.
    private let slowest: Double?
    private let environment: Environment
    /// A separate thread, so that a full pipe blocks no request.
    private let queue = DispatchQueue(label: "latch.server-log")
    private let waiting = Mutex(Waiting())

    /// The lines that wait to be written.
    private struct Waiting {
        var lines: [UInt8] = []
        /// The number of lines that were dropped for lack of room.
        var dropped = 0
        /// Whether a write of the lines is scheduled.
        var isScheduled = false
    }

    /// Creates a log; 0 milliseconds turn off slow requests.
    init(_ format: AccessLogFormat, slowAfterMilliseconds slowest: Int = 0, _ environment: Environment) {
        self.format = format
        self.slowest = slowest == 0 ? nil : Double(slowest)
        self.environment = environment
    }

    /// Returns a handler that logs the requests to another handler.
    func logging(_ handler: any Handler) -> any Handler {
        guard format != .off || slowest != nil else { return handler }
        return handler.nested(in: [RequestIDInterceptor(), AccessLogInterceptor { [self] in write($0) }])
    }

    /// Logs the store's statements that take at least the given milliseconds, without their values; 0 turns this off.
    func watchStatements(slowAfterMilliseconds threshold: Int) {
        guard threshold > 0 else { return }
        StatementWatch.report(slowerThan: .milliseconds(threshold)) { [self] statement, duration in
            enqueue(.slowStatement(statement, duration))
        }
    }

    /// Logs the loss and the return of the store's database, and once a minute the reasons for failed calls.
    func watchStore(of identity: Identity) {
        StoreOutages.report { [self] failure in enqueue(.outage(of: "database", failure?.message)) }
        identity.reportStoreFailures { [self] error, operation in enqueue(.storeFailure(error, in: operation)) }
    }

    /// Logs that the collector of a signal is lost, or with nil that it is back.
    func report(collectorOf signal: TelemetryExporter.Signal, _ failure: String?) {
        enqueue(.outage(of: "collector", for: signal.rawValue, level: "warning", failure))
    }

    /// Runs `body`, which opens the store, and logs a warning if the database does not answer yet.
    func awaitingDatabase<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await StartupWarning.awaitingDatabase(by: { [self] in warn($0) }, body)
    }

    /// Writes a line, and returns once it is written.
    func write(_ line: LogLine) {
        enqueue(line)
        flush()
    }

    /// Writes the address that operators use.
    func announceAdministration(at url: String) {
        write(.notice("administration on \(url)", event: "administration", ["url": .string(url)]))
    }

    /// Writes a line for a log collector, which does not read standard output.
    func tellCollector(_ message: String, event: String, _ members: JSONObject = [:]) {
        guard format == .json || format == .logfmt else { return }
        write(.notice(message, event: event, members))
    }

    func warn(_ warning: StartupWarning) { write(.warning(warning, in: environment)) }

    func warn(_ warnings: [StartupWarning]) { for warning in warnings { warn(warning) } }

    func report(_ error: CommandError) { write(.failure(error, in: environment)) }

    /// Logs an email that was not sent, without making the sender wait for the log.
    func report(unsent message: MailMessage, because error: any Error) {
        enqueue(.unsentMail(message, because: error))
    }

    /// Waits until all lines so far are written, for at most two seconds: an unread pipe must not prevent the server's
    /// end.
    func flush() {
        let written = DispatchSemaphore(value: 0)
        queue.async { [self] in
            writeWaiting()
            written.signal()
        }
        _ = written.wait(timeout: .now() + 2)
    }

    private func write(_ entry: AccessLogEntry) {
        let isSlow = slowest.map { entry.duration.inSeconds * 1000 >= $0 } ?? false
        if format != .off { RequestLine.withBytes(of: entry, time: LogTime.text(Date()), format, enqueue) }
        if isSlow { enqueue(.slowRequest(entry)) }
    }

    fileprivate func enqueue(_ line: LogLine) {
        Array("\(line.text(Date(), format))\n".utf8).withUnsafeBufferPointer(enqueue)
    }

    /// Queues a line, with its newline, for the log's thread; drops it if too many bytes wait.
    private func enqueue(_ line: UnsafeBufferPointer<UInt8>) {
        let mustSchedule = waiting.withLock { waiting in
            guard waiting.lines.count < Self.maximumWaiting else {
                waiting.dropped += 1
                return false
            }
            waiting.lines.append(contentsOf: line)
            defer { waiting.isScheduled = true }
            return !waiting.isScheduled
        }
        if mustSchedule { queue.asyncAfter(deadline: .now() + Self.delay) { [self] in writeWaiting() } }
    }

    /// Writes the waiting lines.
    ///
    /// Lines that arrive in the meantime wait for the next turn, or a busy server would never finish.
    private func writeWaiting() {
        let now = waiting.withLock { waiting in
            defer { waiting = Waiting() }
            return waiting
        }
        if !now.lines.isEmpty { environment.error.writeBytes(now.lines) }
        guard now.dropped > 0 else { return }
        environment.error.line(LogLine.dropped(now.dropped).text(Date(), format))
    }
}

extension Server.Configuration {
    /// Returns the configuration of a server that logs, at most once a minute, a lack of descriptors for more
    /// connections.
    func watched(by log: ServerLog) -> Server.Configuration {
        var configuration = self
        configuration.onExhaustion = { log.enqueue(.exhaustion) }
        return configuration
    }
}

/// A mailer that logs the emails that another mailer could not send.
struct LoggingMailer: Mailer {
    let next: any Mailer
    let log: ServerLog

    func send(_ message: MailMessage) async throws {
        do {
            try await next.send(message)
        } catch {
            log.report(unsent: message, because: error)
            throw error
        }
    }
}
