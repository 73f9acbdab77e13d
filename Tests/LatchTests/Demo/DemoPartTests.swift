// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchServer
import LatchTesting
import TestSupport
import Testing

@testable import latch_demo

/// A server of one handler, for the time of a test.
func serving<Result>(
    _ answer: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse,
    _ body: (_ url: URL) async throws -> Result
) async throws -> Result {
    let server = Server(handler: ClosureHandler(answer), configuration: .patient)
    let url = try #require(URL(string: try await server.start().url))
    do {
        let result = try await body(url)
        await server.shutdown(grace: .seconds(5))
        return result
    } catch {
        await server.shutdown(grace: .seconds(5))
        throw error
    }
}

@Suite struct CountingTransportTests {
    @Test
    func `The counting transport counts refreshes, other requests, and responses that refuse the credential`()
        async throws
    {
        let transport = CountingTransport()
        try await serving { request in
            HTTPResponse(status: request.path.contains("refused") ? .unauthorized : .ok)
        } _: { url in
            let client = Client(baseURL: url, transport: transport)
            for path in ["api/auth/refresh-token", "user/profile", "refused", "refused/refresh-token"] {
                _ = try await client.respond(to: client.request(.get, RoutePath(path)))
            }
        }
        let counts = transport.counts
        expectEqual(counts.refreshes, 2)
        expectEqual(counts.others, 2)
        expectEqual(counts.refusals, 2)
        expectEqual(counts.open, 0)
        expectEqual(counts.peak, 1)
        #expect(counts.lastRefresh > .zero)
    }

    @Test func `The counting transport counts a failed request as closed`() async throws {
        let transport = CountingTransport()
        // The discard port (RFC 863) has no listener.
        let url = try #require(URL(string: "http://127.0.0.1:9"))
        let client = Client(baseURL: url, transport: transport)
        await #expect(throws: (any Error).self) { try await client.respond(to: client.request(.get, "x")) }
        expectEqual(transport.counts.open, 0)
        expectEqual(transport.counts.others, 1)
        expectEqual(transport.counts.refusals, 0)
    }
}

@Suite struct DemoMetricsTests {
    private func read(_ text: String) async throws -> ServerMetrics {
        try await serving { _ in
            HTTPResponse(status: .ok, body: HTTPBody(text))
        } _: { url in
            try await ServerMetrics(readingFrom: url)
        }
    }

    @Test func `The server's metrics in the demonstration are found by name and labels`() async throws {
        let metrics = try await read(
            """
            # TYPE latch_tokens_issued_total counter
            latch_tokens_issued_total{grant="password"} 9
            latch_tokens_issued_total{grant="refresh_token"} 7
            latch_token_replays_total{outcome="repeated"} 2
            latch_token_replays_total{outcome="revoked"} 5
            latch_families_revoked_total 3

            """)
        expectEqual(metrics.refreshes, 7)
        expectEqual(metrics.repeats, 2)
        expectEqual(metrics.revoked, 3)
    }

    @Test(arguments: ["", "# nothing", "latch_families_revoked_total", "latch_families_revoked_total x", "\n\n"])
    func `The server's metrics in the demonstration are 0 if they are absent`(text: String) async throws {
        let metrics = try await read(text)
        expectEqual([metrics.refreshes, metrics.repeats, metrics.revoked], [0, 0, 0])
    }
}

@Suite struct DemoFilesTests {
    @Test func `The folder of a demonstration's files is private to its owner, and leaves nothing behind`() throws {
        let folder = try DemoDirectory()
        let root = folder.path("")
        let permissions = try FileManager.default.attributesOfItem(atPath: String(root.dropLast()))[.posixPermissions]
        expectEqual(permissions as? UInt, 0o700)
        try folder.write("one\ntwo", to: "file")
        expectEqual(folder.text("file"), "one\ntwo")
        #expect(folder.text("nothing").isEmpty)
        try folder.remove()
        #expect(!FileManager.default.fileExists(atPath: root))
        // A second end, as after an interrupt, finds nothing to do.
        try folder.remove()
    }

    @Test func `The folder of a demonstration's files is a new one each time`() throws {
        let folders = [try DemoDirectory(), try DemoDirectory()]
        expectNotEqual(folders[0].path("x"), folders[1].path("x"))
        for folder in folders { try folder.remove() }
    }
}

@Suite struct DemoServerProcessTests {
    @Test func `The server process of a demonstration does not start again once it is over`() async throws {
        let folder = try DemoDirectory()
        let server = ServerProcess(in: folder, environment: [:])
        expectEqual(server.id, 0)
        #expect(!server.isOver)
        await server.finish()
        await server.finish()
        #expect(server.isOver)
        await #expect(throws: DemoFailure.self) { try await server.start() }
        await expectNil(server.terminate())
        try folder.remove()
    }
}
