// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import TestTags
import Testing

@testable import LatchServer

@Suite struct ResponseWriterTests {
    static func head(of response: HTTPResponse, isHead: Bool = false, closes: Bool = false) throws -> String {
        var output: [UInt8] = []
        try ResponseWriter(date: "now", isHead: isHead, closes: closes).write(response, into: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test func `The response writer writes status, date, fields and length`() throws {
        let response = HTTPResponse(status: .created, fields: ["X-a": "1", "x-A": "2"], body: HTTPBody("abc"))
        try expectEqual(
            Self.head(of: response),
            "HTTP/1.1 201 Created\r\nDate: now\r\nX-a: 1\r\nx-A: 2\r\nContent-Length: 3\r\n\r\n")
        #expect(try Self.head(of: response, closes: true).hasSuffix("\r\nConnection: close\r\n\r\n"))
    }

    @Test func `The response writer keeps the length of a response to HEAD`() throws {
        let stated = HTTPResponse(status: .ok, fields: [.contentLength: "42"])
        #expect(try Self.head(of: stated, isHead: true).contains("Content-Length: 42\r\n"))
        #expect(try Self.head(of: stated).contains("Content-Length: 0\r\n"))
        let odd = HTTPResponse(status: .ok, fields: [.contentLength: "4x2"])
        #expect(try Self.head(of: odd, isHead: true).contains("Content-Length: 0\r\n"))
    }

    @Test(.tags(.headerInjection)) func `The response writer writes nothing of an invalid response`() {
        var output: [UInt8] = [1]
        let response = HTTPResponse(status: .ok, fields: ["Good": "a", "Bad": "a\r\nb"])
        #expect(throws: HTTPError.self) {
            try ResponseWriter(date: "now", isHead: false, closes: false).write(response, into: &output)
        }
        expectEqual(output, [1])
    }

    @Test(arguments: [(299, "OK"), (418, "Bad Request"), (599, "Internal Server Error"), (799, "Unknown")])
    func `The response writer has a reason phrase for every status`(status: Int, phrase: String) throws {
        let head = try Self.head(of: HTTPResponse(status: HTTPStatus(rawValue: status)))
        #expect(head.hasPrefix("HTTP/1.1 \(status) \(phrase)\r\n"))
    }
}

@Suite struct WireResponseTests {
    typealias Writer = ResponseWriterTests

    @Test(arguments: [100, 101, 199, 204, 304])
    func `A response on the wire has neither length nor content if its status forbids them`(status: Int) throws {
        let response = HTTPResponse(
            status: HTTPStatus(rawValue: status), fields: [.contentLength: "3"], body: HTTPBody("abc"))
        for isHead in [false, true] {
            #expect(try !Writer.head(of: response, isHead: isHead).contains("Content-Length"))
            #expect(!ResponseWriter(date: "now", isHead: isHead, closes: false).hasContent(response))
        }
    }

    @Test(arguments: [200, 201, 206, 301, 400, 404, 500, 503])
    func `A response on the wire has the length of its content, whatever the handler states`(status: Int) throws {
        let response = HTTPResponse(
            status: HTTPStatus(rawValue: status), fields: [.contentLength: "99"], body: HTTPBody("abc"))
        #expect(try Writer.head(of: response).contains("\r\nContent-Length: 3\r\n"))
        #expect(ResponseWriter(date: "now", isHead: false, closes: false).hasContent(response))
        #expect(!ResponseWriter(date: "now", isHead: true, closes: false).hasContent(response))
    }

    @Test func `A response on the wire has a length of 0 with 205`() throws {
        let response = HTTPResponse(status: 205, body: HTTPBody("abc"))
        #expect(try Writer.head(of: response).contains("\r\nContent-Length: 0\r\n"))
        #expect(!ResponseWriter(date: "now", isHead: false, closes: false).hasContent(response))
    }

    @Test(arguments: ["Transfer-Encoding", "connection", "KEEP-ALIVE", "Date", "Server"])
    func `A response on the wire has no field that the server sets`(name: String) throws {
        let response = HTTPResponse(status: .noContent, fields: [HTTPFieldName(name): "forged", "X": "1"])
        try expectEqual(Writer.head(of: response), "HTTP/1.1 204 No Content\r\nDate: now\r\nX: 1\r\n\r\n")
    }

    @Test(arguments: ["", "A B", "A:", "A\r\nSet-Cookie", "A\n", "\u{E9}", "A\0"])
    func `A response on the wire is not written with an invalid field name`(name: String) {
        #expect(throws: HTTPError.self) {
            try Writer.head(of: HTTPResponse(status: .ok, fields: [HTTPFieldName(name): "x"]))
        }
    }

    @Test func `A response on the wire keeps repeated fields separate and in order`() throws {
        var response = HTTPResponse(status: .noContent)
        for value in ["a=1", "b=2", "a=3"] { response.fields.append(value, for: .setCookie) }
        let lines = "\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nSet-Cookie: a=3\r\n"
        #expect(try Writer.head(of: response).contains(lines))
    }
}
