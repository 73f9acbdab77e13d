// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import LatchServer
import TestTags
import Testing

@Suite struct RequestReadingTests {
    static func form(_ body: String, type: String = "application/x-www-form-urlencoded") -> HTTPRequest {
        HTTPRequest(
            method: .post, authority: "localhost", path: "/", fields: [.contentType: type], body: HTTPBody(body))
    }

    @Test func `A request on the server gives its query decoded and in order`() {
        let request = HTTPRequest(authority: "localhost", path: "/p?a=1&b=x+y%26z&a=2&flag&=empty&bad=%zz&u=%C3%A9")
        let items = request.queryItems
        expectEqual(items.map(\.name), ["a", "b", "a", "flag", "", "u"])
        expectEqual(items["b"], "x y&z")
        expectEqual(items.values(of: "a"), ["1", "2"])
        expectEqual(items["flag"], "")
        expectEqual(items["u"], "\u{E9}")
        expectNil(items["bad"])
    }

    @Test func `A request on the server has no query items without a query`() {
        #expect(HTTPRequest(authority: "localhost", path: "/p").queryItems.isEmpty)
    }

    @Test func `A request on the server bounds the items of its query`() {
        let query = Array(repeating: "a=1", count: 5000).joined(separator: "&")
        expectEqual(HTTPRequest(authority: "localhost", path: "/p?" + query).queryItems.count, 1024)
    }

    @Test func `A request on the server gives its cookies, the first of a name`() {
        var request = HTTPRequest(authority: "localhost", path: "/")
        request.fields.append("sid=abc; theme=\"dark\";empty=; novalue ;=nameless; sid=later", for: .cookie)
        request.fields.append("token=a=b==", for: .cookie)
        expectEqual(request.cookies, ["sid": "abc", "theme": "dark", "empty": "", "token": "a=b=="])
    }

    @Test(.tags(.decompressionBomb)) func `A request on the server bounds its cookies, in one field and in many`() {
        var request = HTTPRequest(authority: "localhost", path: "/")
        for field in 0..<3 {
            request.fields.append((0..<90).map { "c\(field)-\($0)=1" }.joined(separator: "; "), for: .cookie)
        }
        expectEqual(request.cookies.count, 200)
        #expect(request.cookies["c2-19"] == "1" && request.cookies["c2-20"] == nil)
    }

    @Test func `A request on the server gives the fields of a form`() throws {
        let fields = try Self.form(
            "user=ann%40example.com&pass=a+b%2B&empty=&x", type: "Application/X-WWW-Form-Urlencoded; charset=utf-8"
        )
        .formFields()
        expectEqual(fields["user"], "ann@example.com")
        expectEqual(fields["pass"], "a b+")
        expectEqual(fields["empty"], "")
        expectEqual(fields["x"], "")
        expectNil(fields["missing"])
    }

    @Test func `A request on the server rejects a form of another type`() {
        let error = #expect(throws: ServerError.self) { try Self.form("a=b", type: "text/plain").formFields() }
        expectEqual(error?.code, ServerError.unsupportedMediaType.code)
        expectEqual(error?.status, .unsupportedMediaType)
    }

    @Test(arguments: ["a=%", "a=%f", "%zz=1", "a=%ff", "a=%C3"])
    func `A request on the server rejects a form that cannot be decoded`(body: String) {
        #expect(throws: ServerError.self) { try Self.form(body).formFields() }
    }

    @Test func `A request on the server rejects a form that is not UTF-8`() {
        var request = Self.form("")
        request.body = HTTPBody([0x61, 0x3D, 0xFF])
        #expect(throws: ServerError.self) { try request.formFields() }
    }

    @Test func `A request on the server bounds the fields of a form`() throws {
        let body = Array(repeating: "a=1", count: 101).joined(separator: "&")
        #expect(throws: ServerError.self) { try Self.form(body).formFields() }
        try expectEqual(Self.form(body).formFields(limit: 101).count, 101)
    }

    @Test func `A request on the server distinguishes a repeated field from a single one`() throws {
        let fields = try Self.form("code=1&grant=a&grant=b").formFields()
        try expectEqual(fields.single("code"), "1")
        try expectNil(fields.single("none"))
        #expect(throws: ServerError.self) { try fields.single("grant") }
    }

    @Test(.tags(.decompressionBomb))
    func `A request on the server counts decoded content against the server's memory beforehand`() throws {
        let budget = MemoryBudget(limit: 1000)
        var text = Self.form("a=" + String(repeating: "b", count: 400))
        text.context.memory = MemoryReservation(budget)
        try expectEqual(text.formFields().count, 1)
        expectEqual(budget.heldBytes, 804)
        #expect(throws: ServerError.memoryExhausted) { try text.formFields() }
        #expect(throws: ServerError.memoryExhausted) {
            text.fields[.contentType] = "application/json"
            return try text.json()
        }
        #expect(throws: ServerError.memoryExhausted) {
            text.fields[.contentType] = "multipart/form-data; boundary=a"
            return try text.multipartForm()
        }
    }

    @Test func `A request on the server has no remote address and no parameters in process`() {
        let request = HTTPRequest(authority: "localhost", path: "/")
        expectNil(request.remoteAddress)
        expectNil(request.pathParameter("id"))
        expectNil(request.mediaType)
    }
}
