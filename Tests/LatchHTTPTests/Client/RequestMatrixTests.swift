// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import TestSupport
import TestTags
import Testing

@Suite struct RequestMatrixTests {
    struct Note: Codable, Sendable {
        var text: String
        var count: Int
    }

    enum Kind: String, CaseIterable, Sendable {
        case none, dictionary, encodable, form, encodableForm, multipart, bytes, text, stream
    }

    /// One boundary for all.
    private static func multipart() -> MultipartForm {
        var form = MultipartForm(random: .init { 0 })
        form.add("é &", named: "text")
        form.add([0, 1, 255], named: "file", filename: "a.bin")
        return form
    }

    private static func content(_ kind: Kind) -> RouteContent {
        switch kind {
        case .none: .empty
        case .dictionary: .json(["text": "é & \"quoted\""])
        case .encodable: .json(Note(text: "a", count: 1))
        case .form: .form([("a b", "c&d=e+f"), ("é", "")])
        case .encodableForm: .form(Note(text: "x y", count: 3))
        case .multipart: .multipart(multipart())
        case .bytes: .bytes([0, 255, 13, 10], as: "application/octet-stream")
        case .text: .text("é\r\n")
        case .stream: .stream(HTTPBodyStream(Array("known length".utf8)), as: "text/csv")
        }
    }

    private static func expected(_ kind: Kind) -> (type: String?, bytes: [UInt8]) {
        let boundary = "latch-00000000000000000000000000000000"
        return switch kind {
        case .none: (nil, [])
        case .dictionary: ("application/json", Array(#"{"text":"é & \"quoted\""}"#.utf8))
        case .encodable: ("application/json", Array(#"{"count":1,"text":"a"}"#.utf8))
        case .form: ("application/x-www-form-urlencoded", Array("a%20b=c%26d%3De%2Bf&%C3%A9=".utf8))
        case .encodableForm: ("application/x-www-form-urlencoded", Array("count=3&text=x%20y".utf8))
        case .multipart:
            (
                "multipart/form-data; boundary=\(boundary)",
                Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\né &\r\n".utf8)
                    + Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; ".utf8)
                    + Array("filename=\"a.bin\"\r\nContent-Type: application/octet-stream\r\n\r\n".utf8)
                    + [0, 1, 255] + Array("\r\n--\(boundary)--\r\n".utf8)
            )
        case .bytes: ("application/octet-stream", [0, 255, 13, 10])
        case .text: ("text/plain; charset=utf-8", Array("é\r\n".utf8))
        case .stream: ("text/csv", Array("known length".utf8))
        }
    }

    @Test(.tags(.contentMatrix), arguments: ["GET", "POST", "PUT", "PATCH", "DELETE", "REPORT"], Kind.allCases)
    func `A route on the wire has the method, the query and the content of its route`(method: String, kind: Kind)
        async throws
    {
        let server = try RawHTTPServer { _ in .response(body: #"{"text":"ok","count":2}"#) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let client = Client(
            baseURL: try #require(URL(string: "\(server.url)/v1?key=1")), transport: CurlTransport(), encoder: encoder)
        let query = [("a b", "c&d"), ("é", "+")]
        for isTyped in [true, false] {
            let content = Self.content(kind)
            let method = HTTPMethod(rawValue: method)
            if isTyped {
                let note = try await client.perform(
                    .request(method, "x", query: query, sending: content, as: Note.self))
                expectEqual(note.count, 2)
            } else {
                try await client.perform(.request(method, "x", query: query, sending: content))
            }
        }
        let expected = Self.expected(kind)
        expectEqual(server.requests.count, 2)
        for request in server.requests {
            expectEqual(request.line, "\(method) /v1/x?key=1&a%20b=c%26d&%C3%A9=%2B HTTP/1.1")
            expectEqual(request.values(of: "Content-Type"), expected.type.map { [$0] } ?? [])
            expectEqual(request.body, expected.bytes)
        }
    }

    @Test(.tags(.contentMatrix), arguments: ["POST", "PUT", "PATCH", "DELETE"])
    func `A route on the wire sends content of unknown length`(method: String) async throws {
        let echo = ClosureHandler { request in
            HTTPResponse(
                status: .ok, fields: [.contentType: request.fields[.contentType] ?? ""],
                body: HTTPBody(try await request.body.collected(upTo: 1_000)))
        }
        try await serving(echo) { address in
            let client = Client(baseURL: try #require(URL(string: address.url)), transport: CurlTransport())
            let content = RouteContent.stream(pieces(["un", "", "known é"]), as: "text/csv")
            let response = try await client.perform(
                .raw(HTTPMethod(rawValue: method), "x", sending: content))
            expectEqual(response.body.text, "unknown é")
            expectEqual(response.fields[.contentType], "text/csv")
        }
    }

    @Test func `A route on the wire has the method of its declaration`() async throws {
        let server = try RawHTTPServer { request in
            request.line.hasPrefix("HEAD") ? .text("HTTP/1.1 200 OK\r\n\r\n") : .response(body: "{}")
        }
        let client = Client(baseURL: try #require(URL(string: server.url)), transport: CurlTransport())
        struct Empty: Codable, Sendable {}
        let content = RouteContent.text("t")
        try await client.perform(.get("1"))
        try await client.perform(.head("2"))
        try await client.perform(.delete("3"))
        try await client.perform(.post("4", sending: content))
        try await client.perform(.put("5", sending: content))
        try await client.perform(.patch("6", sending: content))
        _ = try await client.perform(.get("7", as: Empty.self))
        _ = try await client.perform(.delete("8", as: Empty.self))
        _ = try await client.perform(.post("9", sending: content, as: Empty.self))
        _ = try await client.perform(.put("10", sending: content, as: Empty.self))
        _ = try await client.perform(.patch("11", sending: content, as: Empty.self))
        try await client.perform(.post("12", sending: .multipart(Self.multipart())))
        _ = try await client.perform(.post("13", sending: .multipart(Self.multipart()), as: Empty.self))
        let lines = server.requests.map { $0.line.split(separator: " ").prefix(2).joined(separator: " ") }
        expectEqual(
            lines,
            [
                "GET /1", "HEAD /2", "DELETE /3", "POST /4", "PUT /5", "PATCH /6", "GET /7", "DELETE /8", "POST /9",
                "PUT /10", "PATCH /11", "POST /12", "POST /13",
            ])
        expectEqual(server.requests.map { String(decoding: $0.body.prefix(1), as: UTF8.self) }.joined(), "tttttt--")
    }
}
