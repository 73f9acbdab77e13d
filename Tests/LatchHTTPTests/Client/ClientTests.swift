// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchHTTP
import LatchTesting
import TestSupport
import Testing

@Suite struct ClientTests {
    private struct User: Codable, Sendable, Equatable {
        var id: Int
        var name: String
    }

    private func client(_ server: RawHTTPServer, interceptors: [any Interceptor] = [], fields: HTTPFields = [:])
        throws -> Client
    {
        Client(
            baseURL: try #require(URL(string: "\(server.url)/v1")), transport: CurlTransport(),
            interceptors: interceptors, fields: fields)
    }

    @Test func `A client reads a typed answer`() async throws {
        let server = try RawHTTPServer { _ in .response(body: #"{"id":7,"name":"Ada"}"#) }
        let user = try await client(server).perform(.get("users/7", as: User.self))
        expectEqual(user, User(id: 7, name: "Ada"))
        expectEqual(server.requests.first?.line, "GET /v1/users/7 HTTP/1.1")
        expectEqual(server.requests.first?.values(of: "Accept"), ["application/json"])
    }

    @Test func `A client sends JSON and forms with their media type`() async throws {
        let server = try RawHTTPServer { _ in .response(201, body: #"{"id":7,"name":"Ada"}"#) }
        let client = try client(server)
        _ = try await client.perform(.post("users", json: User(id: 1, name: "Ä"), as: User.self))
        _ = try await client.perform(.post("login", sending: .form([("a b", "c+d&=é")]), as: User.self))
        let (json, form) = (server.requests[0], server.requests[1])
        try expectEqual(JSONDecoder().decode(User.self, from: Data(json.body)), User(id: 1, name: "Ä"))
        expectEqual(json.values(of: "Content-Type"), ["application/json"])
        expectEqual(String(decoding: form.body, as: UTF8.self), "a%20b=c%2Bd%26%3D%C3%A9")
        expectEqual(form.values(of: "Content-Type"), ["application/x-www-form-urlencoded"])
    }

    @Test func `A client takes an empty answer if nothing is expected`() async throws {
        let server = try RawHTTPServer { _ in .text("HTTP/1.1 204 No Content\r\n\r\n") }
        try await client(server).perform(.delete("users/7"))
        expectEqual(server.requests.first?.line, "DELETE /v1/users/7 HTTP/1.1")
        expectEqual(server.requests.first?.values(of: "Content-Length"), [])
    }

    @Test(arguments: [301, 400, 401, 404, 500, 503])
    func `A client throws an unwelcome status with the response`(status: Int) async throws {
        let server = try RawHTTPServer { _ in .response(status, fields: ["Retry-After: 3"], body: "why") }
        let error = await #expect(throws: HTTPError.self) {
            try await client(server).perform(.get("users/7", as: User.self))
        }
        expectEqual(error?.code, HTTPError.unacceptableStatus.code)
        expectEqual(error?.response?.status.rawValue, status)
        expectEqual(error?.response?.body.text, "why")
        expectEqual(error?.response?.fields[.retryAfter], "3")
    }

    @Test(arguments: [
        ("", "malformed"), ("{", "malformed"), (#"{"id":"secret"}"#, "'id'"), (#"{"id":1}"#, "'name'"),
        ("[]", "at the top"),
    ])
    func `A client reports the place of an unexpected shape and never quotes the answer`(body: String, place: String)
        async throws
    {
        let server = try RawHTTPServer { _ in .response(body: body) }
        let error = await #expect(throws: HTTPError.self) {
            try await client(server).perform(.get("users/7", as: User.self))
        }
        expectEqual(error?.code, HTTPError.undecodable.code)
        expectEqual(error?.message.contains(place), true)
        expectEqual(error?.message.contains("secret"), false)
    }

    @Test func `A client passes requests in order and answers in reverse through its interceptors`() async throws {
        let server = try RawHTTPServer { _ in .response() }
        let seen = Recording<String>()
        let steps = ["a", "b", "c"].map { name in
            ClosureInterceptor { request, next in
                seen.add("\(name) sees the request")
                defer { seen.add("\(name) sees the answer") }
                return try await next.respond(to: request)
            }
        }
        _ = try await client(server, interceptors: steps).perform(.get("x"))
        expectEqual(
            seen.entries,
            [
                "a sees the request", "b sees the request", "c sees the request", "c sees the answer",
                "b sees the answer", "a sees the answer",
            ])
    }

    @Test func `A client adds its own fields if a route has none of that name`() async throws {
        let server = try RawHTTPServer { _ in .response() }
        let client = try client(server, fields: ["X-App": "demo", .accept: "text/plain", "X-App": "twice"])
        _ = try await client.perform(.raw(.get, "x").field(.accept, "image/png"))
        expectEqual(server.requests[0].values(of: "X-App"), ["demo", "twice"])
        expectEqual(server.requests[0].values(of: "Accept"), ["image/png"])
    }

    @Test(arguments: [
        "http://example.com", "http://192.168.1.1", "http://127.0.0.1.evil.example", "http://localhost.evil",
    ])
    func `A client speaks plain http to no other machine`(base: String) async throws {
        let transport = ClosureHandler { _ in HTTPResponse(status: .ok) }
        let url = try #require(URL(string: base))
        let careful = Client(baseURL: url, transport: transport)
        let error = await #expect(throws: HTTPError.self) { try await careful.perform(.get("x")) }
        expectEqual(error?.code, HTTPError.insecureURL.code)
        let careless = Client(
            baseURL: url, transport: transport, allowingInsecureHTTP: .anyHostWithoutEncryption)
        try await careless.perform(.get("x"))
    }

    @Test(arguments: [
        "http://127.0.0.1:1", "http://127.9.9.9", "http://localhost:8080", "http://[::1]:1", "https://example.com",
    ])
    func `A client talks to this machine with or without TLS and to others with TLS`(base: String) async throws {
        let transport = ClosureHandler { _ in HTTPResponse(status: .ok) }
        try await Client(baseURL: try #require(URL(string: base)), transport: transport).perform(.get("x"))
    }

    @Test func `A client gives up after its time limit`() async throws {
        let server = try RawHTTPServer { _ in .stall }
        let client = Client(
            baseURL: try #require(URL(string: server.url)), transport: CurlTransport(), timeout: .milliseconds(50))
        let error = await #expect(throws: HTTPError.self) { try await client.perform(.get("x")) }
        expectEqual(error?.code, HTTPError.timeout.code)
    }

    @Test func `A client lets a route read its answer in its own way`() async throws {
        let server = try RawHTTPServer { _ in .response(404, body: "none") }
        let route = Route<Bool>(.get, "exists") { $0.status != .notFound }
        try await expectEqual(client(server).perform(route), false)
    }
}
