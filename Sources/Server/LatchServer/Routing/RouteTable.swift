// SPDX-License-Identifier: Apache-2.0

/// The endpoints of a router: a dictionary of the paths without parameters, and a trie of segments for all.
struct RouteTable: Sendable {
    final class Route: Sendable {
        let method: HTTPMethod
        let pattern: RoutePattern
        /// The pattern as text, stored so that a match does not compose it.
        let patternText: String
        /// The names in the pattern, stored so that a match allocates no array.
        let parameterNames: [String]
        /// The handler, inside the interceptors of its router.
        let handler: NextHandler

        init(_ method: HTTPMethod, _ pattern: RoutePattern, _ handler: any Handler) {
            (self.method, self.pattern, self.handler) = (method, pattern, NextHandler(handler))
            (patternText, parameterNames) = (pattern.text, pattern.parameterNames)
        }
    }

    /// The result of matching a request.
    enum Match {
        /// The endpoint for the request, and the values of its parameters; for `HEAD` it may be the one of `GET`.
        case endpoint(Route, [String])
        /// The router's own response: 404, 405, 400, or the response to `OPTIONS`.
        case response(HTTPResponse)
    }

    /// A node of the trie; nodes refer to each other by index, so the table is a value.
    private struct Node: Sendable {
        /// The children by decoded literal segment.
        var literals: [String: Int] = [:]
        /// The child for a parameter; one for all names, since each route has names of its own.
        var parameter: Int?
        /// The routes that end here, at most one for each method.
        var routes: [Route] = []
    }

    /// The nodes, the root first.
    private var nodes = [Node()]
    /// The nodes of literal paths by the path as it is sent, for a lookup without the trie.
    private var nodeByLiteralPath: [String: Int] = [:]

    var routes: [Route] { nodes.flatMap(\.routes) }

    /// Adds a route, or replaces the one with the same method and an equivalent pattern.
    mutating func insert(_ handler: any Handler, method: HTTPMethod, pattern: RoutePattern) {
        let node = pattern.segments.reduce(0) { child(of: $0, for: $1) }
        nodes[node].routes.removeAll { $0.method == method }
        nodes[node].routes.append(Route(method, pattern, handler))
        // Undecoded paths are looked up here, so a pattern that contains an escape must not be added.
        if let path = pattern.literalPath, !path.utf8.contains(0x25) { nodeByLiteralPath[path] = node }
    }

    /// Returns the child of a node, which is created if it is missing.
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
    /// Matches a request; every path has a result.
    func match(_ request: HTTPRequest) -> Match {
        // Most paths have no parameter: one lookup of the undecoded string.
        let literal = request.pathWithoutQuery
        if let node = nodeByLiteralPath[literal] { return choose(node, [], request.method) }
        // RFC 9110 §9.3.7: `OPTIONS *` refers to the server, not to a resource.
        if literal == "*", request.method == .options { return .response(HTTPResponse(status: .noContent)) }
        guard request.path.utf8.first == 0x2F else { return .response(.problem(status: .notFound)) }
        do throws(ServerError) {
            guard let (node, values) = try find(literal.utf8.dropFirst(), below: 0, []) else {
                return .response(.problem(status: .notFound))
            }
            return choose(node, values, request.method)
        } catch { return .response(.problem(error)) }
    }

    /// Finds the node of a path, preferring literal segments, and collects the parameters.
    ///
    /// Segments are decoded after splitting, so `%2F` does not separate.
    private func find(
        _ path: Substring.UTF8View, below node: Int, _ values: [String]
    ) throws(ServerError) -> (node: Int, values: [String])? {
        let end = path.firstIndex(of: 0x2F) ?? path.endIndex
        guard let segment = percentDecoded(path[..<end], plusIsSpace: false) else {
            throw .malformedRequest("The path is not percent-encoded UTF-8.")
        }
        let rest = end == path.endIndex ? nil : path[path.index(after: end)...]
        if let next = nodes[node].literals[segment], let found = try find(rest, at: next, values) { return found }
        // RFC 3986 §6.2.2.3: clients remove dot segments; one that remains may be an attempt at path traversal.
        guard let next = nodes[node].parameter, !segment.isEmpty, segment != ".", segment != ".." else { return nil }
        return try find(rest, at: next, values + [segment])
    }

    private func find(
        _ rest: Substring.UTF8View?, at node: Int, _ values: [String]
    ) throws(ServerError) -> (node: Int, values: [String])? {
        if let rest { return try find(rest, below: node, values) }
        return nodes[node].routes.isEmpty ? nil : (node, values)
    }

    /// Selects the route of a node by the method (RFC 9110 §9.3.2, §9.3.7, §15.5.6).
    private func choose(_ node: Int, _ values: [String], _ method: HTTPMethod) -> Match {
        let routes = nodes[node].routes
        let own = routes.firstIndex { $0.method == method }
        if let index = own ?? (method == .head ? routes.firstIndex { $0.method == .get } : nil) {
            return .endpoint(routes[index], values)
        }
        return .response(Self.response(to: method, allowing: routes.map(\.method)))
    }

    /// Returns the response for a path that exists and a method without an endpoint.
    private static func response(to method: HTTPMethod, allowing methods: [HTTPMethod]) -> HTTPResponse {
        var allowed = methods.map(\.rawValue)
        if allowed.contains("GET"), !allowed.contains("HEAD") { allowed.append("HEAD") }
        if !allowed.contains("OPTIONS") { allowed.append("OPTIONS") }
        var response = method == .options ? HTTPResponse(status: .noContent) : .problem(status: .methodNotAllowed)
        // RFC 9110 §15.5.6: 405 lists the methods that the resource allows.
        response.fields["Allow"] = allowed.sorted().joined(separator: ", ")
        return response
    }
}
