// SPDX-License-Identifier: Apache-2.0

/// The endpoints of a router, in a trie of the segments of their paths.
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
        /// The children by the bytes of their decoded literal segment, in the order of `precedes(_:_:)`.
        var literals: [(segment: [UInt8], node: Int)] = []
        /// The child for a parameter; one for all names, since each route has names of its own.
        var parameter: Int?
        /// The routes that end here, at most one for each method.
        var routes: [Route] = []

        /// The child for a literal segment.
        func child(named segment: UnsafeBufferPointer<UInt8>) -> Int? {
            let index = index(of: segment)
            guard index < literals.count, literals[index].segment.withUnsafeBufferPointer(segment.holdsSameBytes) else {
                return nil
            }
            return literals[index].node
        }

        /// Adds a child for a literal segment that has none.
        mutating func insert(_ segment: [UInt8], _ node: Int) {
            literals.insert((segment, node), at: segment.withUnsafeBufferPointer(index))
        }

        /// Returns the index of the first literal that does not precede a segment.
        private func index(of segment: UnsafeBufferPointer<UInt8>) -> Int {
            var (low, high) = (0, literals.count)
            while low < high {
                let middle = (low + high) / 2
                if Self.precedes(literals[middle].segment, segment) { low = middle + 1 } else { high = middle }
            }
            return low
        }

        /// Whether a segment is shorter than another one, or as long and less by its bytes.
        private static func precedes(_ left: [UInt8], _ right: UnsafeBufferPointer<UInt8>) -> Bool {
            guard left.count == right.count else { return left.count < right.count }
            for index in left.indices where left[index] != right[index] { return left[index] < right[index] }
            return false
        }
    }

    /// The nodes, the root first.
    private var nodes = [Node()]

    var routes: [Route] { nodes.flatMap(\.routes) }

    /// Adds a route, or replaces the one with the same method and an equivalent pattern.
    mutating func insert(_ handler: any Handler, method: HTTPMethod, pattern: RoutePattern) {
        let node = pattern.segments.reduce(0) { child(of: $0, for: $1) }
        nodes[node].routes.removeAll { $0.method == method }
        nodes[node].routes.append(Route(method, pattern, handler))
    }

    /// Returns the child of a node, which is created if it is missing.
    private mutating func child(of node: Int, for segment: RoutePattern.Segment) -> Int {
        let existing =
            switch segment {
            case .literal(let text): Array(text.utf8).withUnsafeBufferPointer(nodes[node].child)
            case .parameter: nodes[node].parameter
            }
        if let existing { return existing }
        nodes.append(Node())
        switch segment {
        case .literal(let text): nodes[node].insert(Array(text.utf8), nodes.count - 1)
        case .parameter: nodes[node].parameter = nodes.count - 1
        }
        return nodes.count - 1
    }
}

extension RouteTable {
    /// Matches a request; every path has a result.
    func match(_ request: HTTPRequest) -> Match {
        var path = request.pathWithoutQuery
        // RFC 9110 §9.3.7: `OPTIONS *` refers to the server, not to a resource.
        if path == "*", request.method == .options { return .response(HTTPResponse(status: .noContent)) }
        guard request.path.utf8.first == 0x2F else { return .response(.problem(status: .notFound)) }
        do throws(ServerError) {
            var values: [String] = []
            let found = path.withUTF8 { path in
                Result { () throws(ServerError) in try find(path, from: 1, below: 0, &values) }
            }
            guard let node = try found.get() else { return .response(.problem(status: .notFound)) }
            return choose(node, values, request.method)
        } catch { return .response(.problem(error)) }
    }

    /// Finds the node of a path from the segment at `start` on, and appends the parameters to `values`.
    ///
    /// Segments are decoded after splitting, so `%2F` does not separate.
    private func find(
        _ path: UnsafeBufferPointer<UInt8>, from start: Int, below node: Int, _ values: inout [String]
    ) throws(ServerError) -> Int? {
        var (end, isEncoded) = (start, false)
        while end < path.count, path[end] != 0x2F {
            if path[end] == 0x25 { isEncoded = true }
            end += 1
        }
        let segment = UnsafeBufferPointer(rebasing: path[start..<end])
        guard isEncoded else { return try find(segment, path, after: end, below: node, &values) }
        guard let text = percentDecoded(Substring(decoding: segment, as: UTF8.self).utf8, plusIsSpace: false) else {
            throw .malformedRequest("The path is not percent-encoded UTF-8.")
        }
        return try Array(text.utf8).withUnsafeBufferPointer { segment throws(ServerError) in
            try find(segment, path, after: end, below: node, &values)
        }
    }

    /// Finds the node of a decoded segment, preferring literal ones, and of the path after it.
    private func find(
        _ segment: UnsafeBufferPointer<UInt8>, _ path: UnsafeBufferPointer<UInt8>, after end: Int, below node: Int,
        _ values: inout [String]
    ) throws(ServerError) -> Int? {
        if let next = nodes[node].child(named: segment), let found = try find(path, after: end, at: next, &values) {
            return found
        }
        // RFC 3986 §6.2.2.3: clients remove dot segments; one that remains may be an attempt at path traversal.
        let isEmptyOrDots = segment.count <= 2 && segment.allSatisfy { $0 == 0x2E }
        guard let next = nodes[node].parameter, !isEmptyOrDots else { return nil }
        values.append(String(decoding: segment, as: UTF8.self))
        if let found = try find(path, after: end, at: next, &values) { return found }
        values.removeLast()
        return nil
    }

    private func find(
        _ path: UnsafeBufferPointer<UInt8>, after end: Int, at node: Int, _ values: inout [String]
    ) throws(ServerError) -> Int? {
        if end < path.count { return try find(path, from: end + 1, below: node, &values) }
        return nodes[node].routes.isEmpty ? nil : node
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
