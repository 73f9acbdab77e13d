// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import TestSupport
import Testing

/// A folder of one test, removed with it.
private final class Folder: Sendable {
    let path = FileManager.default.temporaryDirectory.path + "/latch-files-\(UUID().uuidString)"

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

@Suite struct StaticFilesTests {
    private let folder: Folder
    private let outside: Folder

    init() throws {
        (folder, outside) = (try Folder(), try Folder())
        try write("index.html", "<p>home</p>")
        try write("app.js", "let x = 1")
        try write("docs/index.html", "<p>docs</p>")
        try write("docs/a b.txt", "0123456789")
        try write(".env", "secret")
        try write("docs/.git/config", "secret")
        try write(".well-known/apple-app-site-association", "{}")
        try write("empty.bin", "")
        try Data("foreign".utf8).write(to: URL(fileURLWithPath: outside.path + "/secret.txt"))
    }

    private func write(_ name: String, _ text: String) throws {
        let url = URL(fileURLWithPath: folder.path + "/" + name)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
        // Old enough for a strong entity tag.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)], ofItemAtPath: url.path)
    }

    private var router: Router {
        var router = Router()
        router.files("/assets", in: folder.path, cacheControl: "max-age=60")
        return router
    }

    private func get(_ path: String, _ fields: HTTPFields = [:], _ method: HTTPMethod = .get) async throws
        -> HTTPResponse
    {
        try await router.respond(to: HTTPRequest(method: method, authority: "localhost", path: path, fields: fields))
    }

    @Test func `Files of a folder are served with their type, size and version`() async throws {
        try await bothWays(router) { api in
            for (path, type, text) in [
                ("/assets/app.js", "text/javascript; charset=utf-8", "let x = 1"),
                ("/assets/docs/a%20b.txt", "text/plain; charset=utf-8", "0123456789"),
                ("/assets/", "text/html; charset=utf-8", "<p>home</p>"),
                ("/assets/docs/", "text/html; charset=utf-8", "<p>docs</p>"),
                ("/assets/empty.bin", "application/octet-stream", ""),
                ("/assets/.well-known/apple-app-site-association", "application/json", "{}"),
            ] {
                let response = try await api.respond(to: HTTPRequest(authority: "localhost", path: path))
                expectEqual(response.status, .ok)
                expectEqual(response.fields[.contentType], type)
                expectEqual(response.fields["Last-Modified"], "Tue, 14 Nov 2023 22:13:20 GMT")
                expectEqual(response.fields["Cache-Control"], "max-age=60")
                expectEqual(response.fields["X-Content-Type-Options"], "nosniff")
                expectEqual(response.fields["ETag"]?.utf8.first, UInt8(ascii: "\""))
                try await expectEqual(response.body.collected(upTo: 100), Array(text.utf8))
            }
        }
    }

    @Test func `Files of a folder have a length and no content for HEAD`() async throws {
        let response = try await get("/assets/docs/a%20b.txt", [:], .head)
        expectEqual(response.status, .ok)
        expectEqual(response.fields[.contentLength], "10")
        #expect(response.body.isEmpty)
    }

    @Test(arguments: [
        "/assets/.env", "/assets/docs/.git/config", "/assets/docs/.well-known/x", "/assets/none", "/assets/app.js/",
        "/assets/..%2Fsecret", "/assets/%00", "/assets/app.js%00.txt", "/assets/docs%5C..", "/assets",
    ])
    func `Files of a folder that are hidden, missing or not files are not found`(path: String) async throws {
        try await expectEqual(get(path).status, .notFound)
    }

    @Test func `Files of a folder are those of links that stay within the folder`() async throws {
        let manager = FileManager.default
        try manager.createSymbolicLink(atPath: folder.path + "/inner.txt", withDestinationPath: "docs/a b.txt")
        try manager.createSymbolicLink(
            atPath: folder.path + "/outer.txt", withDestinationPath: outside.path + "/secret.txt")
        try manager.createSymbolicLink(atPath: folder.path + "/outside", withDestinationPath: outside.path)
        try await expectEqual(get("/assets/inner.txt").body.collected(upTo: 100), Array("0123456789".utf8))
        try await expectEqual(get("/assets/outer.txt").status, .notFound)
        try await expectEqual(get("/assets/outside/secret.txt").status, .notFound)
        try await expectEqual(get("/assets/outside/").status, .notFound)
        // The folder itself may be a link.
        try manager.createSymbolicLink(atPath: outside.path + "/link", withDestinationPath: folder.path)
        var router = Router()
        router.files("/", in: outside.path + "/link")
        let response = try await router.respond(to: HTTPRequest(authority: "localhost", path: "/app.js"))
        expectEqual(response.status, .ok)
    }

