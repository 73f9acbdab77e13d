// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import LatchServer
import Testing

/// Tests that formats are parsed as bytes: a Swift character may combine a separator with an accent after it, and compares
/// equal to some look-alikes.
@Suite struct ClingingCharacterTests {
    static let accent = "\u{301}"

    static func form(_ body: String) -> HTTPRequest {
        HTTPRequest(
            method: .post, authority: "localhost", path: "/",
            fields: [.contentType: "application/x-www-form-urlencoded"], body: HTTPBody(body))
    }

    @Test func `A separator before an accent separates the fields of a form`() throws {
        let fields = try Self.form("a=1&\(Self.accent)=2&b=\(Self.accent)3").formFields()
        expectEqual(fields.map(\.name), ["a", Self.accent, "b"])
        expectEqual(fields.map(\.value), ["1", "2", Self.accent + "3"])
    }

    @Test func `A separator before an accent cannot hide a repeated field of a form`() throws {
        let fields = try Self.form("client_id=good&\(Self.accent)x=1&client_id=\(Self.accent)bad").formFields()
        #expect(throws: ServerError.self) { try fields.single("client_id") }
    }

    @Test func `A separator before an accent separates the pairs of a query`() {
        let path = "/?a=1&\(Self.accent)=2"
        let items = HTTPRequest(authority: "localhost", path: path).queryItems
        expectEqual(items.map(\.value), ["1", "2"])
    }

    @Test func `A separator before an accent separates cookies and their values`() {
        let line = "sid=good;\(Self.accent)x=1; b=\(Self.accent)2"
        let request = HTTPRequest(authority: "localhost", path: "/", fields: [.cookie: line])
        expectEqual(request.cookies["sid"], "good")
        expectEqual(request.cookies["b"], Self.accent + "2")
    }

    @Test func `A separator before an accent is not the Greek question mark, which Swift compares equal to one`() {
        let request = HTTPRequest(authority: "localhost", path: "/", fields: [.cookie: "a=1\u{37E}sid=forged"])
        expectNil(request.cookies["sid"])
        expectEqual(request.cookies["a"].map { Array($0.utf8) }, Array("1\u{37E}sid=forged".utf8))
    }

    @Test func `A separator before an accent ends a media type`() {
        let request = HTTPRequest(
            authority: "localhost", path: "/", fields: [.contentType: "application/json;\(Self.accent)"])
        expectEqual(request.mediaType, "application/json")
    }
}
