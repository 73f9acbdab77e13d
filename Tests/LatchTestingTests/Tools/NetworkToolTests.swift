// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchHTTP
import LatchTesting
import Synchronization
import Testing

@Suite struct ScriptedHandlerTests {
    private let url = URL(string: "https://api.example.com") ?? URL(filePath: "/")

    @Test func `A scripted handler responds by its list, in order, and then no longer`() async throws {
        let api = ScriptedHandler([
            .success(HTTPResponse(status: .serviceUnavailable)), .failure(HTTPError.timeout),
            .success(HTTPResponse(status: .ok)),
        ])
        let client = Client(baseURL: url, transport: api)
        let request = try client.request(.get, "/notes")
        try await expectEqual(client.respond(to: request).status, .serviceUnavailable)
        await #expect(throws: HTTPError.timeout) { try await client.respond(to: request) }
        try await expectEqual(client.respond(to: request).status, .ok)
        let failure = await #expect(throws: UnexpectedRequest.self) { try await client.respond(to: request) }
        expectEqual(failure?.description, "unexpected request: GET /notes")
        expectEqual(api.requests.map(\.path), Array(repeating: "/notes", count: 4))
    }

    @Test func `A scripted handler responds by a closure`() async throws {
        let api = ScriptedHandler { HTTPResponse(status: $0.method == .get ? .ok : .methodNotAllowed) }
        try await expectEqual(api.respond(to: HTTPRequest(authority: "a", path: "/")).status, .ok)
        try await expectEqual(
            api.respond(to: HTTPRequest(method: .post, authority: "a", path: "/")).status, .methodNotAllowed)
    }
}

@Suite(.timeLimit(.minutes(1))) struct InjectedFaultTests {
    private let faults = FaultInjector()
    private let server = ScriptedHandler { _ in HTTPResponse(status: .ok) }
    private let request = HTTPRequest(authority: "api.example.com", path: "/a")

    private func send() async throws -> HTTPStatus { try await faults.intercept(request, next: server).status }

    @Test func `An injected fault hits exactly the intended requests`() async throws {
        faults.inject(.offline, into: 2) { $0.path == "/a" }
        faults.inject(.response(HTTPResponse(status: .badRequest)), into: 1) { $0.path == "/b" }
        for _ in 0..<2 { await #expect(throws: HTTPError.offline) { try await send() } }
        expectEqual(faults.count, 2)
        try await expectEqual(send(), .ok)
        expectEqual(server.requests.count, 1)
        try await expectEqual(
            faults.intercept(HTTPRequest(authority: "api.example.com", path: "/b"), next: server).status, .badRequest)
        expectEqual(server.requests.count, 1)
    }

    @Test func `An injected fault is over when it is cleared`() async throws {
        faults.inject(.offline)
        await #expect(throws: HTTPError.offline) { try await send() }
        faults.clear()
        try await expectEqual(send(), .ok)
    }

    @Test func `An injected fault loses the response, and not the request`() async throws {
        faults.inject(.lostResponse, into: 1)
        await #expect(throws: HTTPError.offline) { try await send() }
        expectEqual(server.requests.count, 1)
    }

    @Test func `An injected fault delivers a request twice`() async throws {
        faults.inject(.duplicated, into: 1)
        try await expectEqual(send(), .ok)
        expectEqual(server.requests.count, 2)
    }

    @Test func `An injected fault holds a request until the test lets it go`() async throws {
        let gate = Gate()
        faults.inject(.held(by: gate), into: 1)
        async let status = send()
        await gate.reached()
        #expect(server.requests.isEmpty)
        gate.open()
        try await expectEqual(status, .ok)
    }
}

@Suite struct NetworkToolTests {
    @Test func `A snapshot of a message is sorted, and shows no secret`() throws {
        var request = HTTPRequest(
            method: .post, authority: "id.example.com", path: "/login?next=%2F&api_key=k3y&token=t",
            fields: [
                "X-Ticket": "t1cket", .contentType: "application/json", .authorization: "Bearer abc",
                .cookie: "a=1; b=2", .accept: "*/*",
            ],
            body: HTTPBody(#"{"email":"ada@example.com","password":"pw","deep":[{"refresh_token":"r"}],"code":null}"#))
        request.credentialFields.append("X-Ticket")
        expectEqual(
            request.snapshot(),
            """
            POST https://id.example.com/login?next=%2F&api_key=*&token=*
            accept: */*
            authorization: Bearer *
            content-type: application/json
            cookie: a=*; b=*
            x-ticket: *

            {"email":"ada@example.com","password":"*","deep":[{"refresh_token":"*"}],"code":null}

            """)
    }

    @Test func `A snapshot of a message hides what a test names, in forms and responses, too`() {
        let form = HTTPRequest(
            method: .post, authority: "id.example.com", path: "/token",
            fields: [.contentType: "application/x-www-form-urlencoded"],
            body: HTTPBody("grant_type=refresh_token&refresh_token=r&nonce=n"))
        #expect(form.snapshot(hiding: ["nonce"]).contains("\n\ngrant_type=refresh_token&refresh_token=*&nonce=*\n"))
        let response = HTTPResponse(
            status: .ok, fields: [.setCookie: "session=abc; Path=/; HttpOnly", "Date": "today"],
            body: HTTPBody(#"{"id":7,"name":"Ada"}"#))
        expectEqual(
            response.snapshot(hiding: ["Date", "id"]),
            """
            200
            date: *
            set-cookie: session=*; Path=/; HttpOnly

            {"id":"*","name":"Ada"}

            """)
    }

    @Test func `A snapshot of a message states the length of content that is not text`() {
        let response = HTTPResponse(status: .ok, body: HTTPBody([0xFF, 0xFE, 0x00]))
        #expect(response.snapshot().hasSuffix("\n\n(3 bytes)\n"))
    }
}
