// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import TestSupport
import TestTags
import Testing

@Suite struct LimitTests {
    typealias Requests = MalformedRequestTests

    static let small: Server.Configuration = {
        var configuration = Server.Configuration.patient
        configuration.maximumHeaderBytes = 1024
        configuration.maximumHeaderFields = 10
        configuration.maximumBodyBytes = 100
        return configuration
    }()

    @Test func `An oversized request line gets 414`() async throws {
        let line = "GET /" + String(repeating: "a", count: 5000) + " HTTP/1.1\r\nHost: a\r\n\r\n"
        let (responses, served) = try await Requests.answers(to: line, Self.small)
        expectEqual(responses.map(\.status.rawValue).first.map { $0 == 414 || $0 == 431 }, true)
        expectEqual(responses.count, 1)
        #expect(served.isEmpty)
    }

    @Test func `A request line that never ends gets 414`() async throws {
        let line = "GET /" + String(repeating: "a", count: 5000)
        try await expectEqual(Requests.answers(to: line, Self.small, followedBy: "").responses.map(\.status), [414])
    }

    @Test func `An oversized header field gets 431`() async throws {
        let head = "GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "a", count: 5000) + "\r\n\r\n"
        let (responses, served) = try await Requests.answers(to: head, Self.small)
        expectEqual(responses.map(\.status), [431])
        #expect(served.isEmpty)
    }

    @Test func `Too many header fields get 431`() async throws {
        let fields = (0..<10).map { "X\($0): a\r\n" }.joined()
        let head = "GET / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n"
        try await expectEqual(Requests.answers(to: head, Self.small).responses.map(\.status), [431])
    }

    @Test func `Content of exactly the limit is accepted`() async throws {
        let fields = (0..<8).map { "X\($0): a\r\n" }.joined()
        let head = "POST / HTTP/1.1\r\nHost: a\r\n" + fields
        let body = String(repeating: "b", count: 100)
        let (responses, _) = try await Requests.answers(
            to: head + "Content-Length: 100\r\n\r\n" + body, Self.small, followedBy: "")
        expectEqual(responses.map(\.status), [.ok])
        expectEqual(responses.first?.body.text, body)
    }

    @Test func `Content that is announced as too long is rejected before it is read`() async throws {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 101\r\n\r\n"
        let (responses, served) = try await Requests.answers(to: head, Self.small, followedBy: "")
        expectEqual(responses.map(\.status), [.contentTooLarge])
        #expect(served.isEmpty)
    }

    @Test(arguments: ["99999999999999999999", "9223372036854775807", "18446744073709551616"])
    func `A content length that overflows is rejected`(length: String) async throws {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n"
        try await expectEqual(Requests.answers(to: head, Self.small).responses.map(\.status), [.contentTooLarge])
    }

    @Test func `Chunks that exceed the limit together are rejected`() async throws {
        let chunk = "20\r\n" + String(repeating: "c", count: 32) + "\r\n"
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        let (responses, served) = try await Requests.answers(
            to: head + String(repeating: chunk, count: 4) + "0\r\n\r\n", Self.small)
        expectEqual(responses.map(\.status), [.contentTooLarge])
        #expect(served.isEmpty)
    }

    @Test func `Chunk extensions and trailers that never end are rejected`() async throws {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        for endless in ["1;" + String(repeating: "x", count: 20000), "0\r\nA: " + String(repeating: "x", count: 20000)]
        {
            try await expectEqual(Requests.answers(to: head + endless, Self.small).responses.map(\.status), [431])
        }
    }

    @Test func `The content limit applies to a client that expects 100`() async throws {
        let echo = ClosureHandler { HTTPResponse(status: .ok, body: $0.body) }
        try await serving(echo, configuration: Self.small) { address in
            let patient = try RawClient(port: address.port)
            let head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
            await patient.send(head + "Content-Length: 3\r\n\r\n")
            var rest: [UInt8] = []
            await expectEqual(patient.receiveResponse(rest: &rest)?.status, 100)
            await patient.send("abc")
            await expectEqual(patient.receiveResponse(rest: &rest)?.body.text, "abc")

            let refused = try RawClient(port: address.port)
            await refused.send(head + "Content-Length: 1000\r\n\r\n")
            await expectEqual(refused.receiveResponses().map(\.status), [.contentTooLarge])
        }
    }

