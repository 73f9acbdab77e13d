// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// The endpoints of a router: a map of the paths without parameters, and a tree of segments for all.
struct RouteTable: Sendable {
    struct Route: Sendable {
        let method: HTTPMethod
        let pattern: RoutePattern
        /// Kept beside the pattern, so that a match makes no array.
        let parameterNames: [String]
        /// With the interceptors of its router around it.
        let handler: any Handler
    }

    /// What the router is to do with a request.
    enum Match {
        /// Ask it.
        case endpoint(any Handler, PathParameters.Values)
        /// Ask the `GET` endpoint in place of `HEAD`, and send nothing of its content.
        case endpointWithoutContent(any Handler, PathParameters.Values)
        /// No endpoint is meant: 404, 405, 400, or the answer to `OPTIONS`.
        case answer(HTTPResponse)
    }

    /// One position in the tree; nodes name each other by index, so the table stays a value.
    private struct Node: Sendable {
        /// By decoded segment.
        var literals: [String: Int] = [:]
        /// One for all names: `{id}` and `{name}` at one place are one way, each route with names of its own.
        var parameter: Int?
        /// At most one for each method; a handful, so a search is quicker than a table.
        var routes: [Route] = []
    }

    /// The root comes first and is always there.
    private var nodes = [Node()]
    /// The whole path as it comes on the wire, for the look-up that needs no tree.
    private var nodeByLiteralPath: [String: Int] = [:]

    var routes: [Route] { nodes.flatMap(\.routes) }

    /// Adds a route, or replaces the one with its method at the same place.
    mutating func insert(_ handler: any Handler, method: HTTPMethod, pattern: RoutePattern) {
        let node = pattern.segments.reduce(0) { child(of: $0, for: $1) }
        let route = Route(
            method: method, pattern: pattern, parameterNames: pattern.parameterNames, handler: handler)
        nodes[node].routes.removeAll { $0.method == method }
        nodes[node].routes.append(route)
        // Paths are looked up here as they came, so a pattern that reads like an escape is found by decoding alone.
        if let path = pattern.literalPath, !path.utf8.contains(0x25) { nodeByLiteralPath[path] = node }
    }

    /// The node below another, made where it is missing.
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
    /// Finds what to do; throws nothing, since every path has an answer.
    func match(_ request: HTTPRequest) -> Match {
        // Most paths hold no parameter: one look-up with the string as it came.
        let whole = request.path.utf8
        let end = whole.firstIndex(of: 0x3F)
        let literal = end.map { String(request.path[..<$0]) } ?? request.path
        if let node = nodeByLiteralPath[literal] { return choose(node, [], request.method) }
        // RFC 9110 §9.3.7: `OPTIONS *` asks about the server, not about a resource.
        if literal == "*", request.method == .options { return .answer(HTTPResponse(status: .noContent)) }
        guard whole.first == 0x2F else { return .answer(.problem(status: .notFound)) }
        do throws(ServerError) {
            guard let (node, values) = try find(literal.utf8.dropFirst(), below: 0, []) else {
                return .answer(.problem(status: .notFound))
            }
            return choose(node, values, request.method)
        } catch { return .answer(.problem(error)) }
    }

    /// Finds the node that the path leads to, the literal way first, and the parameters on the way.
    ///
    /// Decoding comes after splitting, so `%2F` is no separator.
    private func find(
        _ path: Substring.UTF8View, below node: Int, _ values: [String]
    ) throws(ServerError) -> (node: Int, values: [String])? {
        let end = path.firstIndex(of: 0x2F) ?? path.endIndex
        guard let segment = percentDecoded(path[..<end], plusIsSpace: false) else {
            throw .malformedRequest("The path is not percent-encoded UTF-8.")
        }
        let rest = end == path.endIndex ? nil : path[path.index(after: end)...]
        if let next = nodes[node].literals[segment], let found = try find(rest, at: next, values) { return found }
        // RFC 3986 §6.2.2.3: a client has removed dot segments; whoever sends one wants to leave the tree.
        guard let next = nodes[node].parameter, !segment.isEmpty, segment != ".", segment != ".." else { return nil }
        return try find(rest, at: next, values + [segment])
    }

    private func find(
        _ rest: Substring.UTF8View?, at node: Int, _ values: [String]
    ) throws(ServerError) -> (node: Int, values: [String])? {
        if let rest { return try find(rest, below: node, values) }
        return nodes[node].routes.isEmpty ? nil : (node, values)
    }

    /// RFC 9110 §9.3.2, §9.3.7, §15.5.6: the method decides among the routes of one place.
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

    /// What the router says by itself for a place that exists.
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
