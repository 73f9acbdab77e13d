// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LaziOAuth
import TestTags
import Testing

private struct Widget: Codable, Equatable, Sendable {
    var id: String?
    var name: String
}

private let refresh = "/oauth/token/refresh"

@MainActor
@Suite struct APIClientTests {
    let backend = ScriptedBackend()

    private func error(_ status: HTTPStatus, _ body: String = "", fields: HTTPFields = [:]) async throws -> APIError {
        let service = try await backend.signedIn()
        backend.on("/widgets", status, body, fields: fields)
        return try #require(
            await #expect(throws: APIError.self) {
                try await APIClient(service: service).get("widgets", as: Widget.self)
            })
    }

    @Test(.tags(.apiClient))
    func `A client of the API sends the token, and content only if there is some`() async throws {
        let service = try await backend.signedIn()
        backend.on("/widgets", .ok, #"{"id":"1","name":"w"}"#)
        let api = APIClient(service: service)
        let got: Widget = try await api.get("widgets", query: [("q", "a&b")])
        let made: Widget = try await api.post("widgets", body: Widget(name: "w"))
        try await api.post("widgets", body: Widget(name: "w"))
        try await api.delete("widgets")
        expectEqual(got, Widget(id: "1", name: "w"))
        expectEqual(made, got)
        try await expectEqual(api.delete("widgets", as: Widget.self), got)
        let requests = backend.requests(to: "/widgets")
        expectEqual(requests.map(\.method), [.get, .post, .post, .delete, .delete])
        #expect(requests.allSatisfy { $0.fields[.authorization] == "Bearer a0" })
        expectEqual(requests.map { $0.body.text ?? "?" }, ["", #"{"name":"w"}"#, #"{"name":"w"}"#, "", ""])
        expectEqual(requests.map { $0.fields[.contentType] != nil }, [false, true, true, false, false])
        expectEqual(requests.first?.path, "/widgets?q=a%26b")
    }

    @Test(.tags(.apiClient))
    func `A client of the API answers a 401 by one refresh and one repeat, for all requests together`() async throws {
        let service = try await backend.signedIn()
        backend.on(refresh, .ok, ScriptedBackend.answer("a1", refresh: "r1"))
        backend.on("/widgets") { request in
            let isFresh = request.fields[.authorization] == "Bearer a1"
            return HTTPResponse(status: isFresh ? .ok : .unauthorized, body: HTTPBody(#"{"name":"w"}"#))
        }
        let api = APIClient(service: service)
        try await withThrowingTaskGroup(of: Widget.self) { group in
            for _ in 0..<50 { group.addTask { try await api.get("widgets") } }
            for try await widget in group { expectEqual(widget.name, "w") }
        }
        expectEqual(backend.requests(to: refresh).count, 1)
        #expect(backend.requests(to: "/widgets").count <= 100)
        _ = try await api.post("widgets", body: Widget(name: "x"), as: Widget.self)
        expectEqual(backend.requests(to: refresh).count, 1)
    }

    @Test(.tags(.apiClient)) func `A client of the API repeats once and no more`() async throws {
        let service = try await backend.signedIn()
        backend.on(refresh, .ok, ScriptedBackend.answer("a1", refresh: "r1"))
        backend.on("/widgets", .unauthorized, "")
        await #expect { try await APIClient(service: service).delete("widgets") } throws: {
            if case APIError.unauthorized = $0 { true } else { false }
        }
        expectEqual(backend.requests(to: "/widgets").map { $0.fields[.authorization] }, ["Bearer a0", "Bearer a1"])
        expectEqual(backend.requests(to: refresh).count, 1)
        #expect(service.isAuthenticated)
    }

    @Test(.tags(.apiClient)) func `A client of the API reports that no user is signed in, and sends nothing`() async {
        let service = backend.service()
        await #expect { try await APIClient(service: service).delete("widgets") } throws: {
            if case APIError.notAuthenticated = $0 { true } else { false }
        }
        #expect(backend.requests.isEmpty)
    }

    @Test(.tags(.apiClient))
    func `A client of the API reports the end of the session if the refresh was refused`() async throws {
        let service = try await backend.signedIn()
        backend.on(refresh, .unauthorized, #"{"detail":"Invalid refresh token"}"#)
        backend.on("/widgets", .unauthorized, "")
        await #expect { try await APIClient(service: service).delete("widgets") } throws: {
            if case APIError.notAuthenticated = $0 { true } else { false }
        }
        #expect(!service.isAuthenticated)
    }

    @Test(.tags(.apiClient))
    func `A client of the API reports which scopes were required and which were granted`() async throws {
        let body =
            #"{"detail":"Insufficient scope","error_code":"INSUFFICIENT_SCOPE","#
            + #""required_scopes":["widgets:write","files:write"],"provided_scopes":["widgets:delete"]}"#
        for text in [body, #"{"detail":\#(body)}"#] {
            guard case .forbidden(let scopes?) = try await error(.forbidden, text) else {
                Issue.record("no scopes in \(text)")
                continue
            }
            expectEqual(scopes.required, ["widgets:write", "files:write"])
            expectEqual(scopes.provided, ["widgets:delete"])
            expectEqual(scopes.missing, ["files:write"])
            expectEqual(APIError.forbidden(scopes).errorDescription, "Not permitted: files:write is missing.")
        }
    }

    @Test(.tags(.apiClient))
    func `A client of the API also reads the scopes of a challenge (RFC 6750 §3)`() async throws {
        let fields: HTTPFields = [
            .wwwAuthenticate: #"Bearer realm="x", error="insufficient_scope", scope="a:read b:read""#
        ]
        guard case .forbidden(let scopes?) = try await error(.forbidden, "", fields: fields) else {
            Issue.record("no scopes")
            return
        }
        expectEqual(scopes, InsufficientScope(required: ["a:read", "b:read"], provided: []))
        guard case .forbidden(nil) = try await error(.forbidden, "<html>") else {
            Issue.record("scopes out of nothing")
            return
        }
    }

    @Test(.tags(.apiClient)) func `A client of the API names each other refusal of a server`() async throws {
        expectEqual("\(try await error(.notFound))", "notFound")
        let told = try await error(.tooManyRequests, #"{"retry_after":7}"#)
        expectEqual("\(told)", "rateLimited(retryAfter: Optional(7.0))")
        let field = try await error(.tooManyRequests, fields: [.retryAfter: "9"])
        expectEqual("\(field)", "rateLimited(retryAfter: Optional(9.0))")
        expectEqual("\(try await error(.tooManyRequests))", "rateLimited(retryAfter: nil)")
        expectEqual("\(try await error(500))", "serverError(status: 500, message: nil)")
        let taken = try await error(409, #"{"detail":"taken"}"#)
        expectEqual("\(taken)", #"serverError(status: 409, message: Optional("taken"))"#)
        expectEqual(taken.errorDescription, "taken")
        expectEqual("\(try await error(.ok, "[]"))", "invalidResponse")
    }

    @Test(.tags(.tokenRefresh))
    func `A client of the API reports a lost network, and keeps the session`() async throws {
        let service = try await backend.signedIn()
        backend.on("/widgets") { _ in throw HTTPError.offline }
        await #expect { try await APIClient(service: service).delete("widgets") } throws: {
            if case APIError.networkError = $0 { true } else { false }
        }
        #expect(service.isAuthenticated)
        expectEqual(APIError.networkError(HTTPError.offline).errorDescription?.isEmpty, false)
    }

    @Test(.tags(.secretTransport))
    func `A client of the API sends no token to another origin, wherever a redirect leads`() async throws {
        let service = try await backend.signedIn()
        backend.on("/widgets", 302, "", fields: [.location: "https://evil.example.com/steal"])
        backend.on("/steal", .ok, #"{"name":"w"}"#)
        let widget: Widget = try await APIClient(service: service).get("widgets")
        expectEqual(widget.name, "w")
        expectNil(backend.requests(to: "/steal").first?.fields[.authorization])
    }
}
