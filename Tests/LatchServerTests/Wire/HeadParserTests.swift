// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import Testing

@testable import LatchServer

@Suite struct HeadParserTests {
    static func parse(_ text: String, _ cache: inout FieldCache) throws(Rejection) -> RequestHead {
        do {
            return try Array(text.utf8).withUnsafeBufferPointer {
                try HeadParser.parse($0, cache: &cache, defaultAuthority: "default")
            }
        } catch let refusal as Rejection { throw refusal } catch { throw Rejection("\(error)") }
    }

    static func parse(_ text: String) throws(Rejection) -> RequestHead {
        var cache = FieldCache()
        return try parse(text, &cache)
    }

    /// f5-cloud-iapps#7: a load balancer's probe.
    @Test func `The head parser has the server's own authority if Host is empty`() throws {
        try expectEqual(Self.parse("GET / HTTP/1.1\r\nHost: \r\n\r\n").authority, "default")
        #expect(throws: Rejection.self) { try Self.parse("GET / HTTP/1.1\r\nHost: \r\nHost: a\r\n\r\n") }
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", true), ("GET / HTTP/1.0\r\nHost: a\r\n\r\n", false),
        ("GET / HTTP/1.9\r\nHost: a\r\n\r\n", true), ("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", false),
        ("GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n", false),
        ("GET / HTTP/1.1\r\nHost: a\r\nKeep-Alive: timeout=0\r\n\r\n", true),
    ])
    func `The head parser knows whether another request can follow`(head: String, keepsAlive: Bool) throws {
        try expectEqual(Self.parse(head).keepsAlive, keepsAlive)
    }

    @Test(arguments: [
        ("", RequestHead.Framing.length(0)), ("Content-Length: 7\r\n", .length(7)),
        ("content-length:7\r\n", .length(7)),
        ("Content-Length: 0007\r\n", .length(7)), ("Transfer-Encoding: Chunked\r\n", .chunked),
        ("CONTENT-LENGTH: \t7 \t\r\n", .length(7)), ("X-Content-Length: 7\r\n", .length(0)),
    ])
    func `The head parser finds the end of the content`(field: String, framing: RequestHead.Framing) throws {
        try expectEqual(Self.parse("POST / HTTP/1.1\r\nHost: a\r\n" + field + "\r\n").framing, framing)
    }

    @Test func `The head parser keeps the method's case and accepts any token`() throws {
        for method in ["get", "GET", "M-SEARCH", "!#$%&'*+-.^_`|~"] {
            try expectEqual(Self.parse("\(method) / HTTP/1.1\r\nHost: a\r\n\r\n").method.rawValue, method)
        }
    }

    @Test func `The head parser keeps each client's spelling of names`() throws {
        // Names of one length with the same ends share a place in the cache.
        var cache = FieldCache()
        for spelling in ["X-Abc-D", "x-abc-d", "X-aBc-D", "X-xyz-D", "X-Abc-D"] {
            let head = try Self.parse("GET / HTTP/1.1\r\nHost: a\r\n\(spelling): v\r\n\r\n", &cache)
            expectEqual(head.fields.map(\.name.rawName), ["Host", spelling])
            expectEqual(head.fields[HTTPFieldName(spelling)], "v")
        }
    }

    @Test func `The head parser reads a value that is not UTF-8 as ISO-8859-1`() throws {
        var cache = FieldCache()
        let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\nX: a".utf8) + [0xFF] + Array("b\r\n\r\n".utf8)
        let head = try bytes.withUnsafeBufferPointer {
            try HeadParser.parse($0, cache: &cache, defaultAuthority: "default")
        }
        expectEqual(head.fields["X"], "a\u{FF}b")
    }

    @Test(arguments: ["GET", "GET /", " GET / HTTP/1.1", "GET / HTTP/1.1 ", "GET  / HTTP/1.1", "GET / HTTP/1.", "/"])
    func `The head parser rejects a malformed request line`(line: String) {
        let refusal = #expect(throws: Rejection.self) { try Self.parse("\(line)\r\nHost: a\r\n\r\n") }
        expectEqual(refusal?.status, .badRequest)
    }

    @Test func `The head parser never repeats the request in a rejection`() {
        for head in ["GET /secret#x HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: secret/\r\n\r\n", "secret\r\n\r\n"] {
            let refusal = #expect(throws: Rejection.self) { try Self.parse(head) }
            expectEqual(refusal?.reason.contains("secret"), false)
        }
    }
}
