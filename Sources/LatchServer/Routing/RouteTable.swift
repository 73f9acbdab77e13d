// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// The endpoints of a router: a map of the paths without parameters, and a tree of segments for all.
struct RouteTable: Sendable {
    struct Route: Sendable {
        let method: HTTPMethod
        let pattern: RoutePattern
        let parameterNames: [String]
        let handler: any Handler
    }

    enum Match {
        case endpoint(any Handler, PathParameters.Values)
        case endpointWithoutContent(any Handler, PathParameters.Values)
        case answer(HTTPResponse)
    }

    private struct Node: Sendable {
        var literals: [String: Int] = [:]
        var parameter: Int?
        var routes: [Route] = []
    }

    private var nodes = [Node()]
    private var nodeByLiteralPath: [String: Int] = [:]

    var routes: [Route] { nodes.flatMap(\.routes) }

    mutating func insert(_ handler: any Handler, method: HTTPMethod, pattern: RoutePattern) {
        let node = pattern.segments.reduce(0) { child(of: $0, for: $1) }
        let route = Route(
            method: method, pattern: pattern, parameterNames: pattern.parameterNames, handler: handler)
        nodes[node].routes.removeAll { $0.method == method }
        nodes[node].routes.append(route)
        if let path = pattern.literalPath { nodeByLiteralPath[path] = node }
    }

    private mutating func child(of node: Int, for segment: RoutePattern.Segment) -> Int {
        let existing =
            switch segment {
            case .literal(let text): nodes[node].literals[text]
            case .parameter: nodes[node].parameter
            }
        if let existing { return existing }
        nodes.append(Node())
        switch segment {
        case .literal(let text): nodes[node].literals[text] = nodes.count - 1
        case .parameter: nodes[node].parameter = nodes.count - 1
        }
        return nodes.count - 1
    }
}

extension RouteTable {
    func match(_ request: HTTPRequest) -> Match {
        // Most paths hold no parameter: one look-up with the string as it came.
        let path = request.pathWithoutQuery
        let literal = path.endIndex == request.path.endIndex ? request.path : String(path)
        if let node = nodeByLiteralPath[literal] { return choose(node, [], request.method) }
        // RFC 9110 §9.3.7: `OPTIONS *` asks about the server, not about a resource.
        if literal == "*", request.method == .options { return .answer(HTTPResponse(status: .noContent)) }
        guard let segments = Self.segments(of: path) else {
            return .answer(.problem(.malformedRequest("The path is not percent-encoded UTF-8.")))
        }
        // RFC 3986 §6.2.2.3: a client has removed dot segments; whoever sends one wants to leave the tree.
        guard !segments.contains(where: { $0 == "." || $0 == ".." }) else {
            return .answer(.problem(status: .notFound))
        }
        guard let (node, values) = find(segments[...], below: 0, []) else {
            return .answer(.problem(status: .notFound))
        }
        return choose(node, values, request.method)
    }

    /// The decoded segments; nil when the encoding is broken.
    ///
    /// Decoding comes after splitting, so `%2F` is no separator.
    private static func segments(of path: Substring) -> [String]? {
        guard path.utf8.first == 0x2F else { return nil }
        var segments: [String] = []
        for part in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let segment = percentDecoded(part.utf8, plusIsSpace: false) else { return nil }
            segments.append(segment)
        }
        return segments
    }

    /// Finds the node that the segments lead to, the literal way first, and the parameters on the way.
    private func find(
        _ segments: ArraySlice<String>, below node: Int, _ values: [String]
    ) -> (node: Int, values: [String])? {
        guard let segment = segments.first else { return nodes[node].routes.isEmpty ? nil : (node, values) }
        if let next = nodes[node].literals[segment], let found = find(segments.dropFirst(), below: next, values) {
            return found
        }
        guard let next = nodes[node].parameter, !segment.isEmpty else { return nil }
        return find(segments.dropFirst(), below: next, values + [segment])
    }

    private func choose(_ node: Int, _ values: [String], _ method: HTTPMethod) -> Match {
        let routes = nodes[node].routes
        if let route = routes.first(where: { $0.method == method }) {
            return .endpoint(route.handler, PathParameters.Values(route.parameterNames, values))
        }
        if method == .head, let route = routes.first(where: { $0.method == .get }) {
            return .endpointWithoutContent(route.handler, PathParameters.Values(route.parameterNames, values))
        }
        return .answer(Self.answer(to: method, allowing: routes.map(\.method)))
    }

    private static func answer(to method: HTTPMethod, allowing methods: [HTTPMethod]) -> HTTPResponse {
        var allowed = methods.map(\.rawValue)
        if allowed.contains("GET"), !allowed.contains("HEAD") { allowed.append("HEAD") }
        if !allowed.contains("OPTIONS") { allowed.append("OPTIONS") }
        var response = method == .options ? HTTPResponse(status: .noContent) : .problem(status: .methodNotAllowed)
        // RFC 9110 §15.5.6: 405 says what the resource does allow.
        response.fields["Allow"] = allowed.sorted().joined(separator: ", ")
        return response
    }
}
