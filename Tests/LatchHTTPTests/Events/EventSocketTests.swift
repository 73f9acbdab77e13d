// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import TestSupport
import Testing

@Suite struct EventSocketTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

    private func events(_ server: RawHTTPServer) throws -> EventStream {
        let client = Client(baseURL: try #require(URL(string: server.url)), transport: CurlTransport())
        return client.events(
            .get("feed", query: [("topic", "a b")]), clock: WallClock(now: { Date() }, sleep: { _ in }))
    }

    /// Reads what happens up to the moment when the client has closed its connection.
    private func waitForClose(of server: RawHTTPServer) async {
        for await event in server.events {
            if case .closedByClient = event { return }
        }
    }

    @Test
    func `A stream of events from a real server brings each event at once, and ends with its reader`() async throws {
        // The answer has no end.
        let server = try RawHTTPServer { _ in .text(Self.head + "event: add\nid: 7\ndata: é\n\ndata: half") }
        let stream = try events(server)
        do {
            var iterator = stream.makeAsyncIterator()
            try await expectEqual(iterator.next(), ServerSentEvent(type: "add", data: "é", id: "7"))
        }
        await waitForClose(of: server)
        expectEqual(server.requests.count, 1)
        expectEqual(server.requests[0].line, "GET /feed?topic=a%20b HTTP/1.1")
        expectEqual(server.requests[0].values(of: "Accept"), ["text/event-stream"])
    }

    @Test func `A stream of events from a real server ends its transfer when the task is canceled`() async throws {
        let server = try RawHTTPServer { _ in .text(Self.head + "data: a\n\n") }
        let stream = try events(server)
        let (seen, see) = AsyncStream<String>.makeStream()
        let task = Task {
            for try await event in stream { see.yield(event.data) }
        }
        for await data in seen {
            expectEqual(data, "a")
            break
        }
        task.cancel()
        await #expect(throws: HTTPError.cancelled) { try await task.value }
        await waitForClose(of: server)
    }

    @Test
    func `A stream of events from a real server reconnects after a close, and reads cut events again`() async throws {
        let server = try RawHTTPServer { request in
            switch request.values(of: "Last-Event-ID").first {
            case nil: .closing(after: Self.head + "id: 1\ndata: a\n\nid: 2\ndata: cut")
            case "1": .closing(after: Self.head + "id: 2\ndata: b\n\n")
            default: .text("HTTP/1.1 204 No Content\r\n\r\n")
            }
        }
        var data: [String] = []
        for try await event in try events(server) { data.append(event.data) }
        expectEqual(data, ["a", "b"])
        expectEqual(server.requests.map { $0.values(of: "Last-Event-ID") }, [[], ["1"], ["2"]])
    }

    @Test func `A stream of events from a real server is sent byte by byte and read correctly`() async throws {
        let server = try RawHTTPServer { request in
            request.number == 0 && request.connection == 0
                ? .trickle(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 27\r\n\r\n"
                        + "\u{FEFF}data: é\r\n\r\ndata: 🦊\r\r")
                : .text("HTTP/1.1 204 No Content\r\n\r\n")
        }
        var data: [String] = []
        for try await event in try events(server) { data.append(event.data) }
        expectEqual(data, ["é", "🦊"])
    }
}

@Suite struct DownloadSocketTests {
    @Test func `A download from a real server continues where the connection was cut`() async throws {
        let server = try RawHTTPServer { request in
            switch request.values(of: "Range").first {
            case nil: .closing(after: "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: 6\r\n\r\nabc")
            case "bytes=3-":
                .text(
                    "HTTP/1.1 206 Partial Content\r\nETag: \"v1\"\r\nContent-Range: bytes 3-5/6\r\n"
                        + "Content-Length: 3\r\n\r\ndef")
            default: .response(416)
            }
        }
        let client = Client(baseURL: try #require(URL(string: server.url)), transport: CurlTransport())
        try await withTemporaryFolder { folder in
            let told = Recording<[Int?]>()
            let response = try await client.download(
                .get("file"), to: folder + "/file", clock: WallClock(now: { Date() }, sleep: { _ in })
            ) { told.add([$0, $1]) }
            expectEqual(response.status, .ok)
            expectEqual(FileManager.default.contents(atPath: folder + "/file"), Data("abcdef".utf8))
            expectEqual(told.entries.last, [6, 6])
            expectEqual(server.requests.map { $0.values(of: "If-Range") }, [[], ["\"v1\""]])
            expectEqual(server.requests.map { $0.values(of: "Accept-Encoding") }, [["identity"], ["identity"]])
        }
    }

    @Test func `A download from a real server brings a large file whole`() async throws {
        let block = [UInt8]((0..<1_000_003).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let handler = ClosureHandler { _ in HTTPResponse(status: .ok, body: HTTPBody(block + block)) }
        try await serving(handler) { address in
            let client = Client(baseURL: try #require(URL(string: address.url)), transport: CurlTransport())
            try await withTemporaryFolder { folder in
                try await client.download(.get("file"), to: folder + "/file")
                expectEqual(FileManager.default.contents(atPath: folder + "/file"), Data(block + block))
            }
        }
    }
}
