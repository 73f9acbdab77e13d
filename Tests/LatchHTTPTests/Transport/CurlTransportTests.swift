// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import LatchTesting
import TestSupport
import Testing

@Suite struct CurlTransportTests {
    let transport = CurlTransport()

    @Test func `A libcurl transport brings back status, fields in order and content`() async throws {
        let server = try RawHTTPServer { _ in
            .response(201, fields: ["X-A: 1", "x-a:  two ", "Set-Cookie: a=b", "Empty:"], body: "hello")
        }
        let response = try await transport.respond(to: server.request(.get, "/a/b?c=d%20e"))
        expectEqual(response.status, .created)
        expectEqual(response.body.text, "hello")
        expectEqual(response.fields.map(\.name.rawName), ["Content-Length", "X-A", "x-a", "Set-Cookie", "Empty"])
        expectEqual(response.fields.values(of: "X-A"), ["1", "two"])
        expectEqual(response.fields["empty"], "")
        expectEqual(server.requests.map(\.line), ["GET /a/b?c=d%20e HTTP/1.1"])
    }

    @Test func `A libcurl transport uses one connection for requests that follow each other`() async throws {
        let server = try RawHTTPServer { .response(body: "answer \($0.number)") }
        for number in 0..<50 {
            let response = try await transport.respond(to: server.request())
            expectEqual(response.body.text, "answer \(number)")
        }
        expectEqual(server.connectionCount, 1)
    }

    @Test func `A libcurl transport makes a new connection when the kept one was closed`() async throws {
        let server = try RawHTTPServer { _ in .closing(after: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
        for _ in 0..<5 { try await expectEqual(transport.respond(to: server.request()).body.text, "ok") }
        expectEqual(server.connectionCount, 5)
    }

    @Test func `A libcurl transport answers a thousand requests at once over few connections`() async throws {
        let server = try RawHTTPServer { .response(body: $0.line) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<1000 {
                group.addTask { [transport] in
                    let response = try await transport.respond(to: server.request(.get, "/\(number)"))
                    expectEqual(response.body.text, "GET /\(number) HTTP/1.1")
                }
            }
            try await group.waitForAll()
        }
        expectEqual(server.requests.count, 1000)
        #expect(server.connectionCount <= 64)
    }

    @Test func `A libcurl transport opens no more connections to a host than allowed`() async throws {
        var configuration = CurlTransport.Configuration()
        configuration.maximumConnectionsPerHost = 2
        let transport = CurlTransport(configuration: configuration)
        let server = try RawHTTPServer { _ in .response() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { _ = try await transport.respond(to: server.request()) } }
            try await group.waitForAll()
        }
        #expect(server.connectionCount <= 2)
    }

    @Test func `A libcurl transport forgets interim answers and trailers`() async throws {
        let server = try RawHTTPServer { _ in
            .text(
                "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "3\r\nabc\r\n2\r\nde\r\n0\r\nX-Trailer: 1\r\n\r\n")
        }
        let response = try await transport.respond(to: server.request())
        expectEqual(response.status, .ok)
        expectEqual(response.body.text, "abcde")
        expectNil(response.fields["Link"])
        expectNil(response.fields["X-Trailer"])
    }

    @Test func `A libcurl transport assembles an answer that comes byte by byte`() async throws {
        let server = try RawHTTPServer { _ in
            .trickle("HTTP/1.1 200 OK\r\nX-Slow: yes\r\nContent-Length: 5\r\n\r\nsnail")
        }
        let response = try await transport.respond(to: server.request())
        expectEqual(response.body.text, "snail")
        expectEqual(response.fields["X-Slow"], "yes")
    }

    @Test func `A libcurl transport takes content of many megabytes both ways`() async throws {
        let content = [UInt8]((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let text = String(repeating: "0123456789", count: 300_000)
        let server = try RawHTTPServer { _ in .response(body: text) }
        let response = try await transport.respond(to: server.request(.put, body: HTTPBody(content)))
        expectEqual(response.body.text, text)
        expectEqual(server.requests.first?.body, content)
        expectEqual(server.requests.first?.values(of: "Expect"), [])
    }

    @Test func `A libcurl transport follows no redirect`() async throws {
        let server = try RawHTTPServer { _ in .response(302, fields: ["Location: /elsewhere"]) }
        try await expectEqual(transport.respond(to: server.request()).status, 302)
        expectEqual(server.requests.count, 1)
    }

    @Test func `A libcurl transport keeps no cookie`() async throws {
        let server = try RawHTTPServer { _ in .response(fields: ["Set-Cookie: session=1; Path=/"]) }
        for _ in 0..<2 { _ = try await transport.respond(to: server.request()) }
        expectEqual(server.requests.map { $0.values(of: "Cookie") }, [[], []])
    }

    @Test func `A libcurl transport ends its work when it is released`() async throws {
        let server = try RawHTTPServer { _ in .response() }
        for _ in 0..<20 {
            _ = try await CurlTransport().respond(to: server.request())
        }
        var closed = 0
        for await event in server.events {
            if case .closedByClient = event { closed += 1 }
            if closed == 20 { break }
        }
        expectEqual(server.connectionCount, 20)
    }
}

@Suite struct TransportExecutorTests {
    /// An executor that does everything on the global one, but is not it.
    private final class Detour: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            let executor = asUnownedTaskExecutor()
            Task.detached { job.runSynchronously(on: executor) }
        }
    }

    @Test func `A task that runs on its own executor also gets its answers`() async throws {
        let transport = CurlTransport()
        let server = try RawHTTPServer { .response(body: "answer \($0.number)") }
        try await withTaskExecutorPreference(Detour()) {
            for number in 0..<20 {
                let response = try await transport.respond(to: server.request())
                expectEqual(response.body.text, "answer \(number)")
            }
        }
    }
}
