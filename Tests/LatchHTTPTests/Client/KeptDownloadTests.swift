// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchTesting
import Testing

@Suite struct KeptDownloadTests {
    private static let tagged: HTTPFields = ["ETag": "\"v1\"", .contentLength: "6"]

    /// A response whose content breaks off after some text.
    private static func broken(_ text: String, _ fields: HTTPFields = tagged) -> HTTPResponse {
        let stream = HTTPBodyStream {
            let pieces = Recording<Int>()
            return {
                pieces.add(1)
                guard pieces.entries.count == 1 else { throw HTTPError.offline }
                return Array(text.utf8)
            }
        }
        return HTTPResponse(status: .ok, fields: fields, body: HTTPBody(stream))
    }

    private static func part(_ text: String, _ range: String, tag: String = "\"v1\"") -> HTTPResponse {
        HTTPResponse(status: 206, fields: ["Content-Range": range, "ETag": tag], body: HTTPBody(text))
    }

    /// Downloads once, as a process does, and returns the requests.
    @discardableResult
    private func download(
        _ answers: [HTTPResponse], to path: String, from url: String = "export", upTo limit: Int = .max
    ) async throws -> [HTTPRequest] {
        let requests = Recording<HTTPRequest>()
        let transport = ClosureHandler { request in
            requests.add(request)
            return answers[min(requests.entries.count, answers.count) - 1]
        }
        let client = Client(baseURL: try #require(URL(string: "https://h")), transport: transport)
        try await client.download(
            .get(RoutePath(url)), to: path, upTo: limit, continuations: 0, keepingPart: true)
        return requests.entries
    }

    private func content(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `A resumable download continues in a later call, and leaves nothing else behind`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/file"
            for (text, all) in [("ab", "ab"), ("c", "abc")] {
                let answer =
                    all == "ab"
                    ? Self.broken(text) : Self.broken(text, ["ETag": "\"v1\"", "Content-Range": "bytes 2-5/6"])
                await #expect(throws: HTTPError.offline) { try await download([answer], to: path) }
                expectEqual(content(path + ".part"), all)
                expectNil(content(path))
            }
            let requests = try await download([Self.part("def", "bytes 3-5/6")], to: path)
            expectEqual(requests.map { $0.fields["Range"] }, ["bytes=3-"])
            expectEqual(requests.first?.fields["If-Range"], "\"v1\"")
            expectEqual(content(path), "abcdef")
            try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder), ["file"])
        }
    }

    @Test func `A resumable download is whole if only its end was missing`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/file"
            await #expect(throws: HTTPError.offline) { try await download([Self.broken("abcdef")], to: path) }
            try await download([HTTPResponse(status: 416, fields: ["Content-Range": "bytes */6"])], to: path)
            expectEqual(content(path), "abcdef")
        }
    }

    @Test(arguments: [
        HTTPResponse(status: .ok, fields: ["ETag": "\"v2\""], body: HTTPBody("uvwxyz")),
        part("xyz", "bytes 3-5/6", tag: "\"v2\""), part("xyz", "bytes 3-5/6", tag: "W/\"v1\""),
        part("xyz", "bytes 3-6/7"),
        HTTPResponse(status: 416, fields: ["Content-Range": "bytes */2"]),
    ])
    func `A resumable download begins again if the content has changed`(answer: HTTPResponse) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/file"
            await #expect(throws: HTTPError.offline) { try await download([Self.broken("abc")], to: path) }
            let whole = HTTPResponse(status: .ok, fields: ["ETag": "\"v2\""], body: HTTPBody("uvwxyz"))
            let requests = try await download([answer, whole], to: path)
            expectEqual(requests.map { $0.fields["Range"] }, ["bytes=3-", nil])
            expectEqual(content(path), "uvwxyz")
            try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder), ["file"])
        }
    }

    @Test
    func `A resumable download does not continue with a part of another URL, or with unrecorded bytes`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/file"
            await #expect(throws: HTTPError.offline) { try await download([Self.broken("abc")], to: path) }
            let whole = HTTPResponse(status: .ok, fields: Self.tagged, body: HTTPBody("ABCDEF"))
            try await expectEqual(download([whole], to: path, from: "other").map { $0.fields["Range"] }, [nil])
            expectEqual(content(path), "ABCDEF")
            // A process that was killed has written more than it has noted, or nothing that it has noted.
            await #expect(throws: HTTPError.offline) { try await download([Self.broken("abc")], to: path) }
            let handle = try #require(FileHandle(forWritingAtPath: path + ".part"))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data("???".utf8))
            try handle.close()
            try await expectEqual(
                download([Self.part("def", "bytes 3-5/6")], to: path).map { $0.fields["Range"] },
                [
                    "bytes=3-"
                ])
            expectEqual(content(path), "abcdef")
            try Data("???".utf8).write(to: URL(filePath: path + ".part"))
            try await expectEqual(download([whole], to: path).map { $0.fields["Range"] }, [nil])
            expectEqual(content(path), "ABCDEF")
        }
    }

    @Test
    func `A resumable download keeps only bytes that a validator identifies and that are not too large`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/file"
            await #expect(throws: HTTPError.offline) { try await download([Self.broken("abc", [:])], to: path) }
            var left = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(left.isEmpty)
            let large = HTTPResponse(status: .ok, fields: ["ETag": "\"v1\""], body: HTTPBody("abcdef"))
            await #expect(throws: HTTPError.tooLarge) { try await download([large], to: path, upTo: 5) }
            left = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(left.isEmpty)
        }
    }

    @Test
    func `A resumable download is received by one call at a time, and never in the place of a device`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/file"
            let gate = Gate()
            let stream = HTTPBodyStream(once: {
                await gate.pass()
                return nil
            })
            async let first = download(
                [HTTPResponse(status: .ok, fields: ["ETag": "\"v1\""], body: HTTPBody(stream))], to: path)
            await gate.reached()
            await #expect(throws: HTTPError.fileUnavailable) { try await download([Self.broken("abc")], to: path) }
            gate.open()
            _ = try await first
            expectEqual(content(path), "")
            await #expect(throws: HTTPError.fileUnavailable) {
                try await download([Self.broken("abc")], to: "/dev/null")
            }
        }
    }
}
