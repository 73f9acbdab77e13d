// SPDX-License-Identifier: Apache-2.0

/// The rules by which a server receives the content of requests, by the prefixes of their paths.
package struct ContentPolicy: Sendable {
    /// A handler's rule for the content of its requests, wherever it is mounted.
    package struct Rule: Sendable, Hashable {
        /// The maximum size in bytes.
        package let limit: Int
        /// Whether the handler reads the content while it arrives.
        package let isStreamed: Bool

        /// Creates a rule.
        package init(limit: Int, isStreamed: Bool) { (self.limit, self.isStreamed) = (limit, isStreamed) }
    }

    /// A function that returns the rule for a method and a path with its query; nil if there is none.
    package typealias RuleFinder = @Sendable (HTTPMethod, String) -> Rule?

    /// The maximum sizes in bytes; the handler reports content that is larger, or that arrives too slowly.
    package var limits: [String: Int]
    /// The paths whose handler reads the content while it arrives.
    package var streamed: Set<String>
    /// The rule for all requests of a handler; nil for most.
    package var own: Rule?
    /// The rules of a router's endpoints, which a merged or mounted policy does not have; nil if there are none.
    package var rule: RuleFinder?

    /// Creates a policy.
    package init(limits: [String: Int] = [:], streamed: Set<String> = []) {
        self.limits = limits
        self.streamed = streamed
    }

    /// Returns this policy with the rules of another one, which take precedence.
    package func merging(_ other: ContentPolicy) -> ContentPolicy {
        ContentPolicy(limits: limits.merging(other.limits) { $1 }, streamed: streamed.union(other.streamed))
    }

    /// Returns the rules for a handler at a router's pattern, such as `/api/shop.v1.Shop/{method}` for
    /// `/shop.v1.Shop/`.
    ///
    /// Rules for folders outside the pattern's are left out, and so are rules below a parameter.
    package func mounted(at pattern: String) -> ContentPolicy {
        let folder = Self.folder(of: pattern)
        func mounted(_ path: String) -> String? {
            let own = Self.folder(of: path)
            guard folder.utf8.count >= own.utf8.count else { return nil }
            let mount = folder.utf8.dropLast(own.utf8.count)
            guard folder.utf8.dropFirst(mount.count).elementsEqual(own.utf8), !mount.contains(UInt8(ascii: "{")) else {
                return nil
            }
            return String(decoding: mount, as: UTF8.self) + path
        }
        var result = ContentPolicy()
        for (path, limit) in limits { if let path = mounted(path) { result.limits[path] = limit } }
        result.streamed = Set(streamed.compactMap(mounted))
        return result
    }

    /// The path up to its last slash.
    private static func folder(of path: String) -> Substring {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? ""
    }
}

/// A handler that defines how a server receives the content of its requests.
package protocol ContentPolicyHandler: Handler {
    /// The rules for the handler's paths.
    var contentPolicy: ContentPolicy { get }
}
