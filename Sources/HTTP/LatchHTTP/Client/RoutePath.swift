// SPDX-License-Identifier: Apache-2.0

/// A path under a client's base URL, in which what a program inserts is always one segment.
///
/// ```swift
/// let route = Route<Void>.delete("users/\(id)/notes")
/// ```
///
/// A literal is taken as the path that it spells. What is interpolated into it is encoded as a whole, slashes and
/// question marks too, so an identifier that a stranger chose stays within its segment. A value that would not stay
/// there under any spelling (nothing at all, `.` and `..`) makes the request fail before anything is sent.
public struct RoutePath: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The path, and after `?` a query; encoded where it was interpolated.
    let text: String
    /// Whether a segment is missing because its value was empty: the path then names something else.
    let lacksSegment: Bool
    /// What the program spelled, with `{}` for each value; nil where it cannot be told from what others chose.
    let template: String?

    /// A path that the program spells itself, with slashes between segments and perhaps a query.
    ///
    /// Do not assemble `text` from what others chose: interpolate, or use ``init(segments:)``.
    public init(_ text: String) {
        self.text = text
        lacksSegment = false
        template = nil
    }

    /// A path of segments that may hold anything.
    public init(segments: some Sequence<String>) {
        var interpolation = StringInterpolation(literalCapacity: 0, interpolationCount: 0)
        for segment in segments {
            interpolation.appendLiteral("/")
            interpolation.appendInterpolation(segment)
        }
        self.init(stringInterpolation: interpolation)
    }

    /// A path from a literal.
    public init(stringLiteral value: String) {
        text = value
        lacksSegment = false
        template = value
    }

    /// A path from a literal with values in it.
    public init(stringInterpolation: StringInterpolation) {
        text = String(decoding: stringInterpolation.bytes, as: UTF8.self)
        lacksSegment = stringInterpolation.lacksSegment || stringInterpolation.endsWithNothing
        template = stringInterpolation.template
    }

    /// The path as it is joined to the base URL; it may hold what identifies a person.
    public var description: String { text }

    /// Collects the pieces of a literal.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var bytes: [UInt8] = []
        fileprivate var template = ""
        fileprivate var lacksSegment = false
        /// Whether the last piece was an empty value where a segment begins.
        fileprivate var endsWithNothing = false
        /// Nothing that stands in a query is a segment.
        private var isInQuery = false

        /// Makes room.
        public init(literalCapacity: Int, interpolationCount: Int) {
            bytes.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        /// Adds what the program spells itself.
        public mutating func appendLiteral(_ literal: String) {
            guard let first = literal.utf8.first else { return }
            if endsWithNothing, first == 0x2F || first == 0x3F { lacksSegment = true }
            endsWithNothing = false
            if literal.utf8.contains(0x3F) { isInQuery = true }
            bytes.append(contentsOf: literal.utf8)
            template += literal
        }

        /// Adds a value, encoded so that it is no more than a part of one segment.
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            let text = value.description
            template += "{}"
            if text.isEmpty {
                if !isInQuery, bytes.isEmpty || bytes.last == 0x2F { endsWithNothing = true }
            } else {
                endsWithNothing = false
                FormEncoding.append(text, to: &bytes)
            }
        }

        /// Adds a path that is one already, with its slashes.
        public mutating func appendInterpolation(_ path: RoutePath) {
            let before = template
            appendLiteral(path.text)
            template = before + (path.template ?? "{}")
            lacksSegment = lacksSegment || path.lacksSegment
        }
    }
}

extension RoutePath {
    /// Paths are the same where they are spelled the same, whoever wrote which part of them.
    public static func == (first: RoutePath, second: RoutePath) -> Bool {
        first.text == second.text && first.lacksSegment == second.lacksSegment
    }

    /// By the spelling.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
