// SPDX-License-Identifier: Apache-2.0

public import LatchHTTP

/// The key under which the router leaves the parameters of the path.
enum PathParameters: HTTPContextKey {
    struct Values: Sendable {
        private let names: [String]
        private let values: [String]

        init(_ names: [String], _ values: [String]) {
            self.names = names
            self.values = values
        }

        var isEmpty: Bool { names.isEmpty }

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
