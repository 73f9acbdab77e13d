// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import Testing

@testable import LatchServer

@Suite struct `The writer of responses` {
    static func head(of response: HTTPResponse, isHead: Bool = false, closes: Bool = false) throws -> String {
        var output: [UInt8] = []
        try ResponseWriter(date: "now", isHead: isHead, closes: closes).write(response, into: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test func `writes status, date, fields and length`() throws {
        let response = HTTPResponse(status: .created, fields: ["X-a": "1", "x-A": "2"], body: HTTPBody("abc"))
        #expect(
            try Self.head(of: response)
                == "HTTP/1.1 201 Created\r\nDate: now\r\nX-a: 1\r\nx-A: 2\r\nContent-Length: 3\r\n\r\n")
        #expect(try Self.head(of: response, closes: true).hasSuffix("\r\nConnection: close\r\n\r\n"))
    }

    @Test func `keeps the length that HEAD is to state`() throws {
        let stated = HTTPResponse(status: .ok, fields: [.contentLength: "42"])
        #expect(try Self.head(of: stated, isHead: true).contains("Content-Length: 42\r\n"))
        #expect(try Self.head(of: stated).contains("Content-Length: 0\r\n"))
        let odd = HTTPResponse(status: .ok, fields: [.contentLength: "4x2"])
        #expect(try Self.head(of: odd, isHead: true).contains("Content-Length: 0\r\n"))
    }

    @Test func `writes nothing of a response that cannot be sent`() {
        var output: [UInt8] = [1]
        let response = HTTPResponse(status: .ok, fields: ["Good": "a", "Bad": "a\r\nb"])
        #expect(throws: HTTPError.self) {
            try ResponseWriter(date: "now", isHead: false, closes: false).write(response, into: &output)
        }
        #expect(output == [1])
    }

    @Test(arguments: [(299, "OK"), (418, "Bad Request"), (599, "Internal Server Error"), (799, "Unknown")])
    func `has words for every status`(status: Int, phrase: String) throws {
        let head = try Self.head(of: HTTPResponse(status: HTTPStatus(rawValue: status)))
        #expect(head.hasPrefix("HTTP/1.1 \(status) \(phrase)\r\n"))
    }
}
