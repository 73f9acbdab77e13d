// SPDX-License-Identifier: Apache-2.0

/// A logger that passes each entry to the handler for its level.
public actor NevodLogger {
    private let config: LoggerConfiguration

    /// Creates a logger; by default its entries go to the system's log.
    public init(config: LoggerConfiguration = .oslog()) { self.config = config }

    /// Logs an entry that helps to find faults.
    public func debug(
        _ message: String, payload: [String: String] = [:], file: String = #file, function: String = #function,
        line: Int = #line
    ) {
        log(LogContext(level: .debug, message: message, payload: payload, file: file, function: function, line: line))
    }

    /// Logs a normal event.
    public func info(
        _ message: String, payload: [String: String] = [:], file: String = #file, function: String = #function,
        line: Int = #line
    ) {
        log(LogContext(level: .info, message: message, payload: payload, file: file, function: function, line: line))
    }

    /// Logs an unexpected event that does no harm yet.
    public func warning(
        _ message: String, payload: [String: String] = [:], file: String = #file, function: String = #function,
        line: Int = #line
    ) {
        log(LogContext(level: .warning, message: message, payload: payload, file: file, function: function, line: line))
    }

    /// Logs a failure.
    public func error(
        _ message: String, payload: [String: String] = [:], file: String = #file, function: String = #function,
        line: Int = #line
    ) {
        log(LogContext(level: .error, message: message, payload: payload, file: file, function: function, line: line))
    }

    private func log(_ context: LogContext) { config.handler(for: context.level)?(context) }

    /// Logs the failure of a route, without the content that it sent or received.
    func log(_ failure: NetworkError, method: HTTPMethod, domain: String) {
        info("\(method.stringValue) failed: \(failure)", payload: ["domain": domain, "error": failure.name])
    }
}

/// A closure that writes log entries.
public typealias LogHandler = @Sendable (LogContext) -> Void

/// The log handlers by level; an entry is dropped if its level has no handler.
public struct LoggerConfiguration: Sendable {
    /// The handler of debug entries.
    public let debugHandler: LogHandler?
    /// The handler of informational entries.
    public let infoHandler: LogHandler?
    /// The handler of entries about recoverable faults; nil drops them.
    public let warningHandler: LogHandler?
    /// The handler of entries about failures; nil drops them.
    public let errorHandler: LogHandler?

    /// Creates a configuration from its handlers.
    public init(
        debugHandler: LogHandler? = nil, infoHandler: LogHandler? = nil, warningHandler: LogHandler? = nil,
        errorHandler: LogHandler? = nil
    ) {
        self.debugHandler = debugHandler
        self.infoHandler = infoHandler
        self.warningHandler = warningHandler
        self.errorHandler = errorHandler
    }

    /// A configuration that drops all entries.
    public static var silent: LoggerConfiguration { LoggerConfiguration() }

    /// A configuration that writes lines to standard output.
    public static var console: LoggerConfiguration {
        let write: LogHandler = { print(line($0)) }
        return LoggerConfiguration(
            debugHandler: write, infoHandler: write, warningHandler: write, errorHandler: write)
    }

    func handler(for level: LogLevel) -> LogHandler? {
        switch level {
        case .debug: debugHandler
        case .info: infoHandler
        case .warning: warningHandler
        case .error: errorHandler
        }
    }

    /// Formats an entry as one line, with its payload sorted.
    static func line(_ context: LogContext) -> String {
        let payload = context.payload.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        return "[\(context.level)] \(context.message)\(payload)"
    }
}

/// The severity of a log entry.
public enum LogLevel: Sendable, Hashable, CaseIterable {
    /// Details that help to find faults.
    case debug
    /// A normal event.
    case info
    /// An unexpected event that does no harm yet.
    case warning
    /// A failure.
    case error
}

/// A log entry.
public struct LogContext: Sendable {
    /// The severity.
    public let level: LogLevel
    /// The readable message.
    public let message: String
    /// The structured data.
    public let payload: [String: String]
    /// The source file of the call.
    public let file: String
    /// The function of the call.
    public let function: String
    /// The source line of the call.
    public let line: Int
    /// The time of the call.
    public let timestamp: Date

    /// Creates an entry from its parts.
    public init(
        level: LogLevel, message: String, payload: [String: String] = [:], file: String = #file,
        function: String = #function, line: Int = #line, timestamp: Date = Date()
    ) {
        self.level = level
        self.message = message
        self.payload = payload
        self.file = file
        self.function = function
        self.line = line
        self.timestamp = timestamp
    }
}
