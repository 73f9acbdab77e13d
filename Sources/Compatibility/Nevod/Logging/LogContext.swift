// SPDX-License-Identifier: Apache-2.0

/// How much something matters.
public enum LogLevel: Sendable, Hashable, CaseIterable {
    /// For who looks for a fault.
    case debug
    /// What happens.
    case info
    /// What should not happen and does no harm yet.
    case warning
    /// What went wrong.
    case error
}

/// One thing worth noting.
public struct LogContext: Sendable {
    /// How much it matters.
    public let level: LogLevel
    /// What it is, for a person.
    public let message: String
    /// The same for a program.
    public let payload: [String: String]
    /// The file that notes it.
    public let file: String
    /// The function that notes it.
    public let function: String
    /// The line that notes it.
    public let line: Int
    /// When it was noted.
    public let timestamp: Date

    /// A note from its parts.
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
