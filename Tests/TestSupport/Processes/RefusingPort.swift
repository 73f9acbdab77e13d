// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchServer

/// A port of loopback at which connections are refused, and which no other test gets meanwhile; a server may listen there again.
public final class RefusingPort: Sendable {
    /// The number, which stays reserved while the value lives.
    public let port: Int
    private let server: Server

    /// Takes a port; 0 stands for any free one.
    ///
    /// - Throws: `ServerError.portInUse`.
    public init(_ port: Int = 0) throws {
        // Bound, and never started.
        server = Server(
            handler: ClosureHandler { _ in HTTPResponse(status: .serviceUnavailable) }, configuration: .init(port: port)
        )
        self.port = try server.bind().port
    }

    deinit {
        Task { [server] in await server.shutdown(grace: .zero) }
    }
}
