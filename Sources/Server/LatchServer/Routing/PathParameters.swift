// SPDX-License-Identifier: Apache-2.0

public import LatchHTTP

/// The key under which the router leaves the parameters of the path.
enum PathParameters: HTTPContextKey {
    /// Names and values in the order of the pattern; a few at most, so a search is quicker than a table.
    struct Values: Sendable {
        /// Those of the route's pattern, shared by all of its requests.
        private let names: [String]
        /// Decoded segments, as many as there are names.
        private let values: [String]

        init(_ names: [String], _ values: [String]) {
            self.names = names
            self.values = values
        }

        /// Whether the request can go on without a copy of its context.
        var isEmpty: Bool { names.isEmpty }

        /// The value of the first parameter with a name.
        subscript(name: String) -> String? {
            guard let index = names.firstIndex(of: name), index < values.count else { return nil }
            return values[index]
        }
    }

    static var defaultValue: Values { Values([], []) }
}

extension HTTPRequest {
    /// The segment that stands for `{name}` in the router's pattern, decoded.
    public func pathParameter(_ name: String) -> String? { context[PathParameters.self][name] }
}
