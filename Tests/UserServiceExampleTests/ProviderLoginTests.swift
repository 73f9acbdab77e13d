// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchOAuth
import LatchTesting
import TestTags
import Testing
import UserAuthentication
import UserService

@testable import LatchIdentity

/// Pages of other providers in front of the real server: whoever comes back from them has the stage's account.
private struct Pages: Handler {
    let server: any Handler
    let password: String

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        guard request.path == "/api/auth/exchange" else { return try await server.respond(to: request) }
        let content = try JSONValue(parsing: request.body.bytes)
        guard content["code"] == "good", content["code_verifier"]?.stringValue?.utf8.count == 43 else {
            return HTTPResponse(status: .badRequest)
        }
        let login: JSONObject = ["email": "ada@example.com", "password": .string(password)]
        var request = request
        (request.path, request.body) = ("/api/auth/clients/login", HTTPBody(JSONValue.object(login).serialized()))
        return try await server.respond(to: request)
    }
}

@MainActor
@Suite struct ProviderLoginTests {
    private nonisolated static let redirectURI = URL(string: "com.example.users://auth/callback") ?? URL(filePath: "/")

    /// A manager on another device than the stage's, whose account exists.
    private func manager(of stage: Stage) async throws -> AuthenticationManager {
        try await stage.register()
        return try AuthenticationManager(
            url: Stage.url, store: InMemoryTokenStore(),
            transport: Pages(server: stage.identity.handler, password: Stage.password),
            clock: stage.device.wallClock(), refreshesInBackground: false)
    }

    private func pages(_ query: String) -> ScriptedPages {
        ScriptedPages { _ in
            URL(string: Self.redirectURI.absoluteString + query).map { .success($0) }
        }
    }

    @Test(.tags(.pendingRegistration), arguments: ["google", "apple"])
    func `The authentication manager with other providers signs in on the service's page, and has the user`(
        provider: String
    ) async throws {
        let stage = try await Stage()
        let manager = try await manager(of: stage)
        let pages = pages("?code=good")
        let browser = WebAuthenticationBrowser(sessions: pages)
        if provider == "google" {
            try await manager.loginWithGoogle(using: browser, redirectingTo: Self.redirectURI)
        } else {
            try await manager.loginWithApple(using: browser, redirectingTo: Self.redirectURI)
        }
        #expect(manager.isAuthenticated)
        expectEqual(manager.currentUser?.email, "ada@example.com")
        expectEqual(pages.opened.first?.path(), "/api/auth/\(provider)")
        try await manager.logout()
        #expect(!manager.isAuthenticated)
    }

    @Test(.tags(.pendingRegistration))
    func `The authentication manager with other providers stays signed out when the user closes the page`() async throws
    {
        let stage = try await Stage()
        let manager = try await manager(of: stage)
        let closed = ScriptedPages { _ in .failure(.cancelled) }
        await #expect(throws: OAuthError.cancelled) {
            try await manager.loginWithGoogle(
                using: WebAuthenticationBrowser(sessions: closed), redirectingTo: Self.redirectURI)
        }
        await #expect(throws: (any Error).self) {
            try await manager.loginWithGoogle(
                using: WebAuthenticationBrowser(sessions: pages("?code=stolen")), redirectingTo: Self.redirectURI)
        }
        #expect(!manager.isAuthenticated)
        expectNil(manager.currentUser)
    }
}
