// SPDX-License-Identifier: Apache-2.0

/// A path whose segments are literal or `{name}`.
struct RoutePattern: Sendable, Equatable {
    /// What stands between two slashes.
    enum Segment: Sendable, Equatable {
        /// Text as it is after decoding: `a b`, never `a%20b`.
        case literal(String)
        /// The name without its braces; any segment that is not empty stands for it.
        case parameter(String)
    }

    /// Empty for an empty pattern; `[""]` for `/` alone.
    let segments: [Segment]

    /// Reads `/users/{id}`; the slash at the front may be left out, the one at the end counts.
    init(_ text: String) {
        let path = text.hasPrefix("/") ? text.dropFirst() : text[...]
        let parts = text.isEmpty ? [] : path.split(separator: "/", omittingEmptySubsequences: false)
        segments = parts.map(Self.segment)
    }

    private init(segments: [Segment]) { self.segments = segments }

    /// The pattern of `other` below this one: `/a` and `/b` make `/a/b`, and a lone `/` below `/a` is `/a` itself.
    func appending(_ other: RoutePattern) -> RoutePattern {
        let isRoot = segments.isEmpty || segments == [.literal("")]
        if isRoot { return other.segments.isEmpty ? self : other }
        if other.segments == [.literal("")] { return self }
        return RoutePattern(segments: segments + other.segments)
    }

    /// The names of the parameters in their order.
    var parameterNames: [String] {
        segments.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }

    /// The whole path where no segment is a parameter.
    var literalPath: String? {
        var path = ""
        for segment in segments {
            guard case .literal(let text) = segment else { return nil }
            path += "/" + text
        }
        return path
    }

    /// A segment without a name between its braces is literal.
    private static func segment(_ text: Substring) -> Segment {
        guard text.count > 2, text.first == "{", text.last == "}" else { return .literal(String(text)) }
        return .parameter(String(text.dropFirst().dropLast()))
    }
}
