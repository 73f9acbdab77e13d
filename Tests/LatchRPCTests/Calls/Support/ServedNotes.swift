// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchRPC
import LatchServer

/// The test service behind a real socket on loopback, for as long as `body` runs.
func withServedNotes(limits: RPCLimits = .standard, _ body: (_ url: String) async throws -> Void) async throws {
    try await serving(RPCService(NotesService().handlers, limits: limits), body)
}

/// A service behind a real socket on loopback, for as long as `body` runs.
func serving(_ service: RPCService, _ body: (_ url: String) async throws -> Void) async throws {
    var configuration = Server.Configuration()
    configuration.maximumBodyBytes = 16 << 20
    try await serving(service, configuration, body)
}

/// The same, on a server that bears what a configuration says.
func serving(
    _ service: RPCService, _ configuration: Server.Configuration, _ body: (_ url: String) async throws -> Void
) async throws {
    var router = Router()
    router.on(service.routes, handledBy: service)
    try await serving(router, configuration, body)
}

/// A router behind a real socket on loopback, for as long as `body` runs.
func serving(
    _ router: Router, _ configuration: Server.Configuration, _ body: (_ url: String) async throws -> Void
) async throws {
    let server = Server(handler: router, configuration: configuration)
    let address = try await server.start()
    do {
        try await body(address.url)
    } catch {
        await server.shutdown(grace: .zero)
        throw error
    }
    await server.shutdown(grace: .zero)
}

/// The messages of a stream, and what came after them.
func collect(_ stream: RPCStream<Note>) async throws -> (notes: [Note], trailers: HTTPFields) {
    var notes: [Note] = []
    for try await note in stream { notes.append(note) }
    return (notes, stream.trailers)
}
