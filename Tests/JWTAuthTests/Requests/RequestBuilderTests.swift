// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import JWTAuth
import TestTags
import Testing

private enum Action: String { case edit, view }

@Suite struct RequestPathTests {
    @Test(.tags(.requestBuilder)) func `A path is made of literals, split at their slashes`() {
        expectEqual(("/users/12" as Path).fragments, ["users", "12"])
        expectEqual(("users/12" as Path).fragments, ["users", "12"])
        #expect(Path("").fragments.isEmpty)
        expectEqual(Path("/").fragments, [""])
        expectEqual(Path(["a", "b"]).fullPath, "a/b")
    }

    @Test(.tags(.requestBuilder)) func `A path is made of paths, texts, numbers and enumerations`() {
        let version = "v1"
        let api = "api" / version
        expectEqual(api.fragments, ["api", "v1"])
        expectEqual((api / "users/active").fragments, ["api", "v1", "users", "active"])
        expectEqual((api / "users" / 7).fragments, ["api", "v1", "users", "7"])
        expectEqual((api / Action.edit).fragments, ["api", "v1", "edit"])
        expectEqual((Action.view / Action.edit).fragments, ["view", "edit"])
        expectEqual((Action.view / 7).fragments, ["view", "7"])
        expectEqual(("users" / Action.edit).fragments, ["users", "edit"])
        expectEqual((api / ["a", 1]).fragments, ["api", "v1", "a", "1"])
        expectEqual(Path("users").appending("12").appending(Action.edit).fragments, ["users", "12", "edit"])
        expectEqual(7 / 2, 3)
    }

    @Test(.tags(.requestBuilder), arguments: ["a/b", "?x=1", "#", "%2F", "é", "a b"])
    func `A path keeps the value of a variable within one fragment`(id: String) throws {
        let literal: Path = "/users/\(id)/notes"
        expectEqual(literal.fragments, ["users", id, "notes"])
        expectEqual(("users" / id).fragments, ["users", id])
        let url = try Request.get("/users/\(id)/notes").fullURL(with: "https://api.example.com/v1")
        #expect(url.absoluteString.hasPrefix("https://api.example.com/v1/users/"))
        // Whoever splits before decoding, as servers do, finds one fragment.
        expectEqual(url.absoluteString.split(separator: "/").count, 6)
        #expect(url.query == nil && url.fragment == nil)
    }

    @Test(.tags(.requestBuilder), arguments: ["..", ".", "../admin", "..\\admin"])
    func `A path refuses a fragment that servers take for a parent folder`(id: String) {
        #expect(throws: RequestError.malformedRequestURL) {
            try Request.get("/users/\(id)/notes").fullURL(with: "https://api.example.com/v1")
        }
    }
}

@Suite struct RequestURLTests {
    private func text(_ request: Request, _ base: String = "https://api.example.com") throws -> String {
        try request.fullURL(with: base).absoluteString
    }

    @Test(.tags(.requestBuilder), arguments: ["https://api.example.com/v1", "https://api.example.com/v1/"])
    func `A request's URL keeps the path and the query of its base`(base: String) throws {
        try expectEqual(text(.get("/users"), base), "https://api.example.com/v1/users")
        try expectEqual(text(.get("users"), base), "https://api.example.com/v1/users")
        try expectEqual(text(.get("users/"), base), "https://api.example.com/v1/users/")
        try expectEqual(text(Request(), base), "https://api.example.com/v1")
        try expectEqual(
            text(.get("a").query("b", "c"), "https://api.example.com/v1?key=1"),
            "https://api.example.com/v1/a?key=1&b=c")
    }

    @Test(.tags(.requestBuilder)) func `A request's URL encodes each pair of its query`() throws {
        let request = Request(
            path: "s",
            queryItems: [
                QueryItem(name: "q", value: "a+b&c=d%20e f"), QueryItem(name: "ü&", value: "👩"),
                QueryItem(name: "none", value: nil),
            ])
        try expectEqual(
            text(request), "https://api.example.com/s?q=a%2Bb%26c%3Dd%2520e%20f&%C3%BC%26=%F0%9F%91%A9&none=")
    }

    @Test(.tags(.requestBuilder))
    func `A request's URL is an error if there is no base, or one that leads elsewhere`() {
        #expect(throws: RequestError.missingBaseURL) { try Request.get("a").fullURL(with: "") }
        #expect(throws: RequestError.malformedRequestURL) { try Request.get("a").fullURL(with: "nowhere") }
        #expect(throws: RequestError.malformedRequestURL) { try Request.get("a").fullURL(with: "ftp://a.b") }
        #expect(throws: RequestError.malformedRequestURL) { try Request.get("../a").fullURL(with: "https://a.b/c") }
        #expect(throws: RequestError.malformedRequestURL) {
            try Request.get("a").urlRequest(baseURL: "https://user:password@a.b")
        }
        expectEqual(RequestError.missingBaseURL.errorDescription, "The base URL is missing.")
    }
}

