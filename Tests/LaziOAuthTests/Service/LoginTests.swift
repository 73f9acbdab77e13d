// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchHTTP
import LatchOAuth
import LatchServer
import LatchTesting
import LaziOAuth
import TestTags
import Testing

@MainActor
@Suite struct LoginTests {
    let backend = ScriptedBackend()

    @Test(.tags(.loginRequest)) func `A login sends the form of the document`() async throws {
        backend.on("/oauth/token", .ok, ScriptedBackend.answer("a", refresh: "r"))
        let response = try await backend.service().login(
            username: "user@example.com", password: "secret", scopes: [.widgetsRead, .widgetsWrite])
        let request = try #require(backend.requests.first)
        expectEqual(request.path, "/oauth/token")
        expectEqual(request.fields[.contentType], "application/x-www-form-urlencoded")
        let form = try request.formFields()
        expectEqual(form.map(\.name), ["grant_type", "username", "password", "scope"])
        expectEqual(form["grant_type"], "password")
        expectEqual(form["username"], "user@example.com")
        expectEqual(form["scope"], "widgets:read widgets:write")
        expectEqual(response.access_token, "a")
        expectEqual(response.user_id, "usr_1")
    }

    @Test(arguments: ["p", "wrong", "password", "correct horse battery staple"])
    func `A login reports in the server's words that a password is wrong`(password: String) async throws {
        let message = "The email address or the password is wrong."
        backend.on("/oauth/token", .badRequest, #"{"error":"invalid_grant","error_description":"\#(message)"}"#)
        let service = backend.service()
        let error = await #expect(throws: OAuthError.self) {
            try await service.login(username: "ada", password: password)
        }
        expectEqual(error?.localizedDescription, message)
    }

    @Test func `A login hides a message that quotes the password`() async throws {
        for message in ["bad password 'hunter'", "password=hunter", "Hunter2! is wrong"] {
            let body = #"{"error":"invalid_grant","error_description":"\#(message)"}"#
            backend.on("/oauth/token", .badRequest, body)
            let service = backend.service()
            let error = await #expect(throws: OAuthError.self) {
                try await service.login(username: "ada", password: message.hasPrefix("H") ? "Hunter2!" : "hunter")
            }
            expectEqual(error?.localizedDescription, OAuthError.authenticationFailed.localizedDescription)
        }
    }

    @Test(.tags(.loginRequest)) func `A login lets no password add a scope`() async throws {
        backend.on("/oauth/token", .ok, ScriptedBackend.answer("a", refresh: "r"))
        try await backend.service().login(
            username: "ada&grant_type=x", password: "p&scope=widgets:admin+1", scopes: [.widgetsRead])
        let form = try #require(backend.requests.first).formFields()
        expectEqual(form.filter { $0.name == "scope" }.map(\.value), ["widgets:read"])
        expectEqual(form["password"], "p&scope=widgets:admin+1")
        expectEqual(form["username"], "ada&grant_type=x")
    }

    @Test(.tags(.loginRequest))
    func `A login asks for no scope if none is given, and for any other by its text`() async throws {
        backend.on("/oauth/token", .ok, #"{"access_token":"a"}"#)
        let service = backend.service()
        try await service.login(username: "ada", password: "p", scopes: [])
        try await service.login(username: "ada", password: "p", requesting: Scopes(parsing: "organizations:read x"))
        try expectEqual(backend.requests.map { try $0.formFields()["scope"] }, [nil, "organizations:read x"])
        expectEqual(service.grantedScopes, ["organizations:read", "x"])
    }

    @Test(.tags(.loginResponses))
    func `A login also succeeds without a refresh token, a scope, a lifetime and a user`() async throws {
        backend.on("/oauth/token", .ok, #"{"access_token":"a"}"#)
        let service = backend.service()
        let response = try await service.login(username: "ada", password: "p", scopes: [.filesRead])
        #expect(service.isAuthenticated)
        expectNil(service.currentUser)
        expectEqual(service.grantedScopes, ["files:read"])
        expectEqual(response.scope, "files:read")
        expectNil(response.refresh_token)
        backend.clock.advance(by: 1_000_000)
        await expectEqual(service.getValidToken(), "a")
    }

    @Test(.tags(.grantedScopes)) func `A login reports scopes that are fewer or more than requested`() async throws {
        backend.on("/oauth/token", .ok, ScriptedBackend.answer("a", refresh: "r", scope: "widgets:read files:delete"))
        let service = backend.service()
        expectNil(service.scopeChange)
        try await service.login(username: "ada", password: "p", scopes: [.widgetsRead, .widgetsWrite])
        expectEqual(service.scopeChange?.missing.text, "widgets:write")
        expectEqual(service.scopeChange?.unrequested.text, "files:delete")
        expectEqual(service.grantedScopes, ["widgets:read", "files:delete"])
        expectEqual(service.currentUser?.grantedScopes, ["widgets:read", "files:delete"])
        await service.logout()
        expectNil(service.scopeChange)
        #expect(service.grantedScopes.isEmpty)
    }

    @Test(
        .tags(.secretTransport),
        arguments: ["http://192.168.1.188:8000", "http://example.com", "ftp://example.com", "file:///"])
    func `A login is refused without encryption, except to this machine`(base: String) async throws {
        let service = backend.service(base: base)
        await #expect { try await service.login(username: "ada", password: "p", scopes: []) } throws: {
            if case OAuthError.invalidURL = $0 { true } else { false }
        }
        #expect(backend.requests.isEmpty)
    }

    @Test(.tags(.secretTransport), arguments: ["http://127.0.0.1:8000", "http://localhost:8000", "http://[::1]:8000"])
    func `A login goes without encryption to this machine`(base: String) async throws {
        backend.on("/oauth/token", .ok, ScriptedBackend.answer("a", refresh: "r"))
        let service = backend.service(base: base)
        try await service.login(username: "ada", password: "p", scopes: [])
        #expect(service.isAuthenticated)
    }

    @Test(.tags(.secretTransport)) func `A login goes to a machine in the local network only with an explicit setting`()
        async throws
    {
        backend.on("/oauth/token", .ok, ScriptedBackend.answer("a", refresh: "r"))
        let service = backend.service(
            base: "http://192.168.1.188:8000", allowingInsecureHTTP: .anyHostWithoutEncryption)
        try await service.login(username: "ada", password: "p", scopes: [])
        #expect(service.isAuthenticated)
    }
}
