// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchServer
import Testing

@Suite struct JSONContentTests {
    static func request(_ body: String, type: String? = "application/json") -> HTTPRequest {
        var request = HTTPRequest(method: .post, authority: "localhost", path: "/", body: HTTPBody(body))
        request.fields[.contentType] = type
        return request
    }

    @Test(arguments: ["application/json", "Application/JSON; charset=utf-8", "application/merge-patch+json"])
    func `JSON content is accepted with a JSON type`(type: String) throws {
        try expectEqual(Self.request(#"{"a":[1,"b"]}"#, type: type).json()["a"]?[1]?.stringValue, "b")
    }

    @Test(arguments: ["text/plain", "application/x-www-form-urlencoded", "json", nil])
    func `JSON content is rejected with any other type`(type: String?) {
        let error = #expect(throws: ServerError.self) { try Self.request("{}", type: type).json() }
        expectEqual(error?.status, .unsupportedMediaType)
    }

    @Test(arguments: ["", "{", "{}{}", #"{"a":1,"a":2}"#, "nope", "[1,]", "{}\u{FEFF}"])
    func `JSON content is rejected when it is malformed`(body: String) {
        let error = #expect(throws: ServerError.self) { try Self.request(body).json() }
        expectEqual(error?.status, .badRequest)
    }

    /// Badgerati/Pode#1604: PowerShell and .NET write one.
    @Test func `JSON content can begin with a byte order mark`() throws {
        let request = Self.request("\u{FEFF}{\"a\":1}")
        try expectEqual(request.json()["a"]?.intValue, 1)
        try expectEqual(request.json(as: [String: Int].self), ["a": 1])
    }

    /// google/certificate-transparency#1109.
    @Test(arguments: ["gzip", "identity, gzip", "br"])
    func `JSON content is refused with a content coding`(coding: String) throws {
        for type in ["application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b"] {
            var request = Self.request("a", type: type)
            request.fields["Content-Encoding"] = coding
            let error = #expect(throws: ServerError.self) {
                switch type.utf8.count {
                case 16: _ = try request.json()
                case 33: _ = try request.formFields()
                default: _ = try request.multipartForm()
                }
            }
            let response = HTTPResponse.problem(try #require(error))
            expectEqual(response.status, .unsupportedMediaType)
            expectEqual(response.fields["Accept-Encoding"], "identity")
        }
        var request = Self.request("{}")
        request.fields["Content-Encoding"] = "identity"
        try expectEqual(request.json().objectValue?.isEmpty, true)
    }

    @Test func `JSON content is rejected when it nests too deep`() {
        let deep = String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000)
        #expect(throws: ServerError.self) { try Self.request(deep).json() }
    }

    @Test func `JSON content is written with its type`() {
        let response = HTTPResponse.json(["a": 1, "b": "\u{E9}"], status: .created)
        expectEqual(response.status, .created)
        expectEqual(response.fields[.contentType], "application/json")
        expectEqual(response.body.text, "{\"a\":1,\"b\":\"\u{E9}\"}")
        expectEqual(HTTPResponse.json([], fields: [.contentType: "application/jwk-set+json"]).fields.count, 1)
    }

    @Test func `JSON content describes a client's error and hides a server's`() {
        let mistake = HTTPResponse.problem(ServerError(code: "odd", message: "It is \"odd\".\n", status: .conflict))
        expectEqual(mistake.body.text, #"{"title":"Conflict","status":409,"detail":"It is \"odd\".\n","code":"odd"}"#)
        expectEqual(mistake.fields[.contentType], "application/problem+json")
        expectEqual(mistake.fields[.cacheControl], "no-store")
        let failure = HTTPResponse.problem(ServerError(code: "secret", message: "secret"))
        expectEqual(failure.body.text, #"{"title":"Internal Server Error","status":500}"#)
    }
}
