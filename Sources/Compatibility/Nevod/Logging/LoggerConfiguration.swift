// SPDX-License-Identifier: Apache-2.0

/// Takes what a logger hands over.
public typealias LogHandler = @Sendable (LogContext) -> Void

/// Who takes the notes of each level; a level without a handler is not noted.
public struct LoggerConfiguration: Sendable {
    /// For who looks for a fault.
    public let debugHandler: LogHandler?
    /// What happens.
    public let infoHandler: LogHandler?
    /// What should not happen and does no harm yet.
    public let warningHandler: LogHandler?
    /// What went wrong.
    public let errorHandler: LogHandler?

    /// A configuration from its handlers.
    public init(
        debugHandler: LogHandler? = nil, infoHandler: LogHandler? = nil, warningHandler: LogHandler? = nil,
        errorHandler: LogHandler? = nil
    ) {
        self.debugHandler = debugHandler
        self.infoHandler = infoHandler
        self.warningHandler = warningHandler
        self.errorHandler = errorHandler
    }

    /// One handler for all levels.
    init(_ handler: @escaping LogHandler) {
        self.init(debugHandler: handler, infoHandler: handler, warningHandler: handler, errorHandler: handler)
    }

    /// Nothing is noted.
    public static var silent: LoggerConfiguration { LoggerConfiguration() }

    /// Lines on standard output.
    public static var console: LoggerConfiguration { LoggerConfiguration { print(Self.line($0)) } }

    /// The handler for a level.
    func handler(for level: LogLevel) -> LogHandler? {
        switch level {
        case .debug: debugHandler
        case .info: infoHandler
        case .warning: warningHandler
        case .error: errorHandler
        }
    }

    /// A note on one line; the payload is sorted.
    static func line(_ context: LogContext) -> String {
        let payload = context.payload.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        return "[\(context.level)] \(context.message)\(payload)"
    }
}
