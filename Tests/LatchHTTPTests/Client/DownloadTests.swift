// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import TestSupport
import Testing

@Suite struct DownloadTests {
    /// The result of a download: the file, the requests, and the reported progress.
    private struct Result {
        var file: String?
        var error: HTTPError?
        var requests: [HTTPRequest]
        var progress: [[Int?]]
        /// The other files in the folder.
        var others: [String]
    }

    /// Downloads with answers in turn; the last one is repeated.
    private func download(
        _ answers: [@Sendable () throws -> HTTPResponse], over old: String? = nil, upTo limit: Int = .max,
        continuations: Int = 3, waits: Recording<Duration> = Recording()
    ) async throws -> Result {
        let requests = Recording<HTTPRequest>()
        let progress = Recording<[Int?]>()
        let transport = ClosureHandler { request in
            requests.add(request)
            return try answers[min(requests.entries.count, answers.count) - 1]()
        }
        let client = Client(baseURL: try #require(URL(string: "https://h")), transport: transport)
        let clock = WallClock(now: { Date() }, sleep: { waits.add($0) })
        return try await withTemporaryFolder { folder in
            let path = folder + "/file"
            if let old { try Data(old.utf8).write(to: URL(filePath: path)) }
            var failure: HTTPError?
            do {
                let response = try await client.download(
                    .get("export"), to: path, upTo: limit, continuations: continuations, clock: clock
                ) { progress.add([$0, $1]) }
                expectEqual(response.body, .empty)
            } catch let error as HTTPError {
                failure = error
            }
            let content = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
            let others = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0 != "file" }
            return Result(
                file: content, error: failure, requests: requests.entries, progress: progress.entries, others: others)
        }
    }

    private static func whole(_ texts: [String], fields: HTTPFields = [:], length: Int? = nil) -> HTTPResponse {
        HTTPResponse(status: .ok, fields: fields, body: HTTPBody(pieces(texts, length: length)))
    }

    private static func broken(_ texts: [String], fields: HTTPFields) -> HTTPResponse {
        HTTPResponse(status: .ok, fields: fields, body: HTTPBody(pieces(texts, then: .offline)))
    }

    private static func part(_ text: String, _ range: String, tag: String = "\"v1\"") -> HTTPResponse {
        HTTPResponse(status: 206, fields: ["Content-Range": range, "ETag": tag], body: HTTPBody(text))
    }

    private static let tagged: HTTPFields = ["ETag": "\"v1\"", .contentLength: "6"]

    @Test func `A download is in place when it is whole, and reports its progress`() async throws {
        let result = try await download([{ Self.whole(["abc", "de"], fields: ["X-A": "1"], length: 5) }], over: "old")
        expectEqual(result.file, "abcde")
        expectNil(result.error)
        expectEqual(result.progress, [[3, 5], [5, 5]])
        #expect(result.others.isEmpty)
        expectEqual(result.requests.count, 1)
        #expect(result.requests[0].wantsStream)
        expectEqual(result.requests[0].fields["Accept-Encoding"], "identity")
    }

    @Test func `A download can be empty, and of unknown length`() async throws {
        try await expectEqual(download([{ HTTPResponse(status: .ok) }]).file, "")
        let result = try await download([{ Self.whole(["ab", "c"]) }])
        expectEqual(result.file, "abc")
        expectEqual(result.progress, [[2, nil], [3, nil]])
    }

    @Test(arguments: [304, 401, 404, 416, 500] as [HTTPStatus])
    func `A download keeps the existing file if the answer is not a success`(status: HTTPStatus) async throws {
        let result = try await download([{ HTTPResponse(status: status, body: HTTPBody("why")) }], over: "old")
        expectEqual(result.error, .unacceptableStatus)
        expectEqual(result.error?.response?.body.text, "why")
        expectEqual(result.file, "old")
        #expect(result.others.isEmpty)
    }

    @Test func `A download keeps the existing file if it breaks off and nothing identifies the rest`() async throws {
        let weak: [HTTPFields] = [
            [:], ["ETag": "W/\"v1\""], ["ETag": "\"v1\"", "Accept-Ranges": "none"],
            ["ETag": "\"v1\"", "Content-Encoding": "gzip"], ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"],
            ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", .date: "Sun, 06 Nov 1994 08:50:36 GMT"],
        ]
        for fields in weak {
            let result = try await download([{ Self.broken(["abc"], fields: fields) }], over: "old")
            expectEqual(result.error, .offline)
            expectEqual(result.file, "old")
            #expect(result.others.isEmpty)
            expectEqual(result.requests.count, 1)
        }
    }

