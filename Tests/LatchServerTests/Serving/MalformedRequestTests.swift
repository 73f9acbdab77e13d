// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import Synchronization
import TestSupport
import TestTags
import Testing

/// Each case is sent as these bytes over a real socket, followed by a second request that must never be served.
@Suite(.tags(.requestSmuggling)) struct MalformedRequestTests {
    static let smuggled = "GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"

    /// Sends bytes and a complete request after them; returns the responses and the paths that reached the handler.
    static func answers(
        to bytes: String, _ configuration: Server.Configuration = Server.Configuration.patient,
        followedBy next: String = smuggled
    ) async throws -> (responses: [HTTPResponse], served: [String]) {
        let served = Served()
        let handler = ClosureHandler { request in
            served.add(request.path)
            return HTTPResponse(status: .ok, body: request.body)
        }
        let responses = try await serving(handler, configuration: configuration) { address in
            let client = try RawClient(port: address.port)
            await client.send(bytes + next)
            client.endSending()
            return await client.receiveResponses()
        }
        return (responses, served.paths)
    }

    final class Served: Sendable {
        private let lock = Mutex<[String]>([])
        func add(_ path: String) { lock.withLock { $0.append(path) } }
        var paths: [String] { lock.withLock { $0 } }
    }

    static let malformed: [(name: String, bytes: String)] = [
        (
            "a coding with another letter for k",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chun\u{212A}ed\r\n\r\n0\r\n\r\n" + smuggled
        ),
        (
            "two Authorization fields",
            "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nauthorization: Bearer b\r\n\r\n"
        ),
        ("two equal Content-Length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc"),
        (
            "two unequal Content-Length",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 0\r\n\r\nabc"
        ),
        ("a list of lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3, 3\r\n\r\nabc"),
        ("a signed length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\nabc"),
        ("a negative length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\nabc"),
        ("a hexadecimal length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x3\r\n\r\nabc"),
        ("an empty length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n"),
        ("a length with a blank inside", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1 0\r\n\r\nabc"),
        (
            "length and chunked",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        (
            "chunked and length",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n"
        ),
        ("an unknown coding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n"),
        ("gzip before chunked", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
        ("chunked not last", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n"),
        (
            "chunked twice",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        ("a coding in disguise", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \u{0B}chunked\r\n\r\n0\r\n\r\n"),
        ("a quoted coding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n"),
        ("an empty coding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n\r\n"),
        ("chunked in HTTP/1.0", "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        ("no Host", "GET / HTTP/1.1\r\nAccept: */*\r\n\r\n"),
        ("two Host", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
        ("an empty Host and another", "GET / HTTP/1.1\r\nHost:\r\nHost: a\r\n\r\n"),
        ("a Host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"),
        ("a Host with user information", "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n"),
        ("a Host with a blank", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n"),
        ("a Host with a bad port", "GET / HTTP/1.1\r\nHost: a:8o\r\n\r\n"),
        ("a Host with two ports", "GET / HTTP/1.1\r\nHost: a:80:90\r\n\r\n"),
        ("a Host with an open bracket", "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n"),
        ("a Host with a long port", "GET / HTTP/1.1\r\nHost: a:123456\r\n\r\n"),
        ("a Host with empty brackets", "GET / HTTP/1.1\r\nHost: []\r\n\r\n"),
        ("a Host with text behind brackets", "GET / HTTP/1.1\r\nHost: [::1]a\r\n\r\n"),
        ("a Host with a zone", "GET / HTTP/1.1\r\nHost: [fe80::1%25eth0]\r\n\r\n"),
        ("a Host that is a port alone", "GET / HTTP/1.1\r\nHost: :80\r\n\r\n"),
        ("a Host that is not ASCII", "GET / HTTP/1.1\r\nHost: \u{E9}\r\n\r\n"),
        ("another Host than the target's", "GET http://a/ HTTP/1.1\r\nHost: b\r\n\r\n"),
        ("a bare CR in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: a\rContent-Length: 9\r\n\r\n"),
        ("a bare CR as a line's end", "GET / HTTP/1.1\rHost: a\r\r"),
        ("a bare LF as a line's end", "GET / HTTP/1.1\nHost: a\n\n"),
        ("a bare LF in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: a\nContent-Length: 9\r\n\r\n"),
        ("NUL in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n"),
        ("NUL in a name", "GET / HTTP/1.1\r\nHost: a\r\nX\0: a\r\n\r\n"),
        ("NUL in the target", "GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("a control in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: a\u{8}b\r\n\r\n"),
        ("DEL in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: a\u{7F}b\r\n\r\n"),
        ("a folded field", "GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n"),
        ("a field folded by a tab", "GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n\tContent-Length: 3\r\n\r\n"),
        ("a first field that is folded", "GET / HTTP/1.1\r\n Host: a\r\n\r\n"),
        ("a blank before the colon", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length : 3\r\n\r\nabc"),
        ("a field without a name", "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n"),
        ("a field without a colon", "GET / HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n"),
        ("a name with a bracket", "GET / HTTP/1.1\r\nHost: a\r\nX[]: b\r\n\r\n"),
        ("a name that is not ASCII", "GET / HTTP/1.1\r\nHost: a\r\n\u{E9}: b\r\n\r\n"),
        ("no version", "GET /\r\nHost: a\r\n\r\n"),
        ("two blanks before the version", "GET /  HTTP/1.1 \r\nHost: a\r\n\r\n"),
        ("a blank in the target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("a tab instead of a blank", "GET\t/\tHTTP/1.1\r\nHost: a\r\n\r\n"),
        ("no method", " / HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("a method that is no token", "G[T / HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("a target without a slash", "GET a HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("a target with a fragment", "GET /#a HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("a target that is not ASCII", "GET /\u{E9} HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("the authority form", "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n"),
        ("CONNECT with a path", "CONNECT /a HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("CONNECT with the absolute form", "CONNECT http://a/ HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("an absolute form whose host is none", "GET http://a\"<b>/ HTTP/1.0\r\n\r\n"),
        ("an absolute form with user information", "GET http://a@b/ HTTP/1.0\r\n\r\n"),
        ("the asterisk form for GET", "GET * HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("another scheme", "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("a lower-case version", "GET / http/1.1\r\nHost: a\r\n\r\n"),
        ("a long version", "GET / HTTP/1.10\r\nHost: a\r\n\r\n"),
        ("two empty lines in front", "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("a TLS hello", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}"),
    ]

    @Test(arguments: malformed)
    func `An ambiguous request is answered with 400 once, and nothing after it is served`(name: String, bytes: String)
        async throws
    {
        let (responses, served) = try await Self.answers(to: bytes)
        expectEqual(responses.map(\.status), [.badRequest], "\(name)")
        expectEqual(responses.first?.fields["Connection"], "close", "\(name)")
        #expect(served.isEmpty, "\(name)")
    }

    static let malformedChunks: [(name: String, bytes: String)] = [
        ("a size with 0x", "0x3\r\nabc\r\n0\r\n\r\n"), ("a signed size", "+3\r\nabc\r\n0\r\n\r\n"),
        ("no size", "\r\nabc\r\n0\r\n\r\n"), ("a size with a blank", "3 \r\nabc\r\n0\r\n\r\n"),
        ("a blank before a size", " 3\r\nabc\r\n0\r\n\r\n"), ("a size that overflows", "fffffffffffffffff\r\nabc"),
        ("a size ended by LF", "3\nabc\r\n0\r\n\r\n"), ("data ended by LF", "3\r\nabc\n0\r\n\r\n"),
        ("more data than its size", "3\r\nabcd\r\n0\r\n\r\n"), ("less data than its size", "5\r\nabc\r\n0\r\n\r\n"),
        ("an extension with a bare LF", "3;a\nabc\r\n0\r\n\r\n"), ("an extension with NUL", "3;\0\r\nabc\r\n0\r\n\r\n"),
        ("an extension with a bare CR", "3;a\rb\r\nabc\r\n0\r\n\r\n"),
        ("a trailer without a name", "0\r\n: a\r\n\r\n"), ("a folded trailer", "0\r\nA: b\r\n c\r\n\r\n"),
        ("a trailer without a colon", "0\r\nabc\r\n\r\n"), ("a trailer ended by LF", "0\r\nA: b\n\r\n"),
        ("an end without CRLF", "0\r\n\n"),
    ]

    @Test(arguments: malformedChunks)
    func `An ambiguous request is rejected when a chunk is malformed`(name: String, bytes: String) async throws {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        let (responses, served) = try await Self.answers(to: head + bytes)
        expectEqual(responses.count, 1, "\(name)")
        expectEqual(responses.first.map { $0.status == .badRequest || $0.status == .contentTooLarge }, true, "\(name)")
        #expect(served.isEmpty, "\(name)")
    }

    @Test(arguments: ["HTTP/2.0", "HTTP/0.9", "HTTP/3.1"])
    func `An ambiguous request is answered with 505 when its version is not supported`(version: String) async throws {
        let (responses, served) = try await Self.answers(to: "GET / \(version)\r\nHost: a\r\n\r\n")
        expectEqual(responses.map(\.status), [505])
        #expect(served.isEmpty)
    }

    @Test func `An ambiguous request is answered with 417 when its expectation is unknown`() async throws {
        let bytes = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 200-maybe\r\nContent-Length: 3\r\n\r\nabc"
        try await expectEqual(Self.answers(to: bytes).responses.map(\.status), [417])
    }
}
