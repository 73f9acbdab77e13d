// SPDX-License-Identifier: Apache-2.0

/// How much a line of a log matters.
public enum LogLevel: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// For somebody who looks for an error: what begins, and harmless fields.
    case debug
    /// What happened as it should.
    case info
    /// What the other side refused: a status from 400 to 499, or a redirect that was not followed.
    case warning
    /// What failed: no answer, or a status from 500 on.
    case error

    /// By how much they matter.
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}