    @Test func `Files of a folder redirect to a folder, on the same host`() async throws {
        try await expectEqual(get("/assets/docs?x=1").status, 308)
        try await expectEqual(get("/assets/docs?x=1").fields[.location], "/assets/docs/?x=1")
    }

    @Test func `Files of a folder are not sent again if the client has them`() async throws {
        let first = try await get("/assets/app.js")
        let tag = try #require(first.fields["ETag"])
        for fields: HTTPFields in [
            ["If-None-Match": tag], ["If-None-Match": "\"x\", W/\(tag)"], ["If-None-Match": "*"],
            ["If-Modified-Since": "Tue, 14 Nov 2023 22:13:20 GMT"],
        ] {
            let response = try await get("/assets/app.js", fields)
            expectEqual(response.status, 304)
            #expect(response.body.isEmpty)
            expectEqual(response.fields["ETag"], tag)
            expectNil(response.fields[.contentType])
        }
        for fields: HTTPFields in [
            ["If-None-Match": "\"x\"", "If-Modified-Since": "Tue, 14 Nov 2023 22:13:20 GMT"], ["If-None-Match": "\"\""],
            ["If-Modified-Since": "Tue, 14 Nov 2023 22:13:19 GMT"], ["If-Modified-Since": "yesterday"],
            ["If-Match": tag],
        ] {
            try await expectEqual(get("/assets/app.js", fields).status, .ok)
        }
        try await expectEqual(get("/assets/app.js", ["If-Match": "\"x\""]).status, 412)
        try await expectEqual(
            get("/assets/app.js", ["If-Unmodified-Since": "Tue, 14 Nov 2023 22:13:19 GMT"]).status, 412)
    }

    @Test(arguments: [
        ("bytes=0-3", "0123", "bytes 0-3/10"), ("bytes=4-", "456789", "bytes 4-9/10"),
        ("bytes=-3", "789", "bytes 7-9/10"), ("bytes=9-99999999999999999999", "9", "bytes 9-9/10"),
        ("Bytes=-99", "0123456789", "bytes 0-9/10"),
    ])
    func `Files of a folder are sent in part`(range: String, text: String, part: String) async throws {
        let response = try await get("/assets/docs/a%20b.txt", ["Range": range])
        expectEqual(response.status, 206)
        expectEqual(response.fields["Content-Range"], part)
        expectEqual(response.body.length, text.utf8.count)
        try await expectEqual(response.body.collected(upTo: 100), Array(text.utf8))
    }

    @Test
    func `Files of a folder are sent whole for a range of another version, and for an invalid range`() async throws {
        let path = "/assets/docs/a%20b.txt"
        let tag = try #require(try await get(path).fields["ETag"])
        for range in ["bytes=3-1", "bytes=a-b", "lines=0-1", "bytes=0-1,3-4", "bytes=-", "bytes"] {
            try await expectEqual(get(path, ["Range": range]).status, .ok)
        }
        for condition in ["\"x\"", "W/\(tag)", "Tue, 14 Nov 2023 22:13:19 GMT", "?"] {
            try await expectEqual(get(path, ["Range": "bytes=0-1", "If-Range": condition]).status, .ok)
        }
        for condition in [tag, "Tue, 14 Nov 2023 22:13:20 GMT"] {
            try await expectEqual(get(path, ["Range": "bytes=0-1", "If-Range": condition]).status, 206)
        }
        for (path, range) in [(path, "bytes=10-"), (path, "bytes=-0"), ("/assets/empty.bin", "bytes=0-0")] {
            let response = try await get(path, ["Range": range])
            expectEqual(response.status, 416)
            expectEqual(response.fields["Content-Range"]?.utf8.starts(with: "bytes */".utf8), true)
        }
    }

    @Test
    func `Files of a folder have a weak entity tag while they can change within a tick of the clock`() async throws {
        try Data("new".utf8).write(to: URL(fileURLWithPath: folder.path + "/new.txt"))
        let tag = try #require(try await get("/assets/new.txt").fields["ETag"])
        #expect(tag.utf8.starts(with: "W/".utf8))
        try await expectEqual(get("/assets/new.txt", ["If-None-Match": tag]).status, 304)
        try await expectEqual(get("/assets/new.txt", ["If-Match": tag]).status, 412)
    }

