// SPDX-License-Identifier: Apache-2.0

/// How much content a request may have, by its path.
struct ContentLimits: Sendable {
    private let usual: Int
    /// The longest first, so that the first that fits is the narrowest.
    private let byPath: [(prefix: String, bytes: Int)]

    /// What a configuration says.
    init(_ configuration: Server.Configuration) {
        usual = configuration.maximumBodyBytes
        byPath = configuration.contentLimits
            .map { (prefix: $0.key, bytes: $0.value) }
            .sorted { $0.prefix.utf8.count > $1.prefix.utf8.count }
    }

    /// The limit at a path, and whether the handler says that it is passed, and not the server.
    func limit(at path: String) -> (bytes: Int, isHandlers: Bool) {
        for limit in byPath where path.hasPrefix(limit.prefix) { return (limit.bytes, true) }
        return (usual, false)
    }
}
