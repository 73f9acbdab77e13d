// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import TestTags
import Testing

private let login = "/api/auth/clients/login"

@Suite struct SignInTests {
    @Test(.tags(.accountLogin)) func `Signing in posts exactly the address and the password, as JSON`() async throws {
        let backend = ScriptedBackend()
        backend.on(login, .ok, ["accessToken": "a", "refreshToken": "r"])
        try await backend.client().signIn(email: "ada@example.com", password: "p\"& =+%ü\\")
        let request = try #require(backend.requests.first)
        expectEqual(request.method, .post)
        expectEqual(request.absoluteURL, "https://api.example.com/api/auth/clients/login")
        expectEqual(request.fields[.contentType], "application/json")
        expectNil(request.fields[.authorization])
        let content = try JSONValue(parsing: request.body.bytes)
        expectEqual(content, ["email": "ada@example.com", "password": "p\"& =+%ü\\"])
    }

    @Test(.tags(.accountLogin))
    func `Signing in keeps the tokens, with the expiry that the token states`() async throws {
        let backend = ScriptedBackend()
        let access = try ScriptedBackend.accessToken(expiresIn: 600)
        backend.on(login, .ok, ["accessToken": .string(access), "refreshToken": "r"])
        let store = InMemoryTokenStore<Tokens>()
        try await backend.client(store: store).signIn(email: "a@b.c", password: "secret")
        let kept = try #require(store.load())
        expectEqual(kept.access, access)
        expectEqual(kept.refresh, "r")
        let life = try #require(kept.expiry).timeIntervalSince(try #require(kept.issued))
        #expect(abs(life - 600) < 2)
    }

    @Test(.tags(.accountLogin))
    func `Signing in reads the user from a token with arrays, booleans, nulls and objects`() async throws {
        let backend = ScriptedBackend()
        let access = try ScriptedBackend.accessToken([
            "id": "42", "email": "ada@example.com", "name": "Ada", "roles": ["admin", "editor"],
            "permissions": ["notes:read"], "tenantId": nil, "emailVerified": true, "nested": ["a": [1, nil]],
        ])
        backend.on(login, .ok, ["accessToken": .string(access)])
        let client = try backend.client()
        expectNil(client.account)
        try await client.signIn(email: "ada@example.com", password: "secret")
        expectEqual(
            client.account,
            Account(
                id: "42", email: "ada@example.com", name: "Ada", roles: ["admin", "editor"],
                permissions: ["notes:read"], isEmailVerified: true))
    }

    @Test(
        .tags(.accountLogin),
        arguments: [
            "{}", #"{"accessToken":""}"#, #"{"accessToken":null}"#, #"{"accessToken":5}"#, "[]", "not JSON", "",
        ])
    func `Signing in without an access token in the answer is an error that stores nothing`(body: String) async throws {
        let backend = ScriptedBackend()
        backend.on(login) { _ in HTTPResponse(status: .ok, body: HTTPBody(body)) }
        let store = InMemoryTokenStore<Tokens>()
        let client = try backend.client(store: store)
        await #expect(throws: AccountError.invalidResponse) {
            try await client.signIn(email: "a@b.c", password: "secret")
        }
        expectNil(store.load())
        #expect(!client.session.currentState.isSignedIn)
    }

    @Test(.tags(.accountLogin)) func `Signing in fails if the tokens cannot be stored`() async throws {
        struct FullStore: TokenStore {
            func save(_ tokens: Tokens) throws { throw AuthError.storeFull }
            func load() -> Tokens? { nil }
            func clear() {}
        }
        let backend = ScriptedBackend()
        backend.on(login, .ok, ["accessToken": "a"])
        let client = try backend.client(store: FullStore())
        await #expect(throws: AuthError.storeFull) { try await client.signIn(email: "a@b.c", password: "secret") }
        #expect(!client.session.currentState.isSignedIn)
    }

    @Test(
        arguments: [
            (401, AccountError.wrongCredentials), (400, .refused), (403, .refused), (429, .tooManyAttempts),
            (500, .serverFailed), (503, .serverFailed),
        ] as [(Int, AccountError)])
    func `Signing in distinguishes wrong credentials from every other refusal`(status: Int, expected: AccountError)
        async throws
    {
        let backend = ScriptedBackend()
        backend.on(
            login, HTTPStatus(rawValue: status), ["message": "as the server says"], fields: [.retryAfter: "30"])
        let error = await #expect(throws: expected) {
            try await backend.client().signIn(email: "a@b.c", password: "secret")
        }
        expectEqual(error?.status?.rawValue, status)
        expectEqual(error?.serverMessage, "as the server says")
        expectEqual(error?.retryAfter, .seconds(30))
    }

    @Test(.tags(.pathPrefix), arguments: ["", "/", "/v1", "/v1/", "/a/b"])
    func `Signing in keeps the path of the base URL`(path: String) async throws {
        let backend = ScriptedBackend()
        await #expect(throws: AccountError.refused) {
            try await backend.client(base: "https://api.example.com\(path)").signIn(email: "a@b.c", password: "secret")
        }
        let base = path.hasSuffix("/") ? String(path.dropLast()) : path
        expectEqual(backend.requests.map(\.path), ["\(base)\(login)"])
    }

    @Test func `Signing in over plain http to another machine is refused before anything is sent`() async throws {
        let backend = ScriptedBackend()
        await #expect(throws: HTTPError.insecureURL) {
            try await backend.client(base: "http://api.example.com").signIn(email: "a@b.c", password: "secret")
        }
        #expect(backend.requests.isEmpty)
    }

    @Test(.tags(.silentTokens)) func `Signing in shows no secret in any error`() async throws {
        let canary = "canary-c0ffee"
        for status in [200, 400, 401, 409, 500] {
            let backend = ScriptedBackend()
            backend.on(login, HTTPStatus(rawValue: status), ["refreshToken": .string(canary)])
            let error = await #expect(throws: AccountError.self) {
                try await backend.client().signIn(email: "a@b.c", password: canary)
            }
            var text = String(reflecting: error) + "\(error as Any)"
            dump(error, to: &text)
            #expect(!text.contains(canary))
        }
    }
}
