// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import Expectations
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct HTTP2ServingTests {
    @Test func `An HTTP/2 connection answers GET and POST on one connection, in order of their ends`() async throws {
        try await serving(.telling) { address in
            let client = try await FrameClient(address)
            await client.send(.post(1, "/slow"), .get(3, "/quick"))
            let quick = await client.answer(to: 3)
            expectEqual(quick.status, 200)
            expectEqual(quick.text, "GET a /quick ")
            expectEqual(quick.fields["content-length"], "13")
            #expect(quick.fields["date"] != nil)
            await client.send(.data(1, Array("abc".utf8), flags: 0), .data(1, Array("def".utf8)))
            await expectEqual(client.answer(to: 1).text, "POST a /slow abcdef")
        }
    }

    @Test func `An HTTP/2 connection takes no task for a response without waiting`() async throws {
        let handler = ImmediateClosureHandler { request in
            let isInTask = withUnsafeCurrentTask { $0 != nil }
            return HTTPResponse(status: .ok, body: HTTPBody("\(request.path) \(isInTask)"))
        }
        try await serving(handler) { address in
            let client = try await FrameClient(address)
            for first in stride(from: 1, to: 400, by: 40) {
                let streams = stride(from: first, to: first + 40, by: 2)
                for stream in streams { await client.send(.get(UInt32(stream), "/\(stream)")) }
                for stream in streams {
                    await expectEqual(client.answer(to: UInt32(stream)).text, "/\(stream) false")
                }
            }
        }
    }

    @Test func `An HTTP/2 connection lets no compressor keep a secret or a one-time value`() async throws {
        let handler = ImmediateClosureHandler { request in
            var fields: HTTPFields = ["Content-Type": "text/plain", "ETag": "\"1\""]
            for name in ["Set-Cookie", "Location", "RateLimit", "X-Request-Id"] { fields[HTTPFieldName(name)] = "a" }
            return HTTPResponse(status: .ok, fields: fields)
        }
        try await serving(handler) { address in
            let client = try await FrameClient(address)
            await client.send(.get(1))
            await expectEqual(client.answer(to: 1).fields.count, 9)
            expectEqual(client.neverIndexed, ["set-cookie", "location", "ratelimit", "x-request-id"])
        }
    }

    @Test func `An HTTP/2 connection sends exactly the fields of each response, with trimmed values`() async throws {
        let handler = ImmediateClosureHandler { request in
            let count = request.path.utf8.count
            let fields = (0..<count * 20).map { ("X-\($0)", " \t\(String(repeating: "a", count: count)) \t") }
            return HTTPResponse(
                status: .ok, fields: fields.reduce(into: [:]) { $0.append($1.1, for: HTTPFieldName($1.0)) })
        }
        var configuration = Server.Configuration.patient
        configuration.loops = 1
        try await serving(handler, configuration: configuration) { address in
            let clients = [try await FrameClient(address), try await FrameClient(address)]
            for (number, length) in [3, 9, 1, 5].enumerated() {
                for client in clients {
                    let stream = UInt32(2 * number + 1)
                    await client.send(.get(stream, "/" + String(repeating: "p", count: length - 1)))
                    let names = await client.answer(to: stream).fields.filter {
                        $0.name.rawName.utf8.starts(with: "x-".utf8)
                    }
                    expectEqual(names.map(\.name.rawName), (0..<length * 20).map { "x-\($0)" })
                    #expect(names.allSatisfy { $0.value == String(repeating: "a", count: length) })
                }
            }
        }
    }

    @Test
    func `An HTTP/2 connection serves HTTP/1.1 beside it, also to methods that begin like the preface`() async throws {
        try await serving(.telling) { address in
            for method in ["POST", "PUT", "PRI", "P", "PR"] {
                let client = try RawClient(port: address.port)
                await client.send("\(method) / HTTP/1.1\r\nHost: a\r\n\r\n")
                await expectEqual(client.receiveResponse()?.body.text, "\(method) a / ")
            }
        }
    }

    @Test func `An HTTP/2 connection can begin byte by byte`() async throws {
        try await serving(.telling) { address in
            let client = try await FrameClient(address, settings: nil)
            for byte in FrameClient.preface + RawFrame.settings().bytes + RawFrame.get(1).bytes {
                await client.send(bytes: [byte])
            }
            await expectEqual(client.answer(to: 1).status, 200)
        }
    }

    @Test func `An HTTP/2 connection is not offered if the server is to use only HTTP/1.1`() async throws {
        var configuration = Server.Configuration.patient
        configuration.supportsHTTP2 = false
        try await serving(.telling, configuration: configuration) { address in
            let client = try RawClient(port: address.port)
            await client.send(FrameClient.preface)
            await expectEqual(client.receiveResponse()?.status, 505)
        }
    }

    @Test func `An HTTP/2 connection delimits the responses to HEAD, and 204, 304 and 205`() async throws {
        let handler = ClosureHandler { request in
            HTTPResponse(status: HTTPStatus(rawValue: Int(request.path.dropFirst()) ?? 200), body: HTTPBody("content"))
        }
        try await serving(handler) { address in
            let client = try await FrameClient(address)
            let rows: [(method: String, path: String, content: String, length: String?)] = [
                ("HEAD", "/200", "", "7"), ("GET", "/200", "content", "7"), ("GET", "/204", "", nil),
                ("GET", "/304", "", nil), ("HEAD", "/404", "", "7"), ("GET", "/205", "", "0"),
            ]
            for (index, row) in rows.enumerated() {
                let id = UInt32(2 * index + 1)
                await client.send(.headers(id, HPACK.request(row.method, row.path)))
                let answer = await client.answer(to: id)
                expectEqual(answer.status.map { "/\($0)" }, row.path)
                expectEqual(answer.text, row.content, "\(row)")
                expectEqual(answer.fields["content-length"], row.length, "\(row)")
            }
        }
    }

    @Test func `An HTTP/2 connection joins the crumbs of cookies, and shows no pseudo-header field`() async throws {
        try await serving(.telling) { address in
            let client = try await FrameClient(address)
            await client.send(
                .headers(1, HPACK.request("GET", "/", [("cookie", "a=1"), ("x", "y"), ("cookie", "b=2")])))
            await expectEqual(client.answer(to: 1).fields["x-seen"], "x=y|Cookie=a=1; b=2")
        }
    }

    @Test func `An HTTP/2 connection counts the crumbs of cookies as one field`() async throws {
        try await serving(.telling) { address in
            let client = try await FrameClient(address)
            let crumbs = (0..<150).map { ("cookie", "c\($0)=1") }
            await client.send(.headers(1, HPACK.request("GET", "/", crumbs)))
            await expectEqual(client.answer(to: 1).status, 200)
            let fields = (0..<150).map { ("x-\($0)", "1") }
            await client.send(.headers(3, HPACK.request("GET", "/", fields)))
            await expectEqual(client.answer(to: 3).status, 431)
        }
    }

    @Test
    func `An HTTP/2 connection sends no field that belongs to a connection, and spells names in lower case`()
        async throws
    {
        let handler = ClosureHandler { _ in
            HTTPResponse(
                status: .ok,
                fields: [
                    "Connection": "close", "Keep-Alive": "x", "Transfer-Encoding": "chunked", "Upgrade": "x",
                    "Content-Length": "999", "Server": "s", "X-Own": " padded\t", "Set-Cookie": "a=1",
                ])
        }
        try await serving(handler) { address in
            let client = try await FrameClient(address)
            await client.send(.get(1))
            var fields = await client.answer(to: 1).fields
            fields["date"] = nil
            expectEqual(
                fields.map { "\($0.name): \($0.value)" },
                [
                    ":status: 200", "content-length: 0", "x-own: padded", "set-cookie: a=1",
                ])
        }
    }

    @Test func `An HTTP/2 connection carries trailers both ways`() async throws {
        let handler = ClosureHandler { request in
            HTTPResponse(
                status: .ok,
                body: HTTPBody(request.body.bytes, trailers: ["X-Back": request.body.trailers["x-end"] ?? ""]))
        }
        try await serving(handler) { address in
            let client = try await FrameClient(address)
            await client.send(
                .post(1), .data(1, [65], flags: 0), .headers(1, HPACK.block([("x-end", "7")])))
            let answer = await client.answer(to: 1)
            expectEqual(answer.text, "A")
            expectEqual(answer.trailers, ["x-back": "7"])
        }
    }

    @Test func `An HTTP/2 connection streams a response, and resets it when its source fails`() async throws {
        struct Failed: Error {}
        let handler = ClosureHandler { request in
            let count = Mutex(0)
            let fails = request.path == "/fails"
            return HTTPResponse(
                status: .ok,
                body: HTTPBody(
                    HTTPBodyStream(
                        once: {
                            let number = count.withLock {
                                $0 += 1
                                return $0
                            }
                            await Task.yield()
                            if fails, number == 3 { throw Failed() }
                            return number > 5 ? nil : [UInt8](repeating: UInt8(number), count: 30_000)
                        }, trailers: { ["x-sum": "5"] })))
        }
        try await serving(handler) { address in
            let client = try await FrameClient(address, settings: [(4, 1 << 20)])
            await client.send(.windowUpdate(0, 1 << 20), .get(1), .get(3, "/fails"))
            let whole = await client.answer(to: 1)
            expectEqual(whole.content, (1...5).flatMap { [UInt8](repeating: $0, count: 30_000) })
            expectEqual(whole.trailers, ["x-sum": "5"])
            await expectEqual(client.answer(to: 3).reset, 8)
        }
    }

    @Test func `An HTTP/2 connection sends no more than the windows allow`() async throws {
        let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        try await serving(ClosureHandler { _ in HTTPResponse(status: .ok, body: HTTPBody(content)) }) { address in
            let client = try await FrameClient(address, settings: [(4, 1000)])
            await client.send(.get(1))
            #expect(await client.receive { $0.answers[1]?.content.count == 1000 })
            #expect(await client.settle())
            expectEqual(client.answers[1]?.content.count, 1000)
            await client.send(.windowUpdate(1, 500_000))
            #expect(await client.receive { $0.answers[1]?.content.count == 65_535 })
            #expect(await client.settle())
            expectEqual(client.answers[1]?.content.count, 65_535)
            await client.send(.windowUpdate(0, 500_000))
            await expectEqual(client.answer(to: 1).content, content)
        }
    }

    @Test
    func `An HTTP/2 connection hands over arriving content if the handler wants it, no faster than it reads`()
        async throws
    {
        let (pieces, piece) = AsyncStream<Int>.makeStream()
        let (permits, permit) = AsyncStream<Void>.makeStream()
        let handler = ClosureHandler { request in
            var (total, waiting) = (0, permits.makeAsyncIterator())
            for try await bytes in request.body.chunks {
                total += bytes.count
                piece.yield(bytes.count)
                await waiting.next()
            }
            return HTTPResponse(status: .ok, body: HTTPBody("\(total) \(request.body.trailers["x-end"] ?? "")"))
        }
        var configuration = Server.Configuration.patient
        configuration.streamedContent = ["/upload"]
        configuration.maximumBodyBytes = 10
        try await serving(handler, configuration: configuration) { address in
            let client = try await FrameClient(address)
            #expect(await client.settle())
            await client.send(.post(1, "/upload"), .data(1, [1, 2, 3], flags: 0))
            var arrived = pieces.makeAsyncIterator()
            await expectEqual(arrived.next(), 3)
            // The handler reads no further, so the window of the stream stays closed, and that of the connection opens.
            let block = [UInt8](repeating: 7, count: 16_384)
            for _ in 0..<15 { await client.send(.data(1, block, flags: 0)) }
            await client.send(.get(3, "/other"))
            await expectEqual(client.answer(to: 3).text, "0 ")
            permit.yield()
            #expect((await arrived.next() ?? 0) > 0)
            for _ in 0..<20 { permit.yield() }
            await client.send(.headers(1, HPACK.block([("x-end", "yes")])))
            await expectEqual(client.answer(to: 1).text, "\(3 + 15 * 16_384) yes")
            // The prefix ends with a segment.
            await client.send(.post(5, "/uploads"), .data(5, [UInt8](repeating: 7, count: 11)))
            await expectEqual(client.answer(to: 5).status, 413)
        }
    }

    @Test(arguments: [true, false])
    func `An HTTP/2 connection resets a stream whose head or trailers are too long to be sent`(isHead: Bool)
        async throws
    {
        let long: HTTPFields = ["x-long": String(repeating: "x", count: 70_000)]
        let handler = ClosureHandler { request in
            guard request.path == "/long" else { return HTTPResponse(status: .ok) }
            return isHead
                ? HTTPResponse(status: .ok, fields: long)
                : HTTPResponse(status: .ok, body: HTTPBody([1], trailers: long))
        }
        try await serving(handler) { address in
            let client = try await FrameClient(address)
            await client.send(.get(1, "/long"))
            await expectEqual(client.answer(to: 1).reset, 2)
            await client.send(.get(3))
            await expectEqual(client.answer(to: 3).status, 200)
        }
    }

    @Test func `An HTTP/2 connection sends 100 to a client that waits for it`() async throws {
        try await serving(.telling) { address in
            let client = try await FrameClient(address)
            await client.send(.post(1, "/", [("expect", "100-continue")]))
            #expect(await client.receive { $0.answers[1]?.interim == [100] })
            await client.send(.data(1, [65]))
            await expectEqual(client.answer(to: 1).text, "POST a / A")
        }
    }

    @Test func `An HTTP/2 connection refuses content over the limit, announced or not, and serves on`() async throws {
        var configuration = Server.Configuration.patient
        configuration.maximumBodyBytes = 100
        configuration.contentLimits = ["/own/": 50]
        let handler = ClosureHandler { request in
            do {
                return HTTPResponse(status: .ok, body: HTTPBody(try await request.body.collected(upTo: 1000)))
            } catch HTTPError.tooLarge {
                return HTTPResponse(status: 418)
            }
        }
        try await serving(handler, configuration: configuration) { address in
            let client = try await FrameClient(address)
            await client.send(.post(1, "/", [("content-length", "101")]))
            await expectEqual(client.answer(to: 1).status, 413)
            await client.send(.post(3), .data(3, [UInt8](repeating: 1, count: 101), flags: 0))
            await expectEqual(client.answer(to: 3).status, 413)
            await client.send(.post(5, "/own/x"), .data(5, [UInt8](repeating: 1, count: 51)))
            await expectEqual(client.answer(to: 5).status, 418)
            await client.send(.post(7), .data(7, [UInt8](repeating: 66, count: 100)))
            await expectEqual(client.answer(to: 7).content.count, 100)
        }
    }

    @Test func `An HTTP/2 connection lets the handler report content that is too slow or too large`()
        async throws
    {
        var configuration = Server.Configuration.patient
        configuration.bodyDeadline = .milliseconds(50)
        configuration.contentLimits = ["/own/": 50]
        let handler = ClosureHandler { request in
            do {
                return HTTPResponse(status: .ok, body: HTTPBody(try await request.body.collected(upTo: 1000)))
            } catch HTTPError.timeout {
                return HTTPResponse(status: 418)
            }
        }
        try await serving(handler, configuration: configuration) { address in
            let client = try await FrameClient(address)
            await client.send(.post(1), .data(1, [1], flags: 0), .post(3, "/own/x"), .data(3, [1], flags: 0))
            await expectEqual(client.answer(to: 1).status, 408)
            await expectEqual(client.answer(to: 3).status, 418)
        }
    }

    @Test
    func `An HTTP/2 connection cancels the handler of a stream that the client resets, and of no other`() async throws {
        let (events, event) = AsyncStream<String>.makeStream()
        let handler = ClosureHandler { request in
            guard request.path == "/wait" else { return HTTPResponse(status: .ok) }
            event.yield("begins")
            let (endless, kept) = AsyncStream<Void>.makeStream()
            for await _ in endless {}
            kept.finish()
            event.yield(Task.isCancelled ? "cancelled" : "done")
            return HTTPResponse(status: .ok)
        }
        try await serving(handler) { address in
            let client = try await FrameClient(address)
            await client.send(.get(1, "/wait"))
            var seen = events.makeAsyncIterator()
            await expectEqual(seen.next(), "begins")
            await client.send(.reset(1))
            await expectEqual(seen.next(), "cancelled")
            await client.send(.get(3))
            await expectEqual(client.answer(to: 3).status, 200)
        }
    }

    @Test func `An HTTP/2 connection logs its requests with their protocol`() async throws {
        let (entries, entry) = AsyncStream<AccessLogEntry>.makeStream()
        try await serving(ClosureHandler.telling.intercepted(by: [AccessLogInterceptor { entry.yield($0) }])) {
            address in
            let client = try await FrameClient(address)
            await client.send(.get(1, "/x?secret"))
            _ = await client.answer(to: 1)
            var seen = entries.makeAsyncIterator()
            let first = await seen.next()
            expectEqual(first?.protocolVersion, "HTTP/2")
            expectEqual(first?.path, "/x")
            expectEqual(first?.remoteAddress, "127.0.0.1")
        }
    }

    @Test func `An HTTP/2 connection serves libcurl, many requests at once`() async throws {
        try await serving(.telling) { address in
            let transport = CurlTransport()
            try await withThrowingTaskGroup { group in
                for number in 0..<50 {
                    group.addTask {
                        var request = HTTPRequest(
                            method: .post, scheme: "http", authority: address.authority, path: "/\(number)",
                            body: HTTPBody([UInt8](repeating: 65, count: number * 5000)))
                        request.assumesHTTP2 = true
                        let response = try await transport.respond(to: request)
                        let head = "POST \(address.authority) /\(number) "
                        return response.body.bytes.count == head.utf8.count + number * 5000
                    }
                }
                for try await isWhole in group { #expect(isWhole) }
            }
        }
    }

    @Test
    func `An HTTP/2 connection ends at a drain after its streams, with two GOAWAYs, and refuses later ones`()
        async throws
    {
        let (entered, enter) = AsyncStream<CheckedContinuation<Void, Never>>.makeStream()
        let handled = Mutex(0)
        let handler = ClosureHandler { _ in
            handled.withLock { $0 += 1 }
            await withCheckedContinuation { enter.yield($0) }
            return HTTPResponse(status: .ok, body: HTTPBody("done"))
        }
        // The second that clients have after the announcement does not pass.
        let uptime = ManualUptime()
        let server = Server(handler: handler, configuration: .kept(by: uptime))
        let client = try await FrameClient(try await server.start())
        await client.send(.get(1))
        var waiting = entered.makeAsyncIterator()
        let first = await waiting.next()
        async let end: Void = server.shutdown(grace: .seconds(600))
        #expect(await client.receive { $0.goAways.count == 1 && $0.pings.count == 1 })
        expectEqual(client.goAways[0].payload.prefix(4), [0x7F, 0xFF, 0xFF, 0xFF])
        // A request that crossed the announcement is still served.
        await client.send(.get(3))
        let second = await waiting.next()
        // What is in the same read as the acknowledgement is above the number of the second GOAWAY.
        await client.send(RawFrame(type: 6, flags: 1, payload: client.pings[0].payload), .get(5))
        #expect(await client.receive { $0.goAways.count == 2 })
        expectEqual(client.goAways[1].code, 3)
        await client.send(.post(7), .data(7, [1], flags: 0), .headers(7, HPACK.block([("t", "1")])))
        first?.resume()
        second?.resume()
        await expectEqual(client.answer(to: 1).text, "done")
        await expectEqual(client.answer(to: 3).text, "done")
        await expectEqual(client.end(), 0)
        #expect(client.answers[5]?.status == nil && client.answers[7] == nil)
        expectEqual(handled.withLock { $0 }, 2)
        // The client has not closed its end, for which the server waits a while.
        uptime.advance(bySeconds: 60)
        await end
    }
}

#endif
