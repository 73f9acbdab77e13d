// SPDX-License-Identifier: Apache-2.0

public import LatchHTTP
public import LatchServer
public import LatchTesting

/// Runs a test's body twice: with the handler in process, and with the same handler behind a real socket.
///
/// ```swift
/// try await bothWays(router) { api in
///     let response = try await api.respond(to: HTTPRequest(authority: "localhost", path: "/users/7"))
///     expectEqual(response.status, .ok)
/// }
/// ```
///
/// What the handler throws is a problem in both cases, as clients see it.
public func bothWays(
    _ handler: any Handler, configuration: Server.Configuration = .patient,
    _ body: (any Handler) async throws -> Void
) async throws {
    try await body(handler.intercepted(by: [ProblemInterceptor()]))
    try await serving(handler, configuration: configuration) { address in
        try await body(SocketHandler(address: address))
    }
}

/// Serves a handler while the body runs, and shuts the server down whatever comes of it.
public func serving<Result: Sendable>(
    _ handler: any Handler, configuration: Server.Configuration = .patient,
    _ body: (Server.Address) async throws -> Result
) async throws -> Result {
    let server = Server(handler: handler, configuration: configuration)
    /// The address of the server that is up for the body.
    let address = try await server.start()
    do {
        let result = try await body(address)
        await server.shutdown(grace: .seconds(5))
        return result
    } catch {
        await server.shutdown(grace: .zero)
        throw error
    }
}

extension Server.Configuration {
    /// A configuration for tests that are not about deadlines: on a busy machine they may wait long for their turn.
    public static var patient: Server.Configuration {
        var configuration = Server.Configuration()
        configuration.headDeadline = .seconds(600)
        configuration.bodyDeadline = .seconds(600)
        configuration.idleTimeout = .seconds(600)
        configuration.keepAliveTimeout = .seconds(600)
        return configuration
    }

    /// The usual configuration, whose deadlines pass when the test says so.
    public static func kept(by uptime: ManualUptime) -> Server.Configuration {
        var configuration = Server.Configuration()
        configuration.uptime = { uptime.nanoseconds }
        return configuration
    }
}

/// Sends each request as it is over a connection of its own.
private struct SocketHandler: Handler {
    /// The address of the server that is up for the body.
    let address: Server.Address

    /// Writes the request by hand, so that the server's reading is tested against no code of ours.
    ///
    /// - Throws: `HTTPError.malformedMessage` where the connection ends before a whole response.
    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let connection = try RawClient(port: address.port)
        var head =
            "\(request.method) \(request.path) HTTP/1.1\r\nHost: \(request.authority)\r\nConnection: close\r\n"
        for field in request.fields { head += "\(field.name): \(field.value)\r\n" }
        if !request.body.isEmpty { head += "Content-Length: \(request.body.bytes.count)\r\n" }
        await connection.send(Array((head + "\r\n").utf8) + request.body.bytes)
        guard let response = await connection.receiveResponse(toHead: request.method == .head) else {
            throw HTTPError.malformedMessage
        }
        return response
    }
}
