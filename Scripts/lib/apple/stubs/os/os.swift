// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// The unified log. Source: https://developer.apple.com/documentation/os/logger.
private func stub() -> Never { fatalError() }

public struct OSLogPrivacy: Sendable {
    public static var `public`: Self { stub() }
    public static var `private`: Self { stub() }
    public static var auto: Self { stub() }
}
public struct OSLogInterpolation: StringInterpolationProtocol {
    public init(literalCapacity: Int, interpolationCount: Int) {}
    public mutating func appendLiteral(_ literal: String) {}
    public mutating func appendInterpolation(_ argumentString: @autoclosure @escaping () -> String, align: Int = 0, privacy: OSLogPrivacy = .auto) {}
    public mutating func appendInterpolation<Number: FixedWidthInteger>(_ number: @autoclosure @escaping () -> Number, align: Int = 0, privacy: OSLogPrivacy = .auto) {}
}
public struct OSLogMessage: ExpressibleByStringInterpolation {
    public init(stringInterpolation: OSLogInterpolation) {}
    public init(stringLiteral value: String) {}
}
public struct Logger: @unchecked Sendable {
    public init(subsystem: String, category: String) {}
    public func debug(_ message: OSLogMessage) {}
    public func info(_ message: OSLogMessage) {}
    public func notice(_ message: OSLogMessage) {}
    public func warning(_ message: OSLogMessage) {}
    public func error(_ message: OSLogMessage) {}
    public func fault(_ message: OSLogMessage) {}
}
