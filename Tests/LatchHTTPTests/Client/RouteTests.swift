// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import Testing

@Suite struct RouteTests {
    struct Note: Codable, Sendable, Equatable {
        var text: String
    }

    /// Answers with JSON and writes down each request.
    private func client(_ seen: Recording<HTTPRequest>, status: HTTPStatus = .ok, body: String = #"{"text":"b"}"#)
        throws -> Client
    {
        let transport = ClosureHandler { request in
            seen.add(request)
            return HTTPResponse(status: status, body: HTTPBody(body))
        }
        return Client(baseURL: try #require(URL(string: "https://h/v1")), transport: transport)
    }

    private static let json = "application/json"
    private static let form = "application/x-www-form-urlencoded"

    @Test(
        arguments: [
            (.get("x", query: [("q", "é")], as: Note.self), "GET", nil, ""),
            (.delete("x", query: [("q", "é")], as: Note.self), "DELETE", nil, ""),
            (.post("x", query: [("q", "é")], as: Note.self), "POST", nil, ""),
            (.post("x", query: [("q", "é")], json: Note(text: "a"), as: Note.self), "POST", json, #"{"text":"a"}"#),
            (.post("x", query: [("q", "é")], sending: .form([("a", "b c")]), as: Note.self), "POST", form, "a=b%20c"),
            (.put("x", query: [("q", "é")], json: Note(text: "a"), as: Note.self), "PUT", json, #"{"text":"a"}"#),
            (.patch("x", query: [("q", "é")], json: Note(text: "a"), as: Note.self), "PATCH", json, #"{"text":"a"}"#),
        ] as [(Route<Note>, String, String?, String)])
    func `A route with a typed answer states its content and its accepted types`(
        route: Route<Note>, method: String, mediaType: String?, content: String
    ) async throws {
        let seen = Recording<HTTPRequest>()
        try await expectEqual(client(seen).perform(route), Note(text: "b"))
        let request = try #require(seen.entries.first)
        expectEqual(request.method.rawValue, method)
        expectEqual(request.absoluteURL, "https://h/v1/x?q=%C3%A9")
        expectEqual(request.fields[.contentType], mediaType)
        expectEqual(request.fields[.accept], Self.json)
        expectEqual(request.body.text, content)
    }

    @Test(
        arguments: [
            (.get("x", query: [("q", "1")]), "GET", nil, ""), (.delete("x", query: [("q", "1")]), "DELETE", nil, ""),
            (.post("x", query: [("q", "1")]), "POST", nil, ""),
            (.post("x", query: [("q", "1")], json: Note(text: "a")), "POST", json, #"{"text":"a"}"#),
            (.post("x", query: [("q", "1")], sending: .form([("a", "b")])), "POST", form, "a=b"),
            (.put("x", query: [("q", "1")], json: Note(text: "a")), "PUT", json, #"{"text":"a"}"#),
            (.patch("x", query: [("q", "1")], json: Note(text: "a")), "PATCH", json, #"{"text":"a"}"#),
        ] as [(Route<Void>, String, String?, String)])
    func `A route without an answer asks for none in particular and ignores the content`(
        route: Route<Void>, method: String, mediaType: String?, content: String
    ) async throws {
        let seen = Recording<HTTPRequest>()
        try await client(seen, status: 202, body: "no JSON").perform(route)
        let request = try #require(seen.entries.first)
        expectEqual(request.method.rawValue, method)
        expectEqual(request.absoluteURL, "https://h/v1/x?q=1")
        expectEqual(request.fields[.contentType], mediaType)
        expectNil(request.fields[.accept])
        expectEqual(request.body.text, content)
        let error = await #expect(throws: HTTPError.unacceptableStatus) {
            try await client(seen, status: 409).perform(route)
        }
        expectEqual(error?.response?.status, .conflict)
    }

    @Test(arguments: [100, 204, 304, 404, 500])
    func `A route that is raw returns any answer`(status: Int) async throws {
        let seen = Recording<HTTPRequest>()
        let client = try client(seen, status: HTTPStatus(rawValue: status), body: "as it is")
        let response = try await client.perform(
            .raw("REPORT", "x", query: [("q", "1")], sending: .body(HTTPBody("content"))))
        expectEqual(response.status.rawValue, status)
        expectEqual(response.body.text, "as it is")
        expectEqual(seen.entries[0].method, "REPORT")
        expectEqual(seen.entries[0].body.text, "content")
        #expect(seen.entries[0].fields.isEmpty)
    }

    @Test func `A route keeps its own media types`() async throws {
        let seen = Recording<HTTPRequest>()
        let route = Route<Note>.post("x", json: Note(text: "a"), as: Note.self)
            .field(.contentType, "application/vnd.note+json").field(.accept, "application/vnd.note+json")
        _ = try await client(seen).perform(route)
        expectEqual(seen.entries[0].fields.values(of: .contentType), ["application/vnd.note+json"])
        expectEqual(seen.entries[0].fields.values(of: .accept), ["application/vnd.note+json"])
    }

    @Test func `A route is a value from which another can be made`() async throws {
        let plain = Route<Void>.get("x")
        var other = plain.field("X-A", "1").field("X-A", "2")
        other.query.append(("page", "2"))
        #expect(plain.fields.isEmpty)
        #expect(plain.query.isEmpty)
        expectEqual(other.fields.values(of: "X-A"), ["2"])
        let seen = Recording<HTTPRequest>()
        try await client(seen).perform(other)
        expectEqual(seen.entries[0].path, "/v1/x?page=2")
    }

    @Test func `A route throws the errors of its reader`() async throws {
        struct Odd: Error {}
        let route = Route<Int>(.get, "x") { _ in throw Odd() }
        await #expect(throws: Odd.self) { try await client(Recording()).perform(route) }
    }

    @Test func `A route with a path that leads out of the base sends nothing`() async throws {
        let seen = Recording<HTTPRequest>()
        await #expect(throws: HTTPError.invalidURL) { try await client(seen).perform(.get("../admin")) }
        #expect(seen.entries.isEmpty)
    }
}

@Suite struct UnencodableContentTests {
    private struct Order: Codable, Sendable {
        struct Line: Codable, Sendable {
            var price: Double
            var day: Date?
        }
        var lines: [Line]
    }

    private struct Refusing: Encodable, Sendable {
        struct Secret: Error {}
        func encode(to encoder: any Encoder) throws { throw Secret() }
    }

    private func client(_ body: String = "{}", seen: Recording<HTTPRequest> = Recording()) throws -> Client {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let transport = ClosureHandler { request in
            seen.add(request)
            return HTTPResponse(status: .ok, body: HTTPBody(body))
        }
        return Client(baseURL: try #require(URL(string: "https://h")), transport: transport, decoder: decoder)
    }

    @Test(
        arguments: [
            ("", "at the top"), ("null", "at the top"), (#"{"lines":{}}"#, "'lines'"), (#"{"lines":null}"#, "'lines'"),
            (#"{"lines":[{}]}"#, "'price'"), (#"{"lines":[{"price":"secret"}]}"#, "price"),
            (#"{"lines":[{"price":null}]}"#, "price"), (#"{"lines":[{"price":1,"day":"secret"}]}"#, "lines.Index 0"),
            (#"{"lines":[{"price":1},{"price":true}]}"#, "Index 1"), (#"{"secret":1}"#, "'lines'"),
            (#"{"lines":[{"price":1}]"#, "at the top"), ("secret", "at the top"),
        ])
    func `Content that cannot be decoded names its place in the answer and shows nothing`(body: String, place: String)
        async throws
    {
        let error = await #expect(throws: HTTPError.undecodable) {
            try await client(body).perform(.get("x", as: Order.self))
        }
        expectEqual(error?.message.contains(place), true, "\(error?.message ?? "")")
        expectEqual(error?.description.contains("secret"), false)
        expectEqual(error?.response?.body.text, body)
    }

    @Test
    func `Content that cannot be encoded names its place in the request, sends nothing and shows nothing`() async throws
    {
        let seen = Recording<HTTPRequest>()
        let order = Order(lines: [.init(price: 1, day: nil), .init(price: .infinity, day: nil)])
        let error = await #expect(throws: HTTPError.unencodable) {
            try await client(seen: seen).perform(.post("x", json: order))
        }
        expectEqual(error?.message.contains("lines.Index 1.price"), true, "\(error?.message ?? "")")
        expectEqual(error?.description.contains("inf"), false)
        #expect(seen.entries.isEmpty)
    }

    @Test func `Content that cannot be encoded or decoded keeps the error of the type`() async throws {
        await #expect(throws: Refusing.Secret.self) { try await client().perform(.put("x", json: Refusing())) }
    }
}
