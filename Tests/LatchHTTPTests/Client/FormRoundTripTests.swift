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

@Suite struct FormRoundTripTests {
    private struct Echo: Codable, Sendable, Equatable {
        var form: [[String]]
        var query: [[String]]
    }

    /// Answers with what the server's own parsers make of a request.
    private static var echo: Router {
        var router = Router()
        router.post("/echo") { request in
            let form = try request.formFields(limit: 2_000)
            let echo = Echo(
                form: form.map { [$0.name, $0.value] }, query: request.queryItems.map { [$0.name, $0.value] })
            return HTTPResponse(
                status: .ok, fields: [.contentType: "application/json"],
                body: HTTPBody([UInt8](try JSONEncoder().encode(echo))))
        }
        return router
    }

    /// The scalars: `==` on strings would take two spellings of one letter for the same.
    private static func scalars(_ pairs: [[String]]) -> [[[UInt32]]] {
        pairs.map { $0.map { $0.unicodeScalars.map(\.value) } }
    }

    private func checkRoundTrip(_ pairs: [(String, String)]) async throws {
        try await serving(Self.echo) { address in
            let client = Client(baseURL: try #require(URL(string: address.url)), transport: CurlTransport())
            for chunk in stride(from: 0, to: pairs.count, by: 100) {
                let some = Array(pairs[chunk..<min(chunk + 100, pairs.count)])
                let echo = try await client.perform(.post("echo", query: some, sending: .form(some), as: Echo.self))
                let sent = Self.scalars(some.map { [$0.0, $0.1] })
                expectEqual(Self.scalars(echo.form), sent)
                expectEqual(Self.scalars(echo.query), sent)
            }
        }
    }

    @Test(.tags(.formEncoding))
    func `A form or a query at a real server keeps every ASCII character, by itself and between others`() async throws {
        try await checkRoundTrip(
            (0..<128 as Range<UInt8>).flatMap { byte in
                let character = String(decoding: [byte], as: UTF8.self)
                return [(character, character), ("a\(character)b", "c\(character)d")]
            })
    }

    @Test(.tags(.formEncoding))
    func `A form or a query at a real server keeps characters with a meaning in a form`() async throws {
        try await checkRoundTrip([
            ("& = + % space ; unicode", "& = + % space ; unicode"), ("a&b=c", "a+b%20c"), ("100%", "%%2525"),
            ("semi;colon", "x;y"), ("nul\u{0}", "\u{0}\u{0}"), ("line", "a\r\nb\rc\nd"), ("", ""), ("same", "1"),
            ("same", "2"), ("+", " "), (" ", "+"), ("%2B", "%20"), ("a[]", "a[0]=1&a[1]=2"),
        ])
    }

    @Test(.tags(.formEncoding)) func `A form or a query at a real server keeps every plane of Unicode`() async throws {
        var scalars: [Unicode.Scalar] = [
            "\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FEFF}", "\u{FFFD}", "\u{FFFE}", "\u{FFFF}",
            "\u{10000}", "\u{1F98A}", "\u{10FFFF}", "\u{301}", "\u{200D}", "\u{202E}", "\u{37E}", "\u{2028}",
        ]
        scalars += stride(from: 0x100, to: 0x11_0000, by: 0x1001).compactMap(Unicode.Scalar.init)
        // In two halves as UTF-16 has them, which a string of Swift puts together or replaces.
        let pair = String(decoding: [0xD83E, 0xDD8A] as [UInt16], as: UTF16.self)
        let half = String(decoding: [0xD83E] as [UInt16], as: UTF16.self)
        expectEqual(half, "\u{FFFD}")
        try await checkRoundTrip(scalars.map { ("n\($0)", String($0)) } + [(pair, half)])
    }

    @Test(.tags(.formEncoding), arguments: 0..<4 as Range<UInt64>)
    func `A form or a query at a real server keeps any text`(seed: UInt64) async throws {
        var random = SplitMix64(state: seed)
        try await checkRoundTrip((0..<150).map { _ in (random.text(upTo: 8), random.text(upTo: 8)) })
    }

    @Test(.tags(.formEncoding))
    func `A form or a query at a real server has the bytes of the percent-encoding specification`() async throws {
        let server = try RawHTTPServer { _ in .response(204) }
        let client = Client(baseURL: try #require(URL(string: server.url)), transport: CurlTransport())
        try await client.perform(.post("x", query: [("a b", "c+d;é")], sending: .form([("a b", "c+d;é&=%\u{0}🦊")])))
        let request = try #require(server.requests.first)
        expectEqual(request.line, "POST /x?a%20b=c%2Bd%3B%C3%A9 HTTP/1.1")
        expectEqual(String(decoding: request.body, as: UTF8.self), "a%20b=c%2Bd%3B%C3%A9%26%3D%25%00%F0%9F%A6%8A")
    }
}

@Suite struct FormValueTests {
    private enum Level: String, Codable, Sendable { case low, high }

    private struct Order: Encodable, Sendable {
        var name = "a b"
        var count = 3
        var price = 1.5
        var whole = 2.0
        var paid = true
        var note: String?
        var level = Level.high
        var day = Date(timeIntervalSince1970: 0)
        var longNumber = Int64.max
    }

    private func form(_ value: some Encodable & Sendable, _ encoder: JSONEncoder = JSONEncoder()) throws -> String {
        try #require(RouteContent.form(value).encoded(by: encoder).body.text)
    }

    @Test func `A form-encoded value has its properties sorted by name, without those that are nil`() throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.keyEncodingStrategy = .convertToSnakeCase
        for _ in 0..<5 {
            try expectEqual(
                form(Order(), encoder),
                "count=3&day=0&level=high&long_number=9223372036854775807&name=a%20b&paid=true&price=1.5&whole=2")
        }
    }

    @Test func `A form-encoded value can be a dictionary`() throws {
        try expectEqual(form(["b": "2", "a": "&", "é": "+"]), "a=%26&b=2&%C3%A9=%2B")
        #expect(try form([String: String]()).isEmpty)
    }

    @Test func `A form-encoded value that a form cannot spell is refused by its place and not by its content`() throws {
        struct Nested: Encodable, Sendable {
            var list = ["secret"]
        }
        let values: [any Encodable & Sendable] = [
            Nested(), ["a": ["b": "secret"]], ["secret"], "secret", 7, ["big": UInt64.max], ["odd": Double.infinity],
        ]
        for value in values {
            let error = #expect(throws: HTTPError.unencodable) { try form(value) }
            expectEqual(error?.description.contains("secret"), false)
        }
        expectEqual((#expect(throws: HTTPError.unencodable) { try form(Nested()) })?.message.contains("'list'"), true)
    }

    @Test func `A form-encoded value is sent with its media type`() async throws {
        let server = try RawHTTPServer { _ in .response(204) }
        let client = Client(baseURL: try #require(URL(string: server.url)), transport: CurlTransport())
        try await client.perform(.put("x", sending: .form(["a": "b"])))
        expectEqual(server.requests[0].values(of: "Content-Type"), ["application/x-www-form-urlencoded"])
        expectEqual(server.requests[0].body, Array("a=b".utf8))
    }
}
