// SPDX-License-Identifier: Apache-2.0

import LatchFoundation
import LatchHTTP
import LatchRPC
public import LatchServer

/// The server under test: `Server` with `RPCService`, at a free port of this machine.
public enum ConformanceServer {
    /// Starts a server with the configuration of the runner, and returns its address.
    ///
    /// - Throws: `UnusableRequest` for what our server does not do.
    public static func start(_ request: ServerCompatRequest) async throws -> (server: Server, ServerCompatResponse) {
        guard request.httpVersion != .httpVersion3 else {
            throw UnusableRequest(reason: "this server speaks HTTP/1.1 and HTTP/2")
        }
        guard request.clientTlsCert.isEmpty else { throw UnusableRequest(reason: "it asks for no certificates") }
        var configuration = Server.Configuration()
        configuration.maximumBodyBytes = 16 << 20
        if request.useTls, let credentials = request.serverCreds {
            configuration.tls = Server.TLS(certificate: Array(credentials.cert), key: Array(credentials.key))
        }
        let server = Server(handler: router(limit: Int(request.messageReceiveLimit)), configuration: configuration)
        let address = try await server.start()
        let answer = ServerCompatResponse(
            host: "127.0.0.1", port: UInt32(address.port),
            pemCert: request.useTls ? request.serverCreds?.cert ?? Data() : Data())
        return (server, answer)
    }

    /// The service behind the routes of its methods.
    private static func router(limit: Int) -> Router {
        var gzip = RPCCompression.gzip
        gzip.minimumMessageBytes = 0
        let service = RPCService(
            ConformanceService().rpcMethods, limits: limit == 0 ? .standard : RPCLimits(messageBytes: limit),
            compressions: [gzip], types: ConformanceTypes.all)
        var router = Router(interceptors: [CallQueryInterceptor()])
        router.on(service.routes, handledBy: service)
        return router
    }
}
