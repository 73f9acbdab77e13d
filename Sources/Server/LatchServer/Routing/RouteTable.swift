// SPDX-License-Identifier: Apache-2.0

/// The endpoints of a router, in a trie of their path segments.
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
        /// What the server's author says about the endpoint; nil for nothing.
        let description: (any Sendable)?

        init(
            _ method: HTTPMethod, _ pattern: RoutePattern, _ handler: any Handler, _ description: (any Sendable)?
        ) {
            (self.method, self.pattern, self.handler) = (method, pattern, NextHandler(handler))
            (patternText, parameterNames) = (pattern.text, pattern.parameterNames)
            self.description = description
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
        /// The child for a parameter; one for all names, since each route has its own names.
        var parameter: Int?
        /// The child for the rest of a path.
        var rest: Int?
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

        /// Adds a child for a literal segment that does not have one.
        mutating func insert(_ segment: [UInt8], _ node: Int) {
            literals.insert((segment, node), at: segment.withUnsafeBufferPointer(index))
        }

        /// The route for a method; the route of `GET` also serves `HEAD` (RFC 9110 §9.3.2).
        func route(for method: HTTPMethod) -> Route? {
            routes.first { $0.method == method } ?? (method == .head ? routes.first { $0.method == .get } : nil)
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

        /// Whether a segment is shorter than another one, or equally long and less by its bytes.
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
    mutating func insert(
        _ handler: any Handler, method: HTTPMethod, pattern: RoutePattern, description: (any Sendable)? = nil
    ) {
        let node = pattern.segments.reduce(0) { child(of: $0, for: $1) }
        nodes[node].routes.removeAll { $0.method == method }
        nodes[node].routes.append(Route(method, pattern, handler, description))
    }

    /// Returns the child of a node, which is created if it is missing.
    private mutating func child(of node: Int, for segment: RoutePattern.Segment) -> Int {
        let existing =
            switch segment {
            case .literal(let text): Array(text.utf8).withUnsafeBufferPointer(nodes[node].child)
            case .parameter: nodes[node].parameter
            case .rest: nodes[node].rest
            }
        if let existing { return existing }
        nodes.append(Node())
        switch segment {
        case .literal(let text): nodes[node].insert(Array(text.utf8), nodes.count - 1)
        case .parameter: nodes[node].parameter = nodes.count - 1
        case .rest: nodes[node].rest = nodes.count - 1
        }
        return nodes.count - 1
    }
}

extension RouteTable {
    /// Matches a request; every path has a result.
    func match(_ request: HTTPRequest, _ trailingSlash: Router.TrailingSlash) -> Match {
        var path = request.pathWithoutQuery
        // RFC 9110 §9.3.7: `OPTIONS *` refers to the server, not to a resource.
        if path == "*", request.method == .options { return .response(HTTPResponse(status: .noContent)) }
        guard request.path.utf8.first == 0x2F else { return .response(.problem(status: .notFound)) }
        do throws(ServerError) {
            if let match = try match(&path, request.method) { return match }
            guard trailingSlash != .significant, var other = Self.togglingSlash(path),
                let match = try match(&other, request.method)
            else { return .response(.problem(status: .notFound)) }
            return trailingSlash == .redirected ? .response(.redirect(request, to: other)) : match
        } catch { return .response(.problem(error)) }
    }

    /// Returns a path with a trailing slash added or removed; nil for the root.
    private static func togglingSlash(_ path: String) -> String? {
        guard path.utf8.count > 1 else { return nil }
        return path.utf8.last == 0x2F ? String(Substring(path.utf8.dropLast())) : path + "/"
    }

    /// Matches a path and a method; nil if no route has the path.
    private func match(_ path: inout String, _ method: HTTPMethod) throws(ServerError) -> Match? {
        var values: [String] = []
        let found = try path.withUTF8 { path in
            Result { () throws(ServerError) in
                try find(Path(bytes: path), from: 1, below: 0, &values) { nodes[$0].route(for: method) != nil }
            }
        }.get()
        if let found, let route = nodes[found].route(for: method) { return .endpoint(route, values) }
        var methods: Set<HTTPMethod> = []
        values = []
        _ = try path.withUTF8 { path in
            Result { () throws(ServerError) in
                try find(Path(bytes: path), from: 1, below: 0, &values) { node in
                    methods.formUnion(nodes[node].routes.map(\.method))
                    return false
                }
            }
        }.get()
        return methods.isEmpty ? nil : .response(Self.response(to: method, allowing: methods))
    }

    /// The bytes of a path.
    private struct Path {
        let bytes: UnsafeBufferPointer<UInt8>

        /// Decodes a part of the path, whose slashes separate segments before decoding.
        func decoded(_ part: Range<Int>) throws(ServerError) -> String {
            let text = Substring(decoding: bytes[part], as: UTF8.self)
            guard let text = percentDecoded(text.utf8, plusIsSpace: false) else {
                throw .malformedRequest("The path is not percent-encoded UTF-8.")
            }
            return text
        }
    }

    /// Finds the node of a path from the segment at `start` on, and appends the parameters to `values`.
    ///
    /// The first node for which `isWanted` is true counts. A literal segment precedes a parameter, and both precede
    /// the rest.
    /// Segments are decoded after splitting, so `%2F` does not separate.
    private func find(
        _ path: Path, from start: Int, below node: Int, _ values: inout [String], where isWanted: (Int) -> Bool
    ) throws(ServerError) -> Int? {
        var (end, isEncoded) = (start, false)
        while end < path.bytes.count, path.bytes[end] != 0x2F {
            if path.bytes[end] == 0x25 { isEncoded = true }
            end += 1
        }
        guard isEncoded else {
            let segment = UnsafeBufferPointer(rebasing: path.bytes[start..<end])
            return try find(segment, path, start..<end, below: node, &values, where: isWanted)
        }
        return try Array(path.decoded(start..<end).utf8).withUnsafeBufferPointer { segment throws(ServerError) in
            try find(segment, path, start..<end, below: node, &values, where: isWanted)
        }
    }

    /// Finds the node of a decoded segment and of the path after it.
    private func find(
        _ segment: UnsafeBufferPointer<UInt8>, _ path: Path, _ part: Range<Int>, below node: Int,
        _ values: inout [String], where isWanted: (Int) -> Bool
    ) throws(ServerError) -> Int? {
        func findRest(at next: Int) throws(ServerError) -> Int? {
            guard part.upperBound < path.bytes.count else { return isWanted(next) ? next : nil }
            return try find(path, from: part.upperBound + 1, below: next, &values, where: isWanted)
        }
        if let next = nodes[node].child(named: segment), let found = try findRest(at: next) { return found }
        // RFC 3986 §6.2.2.3: clients remove dot segments, so a remaining one may be an attempt at path traversal.
        if let next = nodes[node].parameter, !Self.isEmptyOrDots(segment) {
            values.append(String(decoding: segment, as: UTF8.self))
            if let found = try findRest(at: next) { return found }
            values.removeLast()
        }
        guard let next = nodes[node].rest, let rest = try Self.rest(of: path, from: part.lowerBound), isWanted(next)
        else { return nil }
        values.append(rest)
        return next
    }

    /// Whether a segment is empty, `.` or `..`.
    private static func isEmptyOrDots(_ segment: some Collection<UInt8>) -> Bool {
        segment.count <= 2 && segment.allSatisfy { $0 == 0x2E }
    }

    /// Returns the rest of a path, decoded; nil if it has an empty segment before its end, or a dot segment.
    private static func rest(of path: Path, from start: Int) throws(ServerError) -> String? {
        let rest = try path.decoded(start..<path.bytes.count)
        // An encoded slash separates here, since a handler cannot distinguish it from others.
        let segments = rest.utf8.split(separator: 0x2F, omittingEmptySubsequences: false)
        guard !segments.dropLast().contains(where: isEmptyOrDots) else { return nil }
        return segments.last.map { !$0.isEmpty && isEmptyOrDots($0) } == true ? nil : rest
    }

    /// Returns the response for an existing path and a method without an endpoint.
    private static func response(to method: HTTPMethod, allowing methods: Set<HTTPMethod>) -> HTTPResponse {
        var allowed = methods
        if allowed.contains(.get) { allowed.insert(.head) }
        allowed.insert(.options)
        var response = method == .options ? HTTPResponse(status: .noContent) : .problem(status: .methodNotAllowed)
        // RFC 9110 §15.5.6: 405 lists the methods that the resource allows.
        response.fields["Allow"] = allowed.map(\.rawValue).sorted().joined(separator: ", ")
        return response
    }
}
