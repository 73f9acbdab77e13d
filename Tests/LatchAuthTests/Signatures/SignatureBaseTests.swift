// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import Testing

@testable import LatchAuth

/// The examples of RFC 9421 §2, and what §2.5 refuses.
@Suite struct SignatureBaseTests {
    /// The lines of the base for components as `Signature-Input` writes them, without the last line.
    private func lines(_ components: String, of request: HTTPRequest) throws -> [String] {
        var request = request
        request.fields["Signature-Input"] = "sig=(\(components))"
        request.fields["Signature"] = "sig=:AA==:"
        let text = try #require(try SignatureBase.texts(of: request).first)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        expectEqual(lines.last, "\"@signature-params\": (\(components))")
        return Array(lines.dropLast())
    }

    private func line(_ component: String, of request: HTTPRequest) throws -> String {
        let line = try #require(try lines(component, of: request).first)
        #expect(line.hasPrefix(component + ": "))
        return String(line.dropFirst(component.utf8.count + 2))
    }

    private let fields: HTTPFields = [
        "Host": "www.example.com", "Date": "Tue, 20 Apr 2021 02:07:56 GMT",
        "X-OWS-Header": "   Leading and trailing whitespace.  \t ", "Cache-Control": "max-age=60",
        "Empty-Header": "", "Cache-Control": "   must-revalidate",
        "Example-Dict": " a=1,    b=2;x=1;y=2,   c=(a   b   c), d",
    ]

    @Test(arguments: [
        ("\"host\"", "www.example.com"), ("\"date\"", "Tue, 20 Apr 2021 02:07:56 GMT"),
        ("\"x-ows-header\"", "Leading and trailing whitespace."), ("\"cache-control\"", "max-age=60, must-revalidate"),
        ("\"empty-header\"", ""), ("\"example-dict\"", "a=1,    b=2;x=1;y=2,   c=(a   b   c), d"),
        ("\"example-dict\";key=\"a\"", "1"), ("\"example-dict\";key=\"d\"", "?1"),
        ("\"example-dict\";key=\"b\"", "2;x=1;y=2"), ("\"example-dict\";key=\"c\"", "(a b c)"),
    ])
    func `The base of a signature has fields as RFC 9421 §2.1 says`(component: String, value: String) throws {
        try expectEqual(line(component, of: .example(fields: fields)), value)
    }

    @Test func `The base of a signature has fields that are known to be structured in their one spelling`() throws {
        let request = HTTPRequest.example(fields: ["Priority": "i=?1,u=3 ", "Example-Dict": "a=1"])
        try expectEqual(line("\"priority\";sf", of: request), "i, u=3")
        #expect(throws: AuthError.unsignableMessage) { try line("\"example-dict\";sf", of: request) }
    }

    @Test func `The base of a signature has the lines of a field as bytes`() throws {
        let two = HTTPRequest.example(fields: ["Example-Header": "value, with, lots", "example-header": " of, commas "])
        try expectEqual(line("\"example-header\";bs", of: two), ":dmFsdWUsIHdpdGgsIGxvdHM=:, :b2YsIGNvbW1hcw==:")
        let one = HTTPRequest.example(fields: ["Example-Header": "value, with, lots, of, commas"])
        try expectEqual(line("\"example-header\";bs", of: one), ":dmFsdWUsIHdpdGgsIGxvdHMsIG9mLCBjb21tYXM=:")
        let umlaut = HTTPRequest.example(fields: ["X-Name": "ü"])
        try expectEqual(line("\"x-name\";bs", of: umlaut), ":w7w=:")
    }

    @Test(arguments: [
        ("\"@method\"", "POST"), ("\"@target-uri\"", "https://www.example.com/path?param=value"),
        ("\"@authority\"", "www.example.com"), ("\"@scheme\"", "https"), ("\"@request-target\"", "/path?param=value"),
        ("\"@path\"", "/path"), ("\"@query\"", "?param=value"),
    ])
    func `The base of a signature has the derived components of a request`(component: String, value: String) throws {
        let request = HTTPRequest(
            method: .post, scheme: "https", authority: "WWW.Example.COM:443", path: "/path?param=value")
        try expectEqual(line(component, of: request), value)
    }

    @Test func `The base of a signature has a question mark for an absent query`() throws {
        try expectEqual(line("\"@query\"", of: .example(.get, "/path")), "?")
        try expectEqual(line("\"@query\"", of: .example(.get, "/path?")), "?")
        try expectEqual(line("\"@query\"", of: .example(.get, "/path?queryString")), "?queryString")
    }

