// SPDX-License-Identifier: Apache-2.0

/// A path pattern whose segments are literal or `{name}`.
struct RoutePattern: Sendable, Equatable {
    /// The part of a pattern between two slashes.
    enum Segment: Sendable, Equatable {
        /// Decoded text: `a b`, never `a%20b`.
        case literal(String)
        /// The name without its braces; it matches any segment that is not empty.
        case parameter(String)
    }

    /// The segments; one empty literal for `/`, and for an empty pattern, which is the same path (RFC 9110 §4.2.3).
    let segments: [Segment]

    /// Parses a pattern such as `/users/{id}`; the leading slash is optional, a trailing one is significant.
    init(_ text: String) {
        let path = text.utf8.dropFirst(text.utf8.first == 0x2F ? 1 : 0)
        segments = path.split(separator: 0x2F, omittingEmptySubsequences: false).map(Self.segment)
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
            }
        }
    }

    /// The names of the parameters, in order.
    var parameterNames: [String] {
        segments.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }

    /// Parses a segment; `{}` is literal.
    private static func segment(_ text: Substring.UTF8View) -> Segment {
        guard text.count > 2, text.first == UInt8(ascii: "{"), text.last == UInt8(ascii: "}") else {
            return .literal(String(Substring(text)))
        }
        return .parameter(String(Substring(text.dropFirst().dropLast())))
    }
}
