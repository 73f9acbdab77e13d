// SPDX-License-Identifier: Apache-2.0

/// A path whose segments are literal or `{name}`.
struct RoutePattern: Sendable, Equatable {
    enum Segment: Sendable, Equatable {
        case literal(String)
        case parameter(String)
    }

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

    private static func segment(_ text: Substring) -> Segment {
        guard text.count > 2, text.first == "{", text.last == "}" else { return .literal(String(text)) }
        return .parameter(String(text.dropFirst().dropLast()))
    }
}