    @Test func `A download continues from the break`() async throws {
        let waits = Recording<Duration>()
        let result = try await download(
            [
                { Self.broken(["ab", "c"], fields: Self.tagged) }, { throw HTTPError.timeout },
                { Self.part("def", "bytes 3-5/6") },
            ], waits: waits)
        expectEqual(result.file, "abcdef")
        expectEqual(result.requests.map { $0.fields["Range"] }, [nil, "bytes=3-", "bytes=3-"])
        expectEqual(result.requests.map { $0.fields["If-Range"] }, [nil, "\"v1\"", "\"v1\""])
        expectEqual(result.progress, [[2, 6], [3, 6], [6, 6]])
        expectEqual(waits.entries, [.seconds(1), .seconds(2)])
    }

    @Test func `A download continues by a date that is old enough`() async throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        let fields: HTTPFields = ["Last-Modified": date, .date: "Sun, 06 Nov 1994 08:50:37 GMT"]
        let result = try await download([
            { Self.broken(["abc"], fields: fields) },
            { HTTPResponse(status: 206, fields: ["Content-Range": "bytes 3-5/*"], body: HTTPBody("def")) },
            { HTTPResponse(status: 416, fields: ["Content-Range": "bytes */6"]) },
        ])
        expectEqual(result.file, "abcdef")
        expectEqual(result.requests[1].fields["If-Range"], date)
    }

    @Test func `A download also continues if the connection ended too early without an error`() async throws {
        let result = try await download([
            { Self.whole(["abc"], fields: Self.tagged) }, { Self.part("def", "bytes 3-5/6") },
        ])
        expectEqual(result.file, "abcdef")
        let hopeless = try await download([{ Self.whole(["abc"], fields: [.contentLength: "6"]) }], over: "old")
        expectEqual(hopeless.error, .offline)
        expectEqual(hopeless.file, "old")
    }

    /// A chunked response tells no length; a part does.
    @Test func `A download learns the total length from a part`() async throws {
        let result = try await download([
            { Self.broken(["a"], fields: ["ETag": "\"v1\""]) }, { Self.part("bc", "bytes 1-2/6") },
            { Self.part("def", "bytes 3-5/6") },
        ])
        expectEqual(result.file, "abcdef")
        expectEqual(result.requests.map { $0.fields["Range"] }, [nil, "bytes=1-", "bytes=3-"])
        let other = try await download(
            [
                { Self.broken(["a"], fields: ["ETag": "\"v1\""]) }, { Self.part("bc", "bytes 1-2/6") },
                { Self.part("def", "bytes 3-5/7") },
            ], over: "old")
        #expect(other.error == .contentChanged && other.file == "old")
    }

    /// RFC 9110 §15.5.17.
    @Test(arguments: [("bytes */3", "abc"), (nil, "old"), ("bytes */4", "old")] as [(String?, String)])
    func `A download is whole if only its end was missing`(range: String?, file: String) async throws {
        let result = try await download(
            [
                { Self.broken(["abc"], fields: ["ETag": "\"v1\""]) },
                { HTTPResponse(status: 416, fields: range.map { ["Content-Range": $0] } ?? [:]) },
            ], over: "old")
        expectEqual(result.file, file)
        expectEqual(result.error == nil, file == "abc")
    }

    @Test func `A download skips its existing bytes if the server knows no ranges`() async throws {
        let result = try await download([
            { Self.broken(["ab", "c"], fields: Self.tagged) }, { Self.whole(["a", "bcde", "f"], fields: Self.tagged) },
        ])
        expectEqual(result.file, "abcdef")
        expectEqual(result.progress, [[2, 6], [3, 6], [5, 6], [6, 6]])
    }

    /// xroche/httrack#428, modelscope/modelscope_hub#50.
    @Test(arguments: [
        part("bcdef", "bytes 1-5/6"), part("def", "Bytes 3-5/6"),
        HTTPResponse(
            status: .ok, fields: ["ETag": "\"v1\"", "Content-Range": "bytes 3-5/6"], body: HTTPBody("def")),
    ])
    func `A download accepts a part that begins earlier, has its unit in capitals, or has the status 200`(
        answer: HTTPResponse
    ) async throws {
        for first in [Self.tagged, ["ETag": "\"v1\""]] {
            let result = try await download([{ Self.broken(["ab", "c"], fields: first) }, { answer }])
            expectNil(result.error)
            expectEqual(result.file, "abcdef")
        }
    }

    @Test func `A download is an error if a part begins after the existing bytes`() async throws {
        let result = try await download([
            { Self.broken(["ab"], fields: Self.tagged) }, { Self.part("def", "bytes 3-5/6") },
        ])
        expectEqual(result.error, .malformedMessage)
        expectNil(result.file)
    }

    @Test(arguments: [
        HTTPResponse(status: .ok, fields: ["ETag": "\"v2\""], body: HTTPBody("uvwxyz")),
        HTTPResponse(status: .ok, body: HTTPBody("uvwxyz")),
        part("xyz", "bytes 3-5/6", tag: "\"v2\""), part("xyz", "bytes 3-6/7"),
        part("xyz", "items 3-5/6"), HTTPResponse(status: 206, body: HTTPBody("xyz")),
        HTTPResponse(status: .noContent),
    ])
    func `A download never mixes two contents`(answer: HTTPResponse) async throws {
        let result = try await download([{ Self.broken(["abc"], fields: Self.tagged) }, { answer }], over: "old")
        expectEqual(result.error, .contentChanged)
        expectEqual(result.file, "old")
        #expect(result.others.isEmpty)
    }

    @Test func `A download gives up after the configured number of continuations`() async throws {
        for continuations in 0..<3 {
            let result = try await download(
                [{ Self.broken(["a"], fields: ["ETag": "\"v1\""]) }, { throw HTTPError.offline }],
                continuations: continuations)
            expectEqual(result.error, .offline)
            expectEqual(result.requests.count, 1 + continuations)
            expectNil(result.file)
        }
    }

    @Test(arguments: [429, 500, 502, 503, 504] as [HTTPStatus])
    func `A download continues when a server that restarts has come back`(status: HTTPStatus) async throws {
        let result = try await download([
            { Self.broken(["abc"], fields: Self.tagged) }, { HTTPResponse(status: status) },
            { Self.part("def", "bytes 3-5/6") },
        ])
        expectEqual(result.file, "abcdef")
        expectEqual(result.requests.count, 3)
    }

    @Test
    func `A download continues after any number of breaks, as long as each transfer brings something`() async throws {
        let parts = (1...5).map { count -> @Sendable () throws -> HTTPResponse in
            {
                HTTPResponse(
                    status: 206, fields: ["Content-Range": "bytes \(count)-5/6", "ETag": "\"v1\""],
                    body: HTTPBody(pieces(["\(count)"], then: .offline)))
            }
        }
        let result = try await download(
            [{ Self.broken(["0"], fields: Self.tagged) }] + parts.dropLast() + [{ Self.part("5", "bytes 5-5/6") }],
            continuations: 1)
        expectEqual(result.file, "012345")
        expectNil(result.error)
    }

    // RFC 9110 §15.3.7.
    @Test func `A download takes shorter parts than requested without a pause`() async throws {
        let waits = Recording<Duration>()
        let result = try await download(
            [
                { Self.broken(["a"], fields: Self.tagged) }, { Self.part("bc", "bytes 1-2/6") },
                { Self.part("de", "bytes 3-4/6") }, { Self.part("f", "bytes 5-5/6") },
            ], continuations: 1, waits: waits)
        expectEqual(result.file, "abcdef")
        expectEqual(waits.entries, [.seconds(1)])
    }

    @Test func `A download is not requested again if something else went wrong`() async throws {
        let result = try await download([
            { Self.broken(["abc"], fields: Self.tagged) }, { HTTPResponse(status: .forbidden) },
        ])
        expectEqual(result.error, .unacceptableStatus)
        expectEqual(result.requests.count, 2)
    }

    @Test func `A download takes no more than its limit`() async throws {
        let known = try await download([{ Self.whole(["abc"], length: 3) }], over: "old", upTo: 2)
        let unknown = try await download([{ Self.whole(["ab", "c"]) }], over: "old", upTo: 2)
        for result in [known, unknown] {
            expectEqual(result.error, .tooLarge)
            expectEqual(result.file, "old")
            #expect(result.others.isEmpty)
        }
        try await expectEqual(download([{ Self.whole(["abc"], length: 3) }], upTo: 3).file, "abc")
    }

    @Test func `A download leaves nothing behind when its task is canceled`() async throws {
        let (reached, reach) = AsyncStream<Void>.makeStream()
        let transport = ClosureHandler { _ in
            let count = Mutex(0)
            return HTTPResponse(
                status: .ok,
                body: HTTPBody(
                    HTTPBodyStream {
                        {
                            guard
                                count.withLock({ count in
                                    count += 1; return count
                                }) > 1
                            else { return [1] }
                            reach.yield()
                            try await untilCancelled()
                            return nil
                        }
                    }))
        }
        let client = Client(baseURL: try #require(URL(string: "https://h")), transport: transport)
        try await withTemporaryFolder { folder in
            try Data("old".utf8).write(to: URL(filePath: folder + "/file"))
            let task = Task { try await client.download(.get("x"), to: folder + "/file") }
            for await _ in reached { break }
            task.cancel()
            await #expect(throws: HTTPError.cancelled) { try await task.value }
            try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder), ["file"])
            expectEqual(FileManager.default.contents(atPath: folder + "/file"), Data("old".utf8))
        }
    }

    @Test func `A download reports a missing folder`() async throws {
        let client = try client(answering: .ok, HTTPBody("x"))
        try await withTemporaryFolder { folder in
            _ = await #expect(throws: HTTPError.fileUnavailable) {
                try await client.download(.get("x"), to: folder + "/none/file")
            }
        }
    }
}

