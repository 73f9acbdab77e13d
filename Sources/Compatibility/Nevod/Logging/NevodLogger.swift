// SPDX-License-Identifier: Apache-2.0

/// Hands what is worth noting to the handlers of a configuration, one for each level.
public actor NevodLogger {
    private let config: LoggerConfiguration

    /// A logger.
    public init(config: LoggerConfiguration = .oslog()) { self.config = config }

    /// For who looks for a fault.
    public func debug(
        _ message: String, payload: [String: String] = [:], file: String = #file, function: String = #function,
        line: Int = #line
    ) {
        hand(LogContext(level: .debug, message: message, payload: payload, file: file, function: function, line: line))
    }

    /// What happens.
    public func info(
        _ message: String, payload: [String: String] = [:], file: String = #file, function: String = #function,
        line: Int = #line
    ) {
        hand(LogContext(level: .info, message: message, payload: payload, file: file, function: function, line: line))
    }

    /// What should not happen and does no harm yet.
    public func warning(
        _ message: String, payload: [String: String] = [:], file: String = #file, function: String = #function,
        line: Int = #line
    ) {
        hand(
            LogContext(level: .warning, message: message, payload: payload, file: file, function: function, line: line))
    }

    /// What went wrong.
    public func error(
        _ message: String, payload: [String: String] = [:], file: String = #file, function: String = #function,
        line: Int = #line
    ) {
        hand(LogContext(level: .error, message: message, payload: payload, file: file, function: function, line: line))
    }

    private func hand(_ context: LogContext) { config.handler(for: context.level)?(context) }

    /// Notes that a route has failed, without anything that it sent or got.
    func note(_ failure: NetworkError, method: HTTPMethod, domain: String) {
        info(
            "\(method.stringValue) failed: \(failure)", payload: ["domain": domain, "error": failure.name])
    }
}
