// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import TestTags
import Testing

private let register = "/api/clients/register"

@Suite struct AccountTests {
    @Test(.tags(.accountRegistration))
    func `An account at a backend is requested with the given fields only`() async throws {
        let backend = ScriptedBackend()
        backend.on(register, .created, ["id": "1", "email": "ada@example.com"])
        let client = try backend.client()
        try await client.signUp(email: "ada@example.com", password: "secret")
        try await client.signUp(email: "ada@example.com", password: "secret", name: "", roles: [])
        try await client.signUp(email: "ada@example.com", password: "secret", name: "Ada", roles: ["admin"])
        let plain: JSONValue = ["email": "ada@example.com", "password": "secret"]
        let full: JSONValue = ["email": "ada@example.com", "password": "secret", "name": "Ada", "roles": ["admin"]]
        try expectEqual(backend.contents(of: register), [plain, plain, full])
        #expect(!client.session.currentState.isSignedIn)
    }

    @Test func `An account at a backend is decoded, timed and intercepted as its caller configures`() async throws {
        struct Profile: Decodable, Sendable { let firstName: String }
        struct Marker: Interceptor {
            func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
                var request = request
                request.fields["X-Marker"] = "1"
                return try await next.respond(to: request)
            }
        }
        let backend = ScriptedBackend()
        backend.on(register, .created, ["id": "1", "email": "ada@example.com"])
        backend.on("/profile", .ok, ["first_name": "Ada"])
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let client = AuthClient(
            baseURL: try #require(URL(string: "https://api.example.com")),
            store: InMemoryTokenStore(Tokens(access: "a", expiry: .distantFuture)), transport: backend,
            interceptors: [Marker()], timeout: .seconds(7), decoder: decoder)
        try await client.signUp(email: "ada@example.com", password: "secret")
        try await expectEqual(client.client.perform(.get("profile", as: Profile.self)).firstName, "Ada")
        #expect(backend.requests.allSatisfy { $0.fields["X-Marker"] == "1" && $0.timeout == .seconds(7) })
        expectEqual(backend.requests.count, 2)
    }

    @Test(.tags(.accountRegistration), arguments: [#"{"id":"7"}"#, #"{"sub":"7"}"#, #"{"_id":"7"}"#, #"{"id":7}"#])
    func `An account at a backend has the identifier that the server gave it`(identifier: String) async throws {
        let backend = ScriptedBackend()
        let body = identifier.dropLast() + #","email":"a@b.c","name":null,"roles":["user"]}"#
        backend.on(register) { _ in HTTPResponse(status: .created, body: HTTPBody(String(body))) }
        let account = try await backend.client().signUp(email: "a@b.c", password: "secret")
        expectEqual(account, Account(id: "7", email: "a@b.c", roles: ["user"]))
    }

    @Test(
        .tags(.accountRegistration),
        arguments: [#"{"email":"a@b.c"}"#, #"{"id":"","email":"a@b.c"}"#, #"{"id":"7"}"#, "[]", ""])
    func `An account at a backend without an identifier or an address is an error`(body: String) async throws {
        let backend = ScriptedBackend()
        backend.on(register) { _ in HTTPResponse(status: .created, body: HTTPBody(body)) }
        await #expect(throws: AccountError.invalidResponse) {
            try await backend.client().signUp(email: "a@b.c", password: "secret")
        }
    }

    @Test(.tags(.accountRegistration))
    func `Signing up with an existing email address reports emailTaken`() async throws {
        let backend = ScriptedBackend()
        backend.on(register, .conflict, ["message": "Email already in use"])
        let error = await #expect(throws: AccountError.emailTaken) {
            try await backend.client().signUp(email: "a@b.c", password: "secret")
        }
        expectEqual(error?.serverMessage, "Email already in use")
    }

    @Test(.tags(.passwordReset))
    func `An account at a backend is reset in two steps, of the kind that the backend requires`() async throws {
        let backend = ScriptedBackend()
        backend.on("/api/auth/forgot-password", .ok, ["message": "If there is an account, a mail is on its way."])
        backend.on("/api/auth/reset-password", .ok, ["message": "done"])
        var endpoints = AccountEndpoints()
        for type in [nil, "client"] {
            endpoints.accountType = type
            let client = try backend.client(endpoints: endpoints)
            let said = try await client.requestPasswordReset(email: "a@b.c")
            expectEqual(said, "If there is an account, a mail is on its way.")
            try await expectEqual(client.resetPassword(token: "t", newPassword: "NewSecret!").message, "done")
        }
        try expectEqual(
            backend.contents(of: "/api/auth/forgot-password"),
            [["email": "a@b.c"], ["email": "a@b.c", "type": "client"]])
        try expectEqual(
            backend.contents(of: "/api/auth/reset-password"),
            [
                ["token": "t", "password": "NewSecret!"],
                ["token": "t", "password": "NewSecret!", "type": "client"],
            ])
    }

    @Test(.tags(.passwordReset))
    func `An account at a backend whose reset token was used shows the server's message`() async throws {
        let backend = ScriptedBackend()
        backend.on("/api/auth/reset-password", .badRequest, ["message": "The link was used or is too old."])
        let error = await #expect(throws: AccountError.refused) {
            try await backend.client().resetPassword(token: "t", newPassword: "NewSecret!")
        }
        expectEqual(error?.status, .badRequest)
        expectEqual(error?.serverMessage, "The link was used or is too old.")
    }

    @Test(arguments: [-3_600, 0, 360, 86_400] as [Double])
    func `An account at a backend has time for the second factor on a device whose clock is wrong`(skew: Double)
        async throws
    {
        let backend = ScriptedBackend()
        let server = Date(timeIntervalSince1970: 1_800_000_000)
        let expiry = Date.ISO8601FormatStyle().format(server.addingTimeInterval(300))
        backend.on(
            "/userservice.v1.UserService/Login", .ok,
            ["requires2fa": true, "session": ["accessToken": "lc1.x", "expiresAt": .string(expiry)]],
            fields: [.date: HTTPDate(server).description])
        let clock = ManualClock(server.addingTimeInterval(skew))
        let client = try backend.client(clock: clock.wallClock())
        let challenge = try #require(try await client.beginSignIn(name: "a@b.c", password: "p"))
        expectEqual(challenge.expiryDate.timeIntervalSince(clock.now), 300)
    }

    /// What backends without a user service answer at a path that they do not know.
    @Test(
        arguments: [
            (404, #"{"message":"Cannot POST /userservice.v1.UserService/Login"}"#), (404, "<html>"), (405, ""),
            (401, #"{"message":"Unauthorized"}"#), (401, ""), (403, #"{"message":"Missing Authentication Token"}"#),
            (400, #"{"error":"bad request"}"#), (415, ""), (501, ""), (200, "<html>the app</html>"), (302, ""),
            (404, #"{"code":"unimplemented"}"#),
        ] as [(HTTPStatus, String)])
    func `An account at a backend signs in by the backend's own route if it has no user service`(
        status: HTTPStatus, body: String
    )
        async throws
    {
        let backend = ScriptedBackend()
        let login = "/userservice.v1.UserService/Login"
        backend.on(login) { _ in HTTPResponse(status: status, body: HTTPBody(body)) }
        backend.on("/api/auth/clients/login", .ok, ["accessToken": "a", "refreshToken": "r"])
        backend.on("/user/profile", .ok, ["id": "1", "email": "ada@example.com", "name": "Ada"])
        let client = try backend.client()
        for _ in 0..<2 {
            try await expectNil(client.beginSignIn(name: "ada@example.com", password: "p"))
        }
        #expect(client.session.currentState.isSignedIn)
        // The password is sent there once, and not at all where the app says what the backend has.
        expectEqual(backend.requests(to: login).count, 1)
        let profile = try await client.accountProfile()
        #expect(profile.email == "ada@example.com" && profile.displayName == "Ada")
        await #expect(throws: AccountError.notSupported) { try await client.devices() }

        var endpoints = AccountEndpoints()
        endpoints.userService = nil
        _ = try await backend.client(endpoints: endpoints).beginSignIn(name: "ada@example.com", password: "p")
        expectEqual(backend.requests(to: login).count, 1)
    }

    @Test(
        arguments: [
            (401, #"{"code":"unauthenticated","message":"no"}"#, AccountError.wrongCredentials),
            (429, "", .tooManyAttempts), (503, "<html>", .serverFailed), (500, "", .serverFailed),
        ] as [(HTTPStatus, String, AccountError)])
    func `An account at a backend sends no password to a second route if the user service answered`(
        status: HTTPStatus, body: String, error: AccountError
    ) async throws {
        let backend = ScriptedBackend()
        backend.on("/userservice.v1.UserService/Login") { _ in HTTPResponse(status: status, body: HTTPBody(body)) }
        await #expect(throws: error) { try await backend.client().beginSignIn(name: "a@b.c", password: "p") }
        expectEqual(backend.requests.count, 1)
    }

    /// A page of maintenance with 200, a portal, and a proxy that drops the content.
    @Test(
        .tags(.passwordReset),
        arguments: [
            HTTPResponse(status: .noContent), HTTPResponse(status: .ok),
            HTTPResponse(
                status: .ok, fields: [.contentType: "text/html"], body: HTTPBody("<html>We will be back soon</html>")),
            HTTPResponse(status: .ok, body: HTTPBody("[]")), HTTPResponse(status: .ok, body: HTTPBody("OK")),
        ])
    func `An account at a backend takes only the backend's JSON for a success`(answer: HTTPResponse) async throws {
        let backend = ScriptedBackend()
        for path in ["forgot-password", "reset-password", "verify-email", "resend-verification", "reauthenticate"] {
            backend.on("/api/auth/\(path)") { _ in answer }
        }
        let client = try backend.client()
        try await client.session.signIn(Tokens(access: "a", refresh: "r", expiry: .distantFuture))
        let calls: [@Sendable () async throws -> Void] = [
            { try await client.requestPasswordReset(email: "a@b.c") },
            { try await client.resetPassword(token: "t", newPassword: "NewSecret!") },
            { try await client.verifyEmail(token: "t") }, { try await client.resendVerification(email: "a@b.c") },
            { try await client.reauthenticate(password: "wrong") },
        ]
        for call in calls { await #expect(throws: AccountError.invalidResponse) { try await call() } }
    }

    @Test(
        arguments: [
            ("application/json", #"{"message":"m"}"#, "m"), ("application/json", #"{"detail":"d"}"#, "d"),
            ("application/json", #"{"error":"e"}"#, "e"), ("application/json", #"{"message":5}"#, nil),
            ("text/plain; charset=utf-8", "plain words", "plain words"), ("text/html", "<html>no</html>", nil),
            ("application/json", "", nil),
        ] as [(String, String, String?)])
    func `An account at a backend says in the server's words why it was refused`(
        type: String, body: String, message: String?
    ) async throws {
        let backend = ScriptedBackend()
        backend.on(register) { _ in
            HTTPResponse(status: 422, fields: [.contentType: type], body: HTTPBody(body))
        }
        let error = await #expect(throws: AccountError.refused) {
            try await backend.client().signUp(email: "a@b.c", password: "secret")
        }
        expectEqual(error?.serverMessage, message)
    }
}