    @Test
    func `The memory limit applies to all requests together, until they are answered`() async throws {
        var configuration = Server.Configuration.patient
        configuration.maximumContentBytes = 400_000  // A quarter for each address.
        let echo = ClosureHandler { HTTPResponse(status: .ok, body: HTTPBody(String($0.body.bytes.count))) }
        try await serving(echo, configuration: configuration) { address in
            let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n"
            let (first, second) = (try RawClient(port: address.port), try RawClient(port: address.port))
            await first.send(head + String(repeating: "a", count: 59_999))
            // An answer on another connection shows that what was sent before it has arrived.
            var isFull = false
            while !isFull {
                let third = try RawClient(port: address.port)
                await third.send(head + String(repeating: "b", count: 60_000))
                isFull = await third.receiveResponse()?.status == .serviceUnavailable
            }
            await first.send("a")
            await expectEqual(first.receiveResponse()?.body.text, "60000")
            await second.send(head + String(repeating: "c", count: 60_000))
            await expectEqual(second.receiveResponse()?.body.text, "60000")
        }
    }

    @Test(.tags(.decompressionBomb))
    func `Decoded content counts until its handler ends, with or without a client`() async throws {
        var configuration = Server.Configuration.patient
        configuration.maximumContentBytes = 400_000  // A quarter for each address.
        let (gate, held) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
        let handler = ClosureHandler { request in
            guard request.path == "/hold" else { return HTTPResponse(status: .ok) }
            expectEqual(request.context.memory?.reserve(80_000), true)
            held.continuation.finish()
            // A stream ends for a cancelled task as well, so that the wait is in a task of its own.
            await Task { for await _ in gate.stream {} }.value
            return HTTPResponse(status: .ok)
        }
        try await serving(handler, configuration: configuration) { address in
            let content = String(repeating: "b", count: 60_000)
            let post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n" + content
            do {
                let holder = try RawClient(port: address.port)
                await holder.send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n")
                for await _ in held.stream {}
            }
            let refused = try RawClient(port: address.port)
            await refused.send(post)
            let response = await refused.receiveResponse()
            expectEqual(response?.status, .serviceUnavailable)
            expectEqual(response?.fields[.retryAfter], "1")
            gate.continuation.finish()
            var isFree = false
            while !isFree {
                let later = try RawClient(port: address.port)
                await later.send(post)
                isFree = await later.receiveResponse()?.status == .ok
            }
        }
    }

    @Test
    func `A path can have its own content limit, and its handler reports an excess`() async throws {
        var configuration = Self.small
        configuration.contentLimits = ["/calls/": 200, "/calls/few/": 10]
        let handler = ClosureHandler { request in
            do {
                return HTTPResponse(status: .ok, body: HTTPBody(try await request.body.collected(upTo: 1000)))
            } catch HTTPError.tooLarge {
                return HTTPResponse(status: 418)
            }
        }
        func answers(to path: String, _ count: Int, isChunked: Bool) async throws -> [Int] {
            let content = String(repeating: "d", count: count)
            let framed =
                isChunked
                ? "Transfer-Encoding: chunked\r\n\r\n\(String(count, radix: 16))\r\n\(content)\r\n0\r\n\r\n"
                : "Content-Length: \(count)\r\n\r\n\(content)"
            return try await serving(handler, configuration: configuration) { address in
                let client = try RawClient(port: address.port)
                // What follows on the connection shows whether it goes on.
                await client.send("POST \(path) HTTP/1.1\r\nHost: a\r\n" + framed + Requests.smuggled)
                client.endSending()
                return await client.receiveResponses().map(\.status.rawValue)
            }
        }
        for isChunked in [false, true] {
            try await expectEqual(answers(to: "/calls/a", 200, isChunked: isChunked), [200, 200])
            try await expectEqual(answers(to: "/calls/a", 201, isChunked: isChunked), [418])
            try await expectEqual(answers(to: "/calls/few/a", 10, isChunked: isChunked), [200, 200])
            try await expectEqual(answers(to: "/calls/few/a", 11, isChunked: isChunked), [418])
            try await expectEqual(answers(to: "/call", 100, isChunked: isChunked), [200, 200])
            try await expectEqual(answers(to: "/call", 101, isChunked: isChunked), [413])
        }
    }

    @Test func `Connections are limited in total and per address`() async throws {
        var (few, fewEach) = (Server.Configuration.patient, Server.Configuration.patient)
        few.maximumConnections = 2
        fewEach.maximumConnectionsPerAddress = 2
        for configuration in [few, fewEach] {
            let ok = ClosureHandler { _ in HTTPResponse(status: .ok) }
            try await serving(ok, configuration: configuration) { address in
                let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
                let kept = [try RawClient(port: address.port), try RawClient(port: address.port)]
                for client in kept {
                    await client.send(request)
                    await expectEqual(client.receiveResponse()?.status, .ok)
                }
                let third = try RawClient(port: address.port)
                await expectEqual(third.receiveResponses().map(\.status), [.serviceUnavailable])
                for client in kept {
                    await client.send(request)
                    await expectEqual(client.receiveResponse()?.status, .ok)
                }
            }
        }
    }
}
