// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import Testing

@Suite struct StatusTests {
    @Test(arguments: [
        (199, false, false, false), (200, true, false, false), (204, true, false, false), (299, true, false, false),
        (300, false, false, false), (399, false, false, false), (400, false, true, false), (499, false, true, false),
        (500, false, false, true), (599, false, false, true), (600, false, false, false), (0, false, false, false),
        (-200, false, false, false),
    ])
    func `A status belongs to the class of its first digit`(code: Int, success: Bool, client: Bool, server: Bool) {
        let status = HTTPStatus(rawValue: code)
        #expect((status.isSuccess, status.isClientError, status.isServerError) == (success, client, server))
        expectEqual(status.description, "\(code)")
    }

    @Test func `A status makes a response a success or an error that carries it`() throws {
        for code in [200, 201, 204, 299] { try HTTPResponse(status: HTTPStatus(rawValue: code)).requireSuccess() }
        for code in [100, 199, 300, 304, 400, 503] {
            let response = HTTPResponse(status: HTTPStatus(rawValue: code), body: HTTPBody("why"))
            let error = #expect(throws: HTTPError.unacceptableStatus) { try response.requireSuccess() }
            expectEqual(error?.response?.status.rawValue, code)
            expectEqual(error?.response?.body.text, "why")
            expectEqual(error?.message.contains("\(code)"), true)
        }
    }
}

@Suite struct MethodTests {
    @Test(arguments: ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"])
    func `A method can be repeated if once and twice are the same`(name: String) {
        #expect(HTTPMethod(rawValue: name).isIdempotent)
    }

    @Test(arguments: ["POST", "PATCH", "CONNECT", "get", "Put", "", "PURGE"])
    func `A method cannot be repeated otherwise`(name: String) {
        #expect(!HTTPMethod(rawValue: name).isIdempotent)
    }

    @Test func `A method is compared with case`() {
        expectEqual(HTTPMethod.get, "GET")
        expectNotEqual(HTTPMethod.get, "get")
        expectEqual(HTTPMethod.patch.description, "PATCH")
    }
}

@Suite struct ContentTests {
    @Test func `Content is text if it is UTF-8, and bytes in any case`() {
        expectEqual(HTTPBody("é").bytes, [0xC3, 0xA9])
        expectEqual(HTTPBody("é").text, "é")
        expectNil(HTTPBody([0xC3]).text)
        expectEqual(HTTPBody([0xC3]).bytes.count, 1)
        #expect(HTTPBody.empty.isEmpty)
        expectEqual(HTTPBody.empty.text, "")
        #expect(!HTTPBody([0]).isEmpty)
    }
}

@Suite struct RequestContextTests {
    private enum Attempt: HTTPContextKey {
        static var defaultValue: Int { 1 }
    }
    private enum Note: HTTPContextKey {
        static var defaultValue: String? { nil }
    }

    @Test func `The context of a request holds a value for each key, or the key's default`() {
        var context = HTTPContext()
        expectEqual(context[Attempt.self], 1)
        expectNil(context[Note.self])
        context[Attempt.self] = 2
        context[Note.self] = "second"
        context[Attempt.self] += 1
        expectEqual(context[Attempt.self], 3)
        expectEqual(context[Note.self], "second")
        context[Note.self] = nil
        expectNil(context[Note.self])
    }

    @Test func `The context of a request is copied with the request and then separate`() {
        var first = HTTPRequest(authority: "h", path: "/")
        first.context[Attempt.self] = 5
        var second = first
        second.context[Attempt.self] = 6
        expectEqual(first.context[Attempt.self], 5)
        expectEqual(second.context[Attempt.self], 6)
    }

    @Test func `The context of a request carries the request's own time and the names of its credentials`() {
        var request = HTTPRequest(authority: "h", path: "/")
        expectNil(request.timeout)
        #expect(request.credentialFields.isEmpty)
        request.timeout = .seconds(3)
        request.credentialFields = ["X-Key"]
        expectEqual(request.timeout, .seconds(3))
        #expect(request.isCredential("x-key"))
    }
}

@Suite struct RequestTests {
    @Test(arguments: [
        ("https://h", "https", "h", "/"), ("https://h/a/b?c=d#e", "https", "h", "/a/b?c=d"),
        ("http://H:80/x", "http", "h", "/x"), ("https://h:8443?q", "https", "h:8443", "/?q"),
        ("https://h/%2F?a=%20", "https", "h", "/%2F?a=%20"),
        ("https://[2001:DB8::1]:1/", "https", "[2001:db8::1]:1", "/"),
    ])
    func `A request is made from a URL`(url: String, scheme: String, authority: String, path: String) throws {
        let request = try HTTPRequest(method: .put, url: #require(URL(string: url)), body: HTTPBody("x"))
        #expect((request.method, request.scheme, request.authority, request.path) == (.put, scheme, authority, path))
        expectEqual(request.body.text, "x")
        expectEqual(request.absoluteURL, "\(scheme)://\(authority)\(path)")
    }

    @Test(arguments: ["ftp://h/", "mailto:a@b", "/relative", "https://u:p@h/", "https:///x", "https://u@h"])
    func `A request is not made from a URL that cannot be requested`(url: String) throws {
        let url = try #require(URL(string: url))
        #expect(throws: HTTPError.invalidURL) { try HTTPRequest(url: url) }
        expectNil(HTTPOrigin(url))
    }

    @Test(
        arguments: [
            ("/", "/", nil), ("/a?", "/a", ""), ("/a?b=c", "/a", "b=c"), ("/a?b?c", "/a", "b?c"), ("?x", "", "x"),
            ("", "", nil),
        ] as [(String, String, String?)])
    func `A request has a path and, after the first question mark, a query`(
        target: String, path: String, query: String?
    ) {
        let request = HTTPRequest(authority: "h", path: target)
        expectEqual(String(request.pathWithoutQuery), path)
        expectEqual(request.query.map(String.init), query)
    }
}
