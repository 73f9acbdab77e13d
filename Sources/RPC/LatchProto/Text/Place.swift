// SPDX-License-Identifier: Apache-2.0

/// A place in a source text: line and column, both counted from zero.
///
/// Columns count bytes, and a tab goes on to the next multiple of eight, as protoc counts them.
public struct Place: Sendable, Hashable, Comparable {
    /// The line, from zero.
    public var line: Int32
    /// The column, from zero.
    public var column: Int32

    /// A place.
    public init(line: Int32, column: Int32) {
        self.line = line
        self.column = column
    }

    /// Whether one comes before the other.
    public static func < (one: Place, other: Place) -> Bool {
        (one.line, one.column) < (other.line, other.column)
    }
}

/// From a place up to another, which does not belong to it any more.
public struct Span: Sendable, Hashable {
    /// Where it begins.
    public var start: Place
    /// Where it has ended.
    public var end: Place

    /// A span.
    public init(start: Place, end: Place) {
        self.start = start
        self.end = end
    }
}
