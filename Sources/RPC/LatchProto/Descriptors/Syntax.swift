// SPDX-License-Identifier: Apache-2.0

/// In which language a file is written.
public enum Syntax: String, Sendable, Hashable {
    /// The second version of the language; also of a file that does not say.
    case proto2
    /// The third version.
    case proto3
    /// A language whose details are features.
    case editions
}

/// A set of defaults for the features of the language, named after a year.
public enum Edition: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// What holds before all others, where defaults are written down.
    case legacy = 900
    /// The features of proto2.
    case proto2 = 998
    /// The features of proto3.
    case proto3 = 999
    /// The edition of 2023.
    case edition2023 = 1000
    /// The edition of 2024.
    case edition2024 = 1001
    /// The edition of 2026.
    case edition2026 = 1002

    /// The edition that a file names; nil for one that is not known, or that no file may name.
    public init?(name: String) {
        switch name {
        case "2023": self = .edition2023
        case "2024": self = .edition2024
        case "2026": self = .edition2026
        default: return nil
        }
    }

    /// Whether one came before the other.
    public static func < (one: Edition, other: Edition) -> Bool { one.rawValue < other.rawValue }
}
