// SPDX-License-Identifier: Apache-2.0
#if canImport(Darwin)

/// The engine on Apple's platforms, which serves no sockets: the router runs in process there.
final class Engine: Sendable {
    static func start(
        _ handler: any Handler, _ configuration: Server.Configuration
    ) throws(ServerError) -> (Engine, Server.Address) {
        throw .addressUnavailable(configuration.host, why: "on this platform handlers run in process only")
    }

    var connectionCount: Int { 0 }

    let memory = MemoryBudget(limit: 0)

    func stop(grace: Duration) async {}
}

extension Server {
    /// Does nothing: on Apple's platforms handlers run in process only.
    package static func raiseDescriptorLimit() {}
}

#endif