@Suite struct RequestBuilderTests {
    private func made(_ request: Request = Request(), @RequestBuilder _ body: () -> RequestMiddleware) throws
        -> Request
    {
        try body()(request)
    }

    @RequestBuilder private func editUser(_ id: Int, _ isQuiet: Bool) -> RequestMiddleware {
        "/users"
        pathAppending("edit")
        pathAppending(id)
        Method.put
        if isQuiet {
            header(key: "Prefer", value: "return=minimal")
        } else {
            header(key: "Accept", value: "application/json")
        }
        for index in 0..<2 { header(key: "X-\(index)", value: "\(index)") }
    }

    @Test(.tags(.requestBuilder)) func `The request builder applies its parts in order`() throws {
        let quiet = try editUser(7, true)(Request())
        expectEqual(
            quiet,
            Request(
                method: .put, path: "/users/edit/7", headers: ["Prefer": "return=minimal", "X-0": "0", "X-1": "1"]))
        try expectEqual(editUser(7, false)(Request()).headers["Accept"], "application/json")
        let both = try made {
            header(key: "accept", value: "a"); header(key: "Accept", value: "b")
        }
        expectEqual(both.headers, ["Accept": "b"])
        let last = try made {
            queries(["b": "2", "a": "1"]); path("x"); path("y"); Method.head; getRequest
        }
        expectEqual(last, Request(path: "y", queryItems: [.init(name: "a", value: "1"), .init(name: "b", value: "2")]))
    }

    @Test(.tags(.requestBuilder)) func `The request builder knows methods of JSON, bodies and authorizations`() throws {
        let json = ["Content-Type": "application/json; charset=utf-8", "Accept": "application/json; charset=utf-8"]
        let value = ["a": 1]
        let bytes = Data(#"{"a":1}"#.utf8)
        try expectEqual(made { post(value) }, Request(method: .post, headers: json, body: bytes))
        try expectEqual(made { put(value) }, Request(method: .put, headers: json, body: bytes))
        try expectEqual(made { patch(value) }, Request(method: .patch, headers: json, body: bytes))
        try expectEqual(made { delete(value) }, Request(method: .delete, headers: json, body: bytes))
        try expectEqual(made { post(data: bytes) }, Request(method: .post, headers: json, body: bytes))
        try expectEqual(made { put(data: bytes) }.body, bytes)
        try expectEqual(made { patch(data: bytes) }.method, .patch)
        try expectEqual(made { delete(data: bytes) }.method, .delete)
        try expectEqual(made { bearerAuth("t") }.headers, ["Authorization": "Bearer t"])
        try expectEqual(
            made { basicAuth(username: "Aladdin", password: "open sesame") }.headers,
            ["Authorization": "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="])
        try expectEqual(made { identity }, Request())
        expectEqual(Method.allCases.count, 9)
    }

    @Test(.tags(.requestBuilder)) func `A GET has no content, whichever was set first`() throws {
        let value = ["a": 1]
        let first = try made {
            body(value); Method.get
        }
        let second = try made {
            Method.get; body(value)
        }
        let post = try made {
            body(value); Method.post
        }
        try expectNil(first.urlRequest(baseURL: "https://a.b").httpBody)
        try expectNil(second.urlRequest(baseURL: "https://a.b").httpBody)
        try expectEqual(post.urlRequest(baseURL: "https://a.b").httpBody, Data(#"{"a":1}"#.utf8))
    }

    @Test func `The request builder makes a URLRequest`() throws {
        let request = try URLRequest(editUser(7, true), baseURL: "https://a.b/c", timeoutInterval: 5)
        expectEqual(request.url?.absoluteString, "https://a.b/c/users/edit/7")
        expectEqual(request.httpMethod, "PUT")
        expectEqual(request.value(forHTTPHeaderField: "prefer"), "return=minimal")
        expectEqual(request.timeoutInterval, 5)
        let built = try Request.post("x").body(["a": 1]).header("Content-Type", "text/x").query("q", "1")
        let typed = try built.urlRequest(baseURL: "https://a.b", cachePolicy: .reloadIgnoringLocalCacheData)
        expectEqual(typed.value(forHTTPHeaderField: "Content-Type"), "text/x")
        expectEqual(typed.cachePolicy, .reloadIgnoringLocalCacheData)
        expectEqual(typed.url?.query, "q=1")
    }

    @Test func `The request builder shows no field, query or content`() throws {
        let request = try Request.post("/login").body(["password": "canary"]).header("X", "canary").query("t", "canary")
        var dumped = ""
        dump(request, to: &dumped)
        #expect(!"\(request) \(String(reflecting: request)) \(dumped)".contains("canary"))
        expectEqual(request.description, "POST /login")
    }
}