@Suite struct ProgressContentTests {
    @Test func `Content that reports progress counts the read bytes, each time from the beginning`() async throws {
        let told = Recording<[Int?]>()
        let bytes = HTTPBody([UInt8](repeating: 1, count: 150_000)).reporting { told.add([$0, $1]) }
        expectEqual(bytes.length, 150_000)
        #expect(bytes.isReplayable)
        for _ in 0..<2 { try await expectEqual(bytes.collected(upTo: 1 << 20).count, 150_000) }
        let once: [[Int?]] = [[65_536, 150_000], [131_072, 150_000], [150_000, 150_000]]
        expectEqual(told.entries, once + once)
        let more = Recording<[Int?]>()
        let stream = HTTPBody(pieces(["ab", "c"])).reporting { more.add([$0, $1]) }
        try await expectEqual(stream.collected(upTo: 10), Array("abc".utf8))
        expectEqual(more.entries, [[2, nil], [3, nil]])
    }

    @Test
    func `Content that reports progress stays content that can be read only once, and empty content`() async throws {
        let spent = Mutex(false)
        let once = HTTPBody(
            HTTPBodyStream(once: {
                spent.withLock { isSpent in
                    defer { isSpent = true }
                    return isSpent ? nil : [1]
                }
            })
        ).reporting { _, _ in }
        #expect(!once.isReplayable)
        try await expectEqual(once.collected(upTo: 1), [1])
        await #expect(throws: HTTPError.streamSpent) { try await once.collected(upTo: 1) }
        #expect(try await HTTPBody.empty.reporting { _, _ in }.collected(upTo: 1).isEmpty)
    }

    @Test func `Content that reports progress arrives as it is, with its length and its media type`() async throws {
        let server = try RawHTTPServer { _ in .response(204) }
        let client = Client(baseURL: try #require(URL(string: server.url)), transport: CurlTransport())
        let told = Recording<Int>()
        let content = RouteContent.bytes([UInt8](repeating: 7, count: 200_000), as: "image/png")
        try await client.perform(.put("x", sending: content.reporting { count, _ in told.add(count) }))
        expectEqual(server.requests[0].body, [UInt8](repeating: 7, count: 200_000))
        expectEqual(server.requests[0].values(of: "Content-Length"), ["200000"])
        expectEqual(server.requests[0].values(of: "Content-Type"), ["image/png"])
        expectEqual(told.entries.last, 200_000)
    }
}
