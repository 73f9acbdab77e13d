// SPDX-License-Identifier: Apache-2.0
#if canImport(Darwin)

import LatchHTTP

/// There are no sockets of ours on Apple's platforms: there the router runs in process.
final class Engine: Sendable {
    static func start(
        _ handler: any Handler, _ configuration: Server.Configuration
    ) throws(ServerError) -> (Engine, Server.Address) {
        throw .addressUnavailable(configuration.host, why: "this platform is served in process only")
    }

    var connectionCount: Int { 0 }

    func stop(grace: Duration) async {}
}

#endif