    @Test(arguments: [
        ("param", "value"), ("foo", "bar"), ("baz", "batman"), ("qux", ""),
    ])
    func `The base of a signature has single parameters of the query`(name: String, value: String) throws {
        let request = HTTPRequest.example(.get, "/path?param=value&foo=bar&baz=batman&qux=")
        try expectEqual(line("\"@query-param\";name=\"\(name)\"", of: request), value)
    }

    @Test(arguments: [
        ("var", "this%20is%20a%20big%0Amultiline%20value"), ("bar", "with%20plus%20whitespace"),
        ("fa%C3%A7ade%22%3A%20", "something"),
    ])
    func `The base of a signature has parameters of the query encoded in one way`(name: String, value: String) throws {
        let request = HTTPRequest.example(
            .get,
            "/parameters?var=this%20is%20a%20big%0Amultiline%20value&bar=with+plus+whitespace&fa%C3%A7ade%22%3A%20=something"
        )
        try expectEqual(line("\"@query-param\";name=\"\(name)\"", of: request), value)
    }

    @Test(arguments: [
        "\"x-missing\"", "\"@status\"", "\"example-dict\";key=\"e\"", "\"date\";key=\"a\"", "\"@method\";req",
        "\"@query-param\";name=\"p\"", "\"@query-param\";name=\"twice\"", "\"x-ctl\"", "\"x-umlaut\"",
    ])
    func `The base of a signature is not made of missing or ambiguous parts`(component: String) {
        var request = HTTPRequest.example(.get, "/?twice=1&twice=2", fields: fields)
        request.fields["X-Ctl"] = "a\u{1}b"
        request.fields["X-Umlaut"] = "ü"
        #expect(throws: AuthError.unsignableMessage) { try lines(component, of: request) }
    }

    @Test(arguments: [
        "\"@signature-params\"", "\"@unknown\"", "\"Date\"", "\"date\";tr", "\"date\";unknown", "\"date\";sf=?0",
        "\"date\";bs;sf", "\"date\";bs;key=\"a\"", "\"@method\";sf", "\"@method\";key=\"a\"", "\"@query-param\"",
        "\"@query-param\";name", "\"date\";name=\"a\"", "date", "1", ":AA==:", "\"a b\"", "\"\"", "\"date\" \"date\"",
        "\"date\";key=\"a\" \"date\";key=\"a\"", "\"x\";key=\"a\";req \"x\";req;key=\"a\"", "\"date\";req=1",
    ])
    func `The base of a signature is not made of unknown components`(components: String) {
        #expect(throws: AuthError.malformedSignature) { try lines(components, of: .example(fields: fields)) }
    }

    @Test func `The base of a signature cannot be given another line by a value`() throws {
        var request = HTTPRequest.example(fields: ["X-A": "1\n\"@method\": DELETE"])
        #expect(throws: AuthError.unsignableMessage) { try lines("\"x-a\"", of: request) }
        request.path = "/\n\"@method\": DELETE"
        #expect(throws: AuthError.unsignableMessage) { try lines("\"@path\"", of: request) }
    }

    @Test func `The base of a signature has the length and the host that the transport will write`() throws {
        let request = HTTPRequest.example(.post, "/", body: HTTPBody("hello"))
        try expectEqual(
            lines("\"content-length\" \"host\"", of: request),
            [
                "\"content-length\": 5", "\"host\": api.example.com",
            ])
    }

    @Test func `The base of a signature has no length if the wire can have none`() throws {
        #expect(throws: AuthError.unsignableMessage) { try lines("\"content-length\"", of: .example()) }
        let request = HTTPRequest.example(.put, "/", fields: [.contentLength: "0"])
        try expectEqual(lines("\"content-length\"", of: request), ["\"content-length\": 0"])
        let stream = HTTPRequest.example(.put, "/", body: HTTPBody(.pieces(["a"])))
        #expect(throws: AuthError.unsignableMessage) { try lines("\"content-length\"", of: stream) }
    }

    @Test func `The base of a signature has parts of the request that a response answers`() throws {
        let request = HTTPRequest.example(.post, "/a", fields: ["X-A": "1"])
        let response = HTTPResponse(
            status: 503,
            fields: [
                "X-A": "2", "Signature": "sig=:AA==:",
                "Signature-Input": "sig=(\"@status\" \"@method\";req \"x-a\" \"x-a\";req)",
            ])
        try expectEqual(
            SignatureBase.texts(of: response, answering: request),
            [
                """
                "@status": 503
                "@method";req: POST
                "x-a": 2
                "x-a";req: 1
                "@signature-params": ("@status" "@method";req "x-a" "x-a";req)
                """
            ])
        #expect(throws: AuthError.unsignableMessage) { try SignatureBase.texts(of: response, answering: nil) }
    }
}