    @Test func `Files of a folder are also below a prefix with a slash at its end`() async throws {
        var router = Router()
        router.files("/assets/", in: folder.path)
        let response = try await router.respond(to: HTTPRequest(authority: "localhost", path: "/assets/app.js"))
        expectEqual(response.status, .ok)
        expectEqual(router.routes.map(\.pattern), ["/assets/{path...}"])
    }

    @Test func `Files of a folder of a single-page app fall back to its page`() async throws {
        var router = Router()
        router.get("/api/x") { _ in HTTPResponse(status: .noContent) }
        router.files("/", in: folder.path, fallback: "index.html")
        for (path, text) in [("/notes/7", "<p>home</p>"), ("/app.js", "let x = 1"), ("/", "<p>home</p>")] {
            let response = try await router.respond(to: HTTPRequest(authority: "localhost", path: path))
            expectEqual(response.status, .ok)
            try await expectEqual(response.body.collected(upTo: 100), Array(text.utf8))
        }
        let call = try await router.respond(to: HTTPRequest(authority: "localhost", path: "/api/x"))
        expectEqual(call.status, .noContent)
    }

    /// NixOS/nixpkgs#25485, paketo-buildpacks/nginx#447.
    @Test(arguments: [1, 315_532_800.0]) func `Files of a folder of an image with one time for all files have versions`(
        time: TimeInterval
    ) async throws {
        let path = folder.path + "/app.js"
        func place(_ text: String) throws {
            try write("app.js", text)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: time)], ofItemAtPath: path)
        }
        try place("let x = 1")
        let old = try await get("/assets/app.js").fields
        let (tag, date) = (try #require(old["ETag"]), try #require(old["Last-Modified"]))
        expectEqual(HTTPDate(date).map { abs($0.date.timeIntervalSinceNow) < 60 }, true)
        // The clock of the file system ticks some hundred times a second.
        for _ in 0..<10_000 where try await get("/assets/app.js").fields["ETag"] == tag { try place("let x = 2") }
        let new = try await get("/assets/app.js", ["If-None-Match": tag])
        expectEqual(new.status, .ok)
        try await expectEqual(new.body.collected(upTo: 100), Array("let x = 2".utf8))
    }

    @Test func `Files of a folder were never changed after now, whatever the file system says`() async throws {
        try write("future.txt", "x")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: 86_400)], ofItemAtPath: folder.path + "/future.txt")
        let date = try #require(try await get("/assets/future.txt").fields["Last-Modified"].flatMap(HTTPDate.init))
        #expect(date.date <= Date())
    }

    @Test func `Files of a folder that are replaced while they are sent are broken off`() async throws {
        try write("large.bin", String(repeating: "x", count: 1_000_000))
        let response = try await get("/assets/large.bin")
        var pieces = response.body.chunks.makeAsyncIterator()
        try await expectEqual(pieces.next()?.isEmpty, false)
        try write("large.bin", String(repeating: "y", count: 999_999))
        await #expect(throws: HTTPError.fileChanged) { while try await pieces.next() != nil {} }
    }

    @Test func `Files of a folder count in the memory of the server while a client does not read them`() async throws {
        var request = HTTPRequest(authority: "localhost", path: "/assets/app.js")
        let budget = MemoryBudget(limit: 10 << 20)
        var responses: [HTTPResponse] = []
        var reservations: [MemoryReservation] = []
        repeat {
            let reservation = MemoryReservation(budget, isGuaranteed: false)
            request.context.memory = reservation
            reservations.append(reservation)
            responses.append(try await router.respond(to: request))
        } while responses.last?.status == .ok && responses.count < 1_000
        expectEqual(responses.last?.status, .serviceUnavailable)
        #expect((100...200).contains(responses.count))
    }

    @Test func `Files of a folder that are large are resumed by a client after a download broke off`() async throws {
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        try Data(bytes).write(to: URL(fileURLWithPath: folder.path + "/large.bin"))
        try await serving(router) { address in
            let client = Client(baseURL: URL(string: address.url)!)
            let target = outside.path + "/copy.bin"
            try await client.download(.get("assets/large.bin"), to: target)
            try expectEqual(Data(contentsOf: URL(fileURLWithPath: target)), Data(bytes))
            let part = try await client.respond(
                to: client.request(.get, "assets/large.bin", fields: ["Range": "bytes=1000000-2999998"]))
            expectEqual(part.status, 206)
            expectEqual(part.body.bytes, Array(bytes[1_000_000...2_999_998]))
        }
    }

}
