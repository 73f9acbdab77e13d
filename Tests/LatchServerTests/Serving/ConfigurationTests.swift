// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import LatchServer
import LatchTesting
import TestSupport
import Testing

@Suite struct ConfigurationTests {
    static let echo = ClosureHandler { HTTPResponse(status: .ok, body: $0.body) }
    static let request = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nX: y\r\n\r\nabc"

    static func statuses(_ configuration: Server.Configuration) async throws -> [HTTPStatus] {
        try await serving(echo, configuration: configuration) { address in
            let client = try RawClient(port: address.port)
            await client.send(request)
            client.endSending()
            return await client.receiveResponses().map(\.status)
        }
    }

    @Test func `A server's configuration can set every limit to its maximum`() async throws {
        var configuration = Server.Configuration()
        configuration.maximumHeaderBytes = .max
        configuration.maximumHeaderFields = .max
        configuration.maximumBodyBytes = .max
        configuration.maximumConnections = .max
        configuration.maximumConnectionsPerAddress = .max
        configuration.backlog = .max
        configuration.minimumSendRate = .max
        (configuration.headDeadline, configuration.bodyDeadline) = (.seconds(Int64.max), .seconds(Int64.max))
        (configuration.idleTimeout, configuration.keepAliveTimeout) = (.seconds(Int64.max), .seconds(Int64.max))
        try await expectEqual(Self.statuses(configuration), [.ok])
    }

    @Test func `A server's configuration rejects every request when a limit is zero or less`() async throws {
        for limit in [0, -1] {
            var (bytes, fields, content) = (Server.Configuration(), Server.Configuration(), Server.Configuration())
            bytes.maximumHeaderBytes = limit
            fields.maximumHeaderFields = limit
            content.maximumBodyBytes = limit
            try await expectEqual(Self.statuses(bytes), [431])
            try await expectEqual(Self.statuses(fields), [431])
            try await expectEqual(Self.statuses(content), [.contentTooLarge])
        }
    }

    @Test func `A server's configuration accepts no connection when none is allowed`() async throws {
        var configuration = Server.Configuration()
        configuration.maximumConnections = 0
        try await expectEqual(Self.statuses(configuration), [.serviceUnavailable])
    }

    @Test(arguments: [0, -3, 1, 3])
    func `A server's configuration has at least one loop`(loops: Int) async throws {
        var configuration = Server.Configuration()
        configuration.loops = loops
        try await expectEqual(Self.statuses(configuration), [.ok])
    }

    @Test(arguments: [Duration.zero, .seconds(-5)])
    func `A server's configuration gives no time when a deadline is zero or less`(deadline: Duration) async throws {
        var configuration = Server.Configuration()
        configuration.bodyDeadline = deadline
        try await serving(Self.echo, configuration: configuration) { address in
            let client = try RawClient(port: address.port)
            await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nab")
            await expectEqual(client.receiveResponses().map(\.status), [408])
        }
    }

    @Test func `A server's configuration treats a send rate of zero or less as none`() async throws {
        var configuration = Server.Configuration()
        configuration.minimumSendRate = 0
        try await expectEqual(Self.statuses(configuration), [.ok])
    }

    @Test func `A server's configuration uses loopback, any port and finite limits by default`() {
        let configuration = Server.Configuration()
        expectEqual(configuration.host, "127.0.0.1")
        expectEqual(configuration.port, 0)
        expectNil(configuration.tls)
        #expect(configuration.maximumHeaderBytes <= 64 * 1024)
        #expect(configuration.maximumBodyBytes <= 1 << 20)
        expectEqual(Server.Configuration(port: 80).host, "127.0.0.1")
        expectEqual(Server.Configuration(host: "::1", port: 80).port, 80)
    }
}
