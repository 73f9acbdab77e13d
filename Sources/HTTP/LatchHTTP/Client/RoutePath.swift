// SPDX-License-Identifier: Apache-2.0

/// A path under a client's base URL in which each interpolated value is exactly one segment.
///
/// ```swift
/// let route = Route<Void>.delete("users/\(id)/notes")
/// ```
///
/// A literal is used as spelled. An interpolated value is encoded as a whole, including slashes and question marks. So
/// an identifier from an untrusted source stays within its segment. Values that no encoding would keep there (empty,
/// `.` and `..`) make the request fail before anything is sent.
public struct RoutePath: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The path, and after `?` a query; interpolated values are encoded.
    let text: String
    /// Whether a segment is missing because its value was empty; the path would then name another resource.
    let lacksSegment: Bool
    /// The literal with `{}` for each value; nil if it cannot be distinguished from the values.
    let template: String?

    /// Creates a path from the program's spelling, with slashes between segments and an optional query.
    ///
    /// Do not assemble `text` from untrusted values: interpolate them, or use ``init(segments:)``.
    public init(_ text: String) {
        self.text = text
        lacksSegment = false
        template = nil
    }

    /// Creates a path of segments that may hold any text.
    public init(segments: some Sequence<String>) {
        var interpolation = StringInterpolation(literalCapacity: 0, interpolationCount: 0)
        for segment in segments {
            interpolation.appendLiteral("/")
            interpolation.appendInterpolation(segment)
        }
        self.init(stringInterpolation: interpolation)
    }

    /// Creates a path from a literal.
    public init(stringLiteral value: String) {
        text = value
        lacksSegment = false
        template = value
    }

    /// Creates a path from a literal with interpolated values.
    public init(stringInterpolation: StringInterpolation) {
        text = String(decoding: stringInterpolation.bytes, as: UTF8.self)
        lacksSegment = stringInterpolation.lacksSegment || stringInterpolation.endsWithNothing
        template = stringInterpolation.template
    }

    /// The path as it is joined to the base URL; it may hold personal data.
    public var description: String { text }

    /// The pieces of an interpolated literal.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var bytes: [UInt8] = []
        fileprivate var template = ""
        fileprivate var lacksSegment = false
        /// Whether the last piece was an empty value where a segment begins.
        fileprivate var endsWithNothing = false
        /// Whether a question mark was appended: nothing after it is a path segment.
        private var isInQuery = false

        /// Reserves capacity.
        public init(literalCapacity: Int, interpolationCount: Int) {
            bytes.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        /// Appends a part that the source code spells, unchanged.
        public mutating func appendLiteral(_ literal: String) {
            guard let first = literal.utf8.first else { return }
            if endsWithNothing, first == 0x2F || first == 0x3F { lacksSegment = true }
            endsWithNothing = false
            if literal.utf8.contains(0x3F) { isInQuery = true }
            bytes.append(contentsOf: literal.utf8)
            template += literal
        }

        /// Appends a value, encoded so that it is at most a part of one segment.
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            let text = value.description
            template += "{}"
            if text.isEmpty {
                if !isInQuery, bytes.isEmpty || bytes.last == 0x2F { endsWithNothing = true }
            } else {
                endsWithNothing = false
                PercentEncoding.append(text, to: &bytes)
            }
        }

        /// Appends a path with its slashes.
        public mutating func appendInterpolation(_ path: RoutePath) {
            let before = template
            appendLiteral(path.text)
            template = before + (path.template ?? "{}")
            lacksSegment = lacksSegment || path.lacksSegment
        }
    }
}

extension RoutePath {
    /// Compares paths by their spelling.
    public static func == (first: RoutePath, second: RoutePath) -> Bool {
        first.text == second.text && first.lacksSegment == second.lacksSegment
    }

    /// Hashes the spelling.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
