// SPDX-License-Identifier: Apache-2.0

/// A path pattern whose segments are literal or `{name}`; the last one may be `{name...}`.
struct RoutePattern: Sendable, Equatable {
    /// The part of a pattern between two slashes.
    enum Segment: Sendable, Equatable {
        /// Decoded text: `a b`, never `a%20b`.
        case literal(String)
        /// The name without its braces; it matches any non-empty segment.
        case parameter(String)
        /// The name without its braces and dots; it matches the rest of the path, which may be empty.
        case rest(String)
    }

    /// The segments; one empty literal for `/`, and for an empty pattern, which is the same path (RFC 9110 §4.2.3).
    let segments: [Segment]

    /// Parses a pattern such as `/users/{id}`; the leading slash is optional, a trailing one is significant.
    init(_ text: String) {
        let path = text.utf8.dropFirst(text.utf8.first == 0x2F ? 1 : 0)
        let texts = path.split(separator: 0x2F, omittingEmptySubsequences: false)
        segments = texts.dropLast().map(Self.segment) + texts.suffix(1).map(Self.lastSegment)
    }

    private init(segments: [Segment]) { self.segments = segments }

    /// Returns the pattern of `other` below this one: `/a` and `/b` give `/a/b`, and `/` below `/a` gives `/a` itself.
    func appending(_ other: RoutePattern) -> RoutePattern {
        if isRoot { return other }
        return other.isRoot ? self : RoutePattern(segments: segments + other.segments)
    }

    private var isRoot: Bool { segments == [.literal("")] }

    /// The pattern as text, such as `/users/{id}`.
    var text: String {
        segments.reduce(into: "") { text, segment in
            switch segment {
            case .literal(let literal): text += "/" + literal
            case .parameter(let name): text += "/{\(name)}"
            case .rest(let name): text += "/{\(name)...}"
            }
        }
    }

    /// The names of the parameters, in order.
    var parameterNames: [String] {
        segments.compactMap { segment in
            switch segment {
            case .literal: nil
            case .parameter(let name), .rest(let name): name
            }
        }
    }

    /// Parses a segment; `{}` is literal.
    private static func segment(_ text: Substring.UTF8View) -> Segment {
        guard text.count > 2, text.first == UInt8(ascii: "{"), text.last == UInt8(ascii: "}") else {
            return .literal(String(Substring(text)))
        }
        return .parameter(String(Substring(text.dropFirst().dropLast())))
    }

    /// Parses the last segment; `{...}` is a parameter.
    private static func lastSegment(_ text: Substring.UTF8View) -> Segment {
        let segment = segment(text)
        guard case .parameter(let name) = segment, name.utf8.count > 3, name.utf8.suffix(3).elementsEqual("...".utf8)
        else { return segment }
        return .rest(String(name.utf8.dropLast(3)) ?? name)
    }
}
