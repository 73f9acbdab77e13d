// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchHTTP
import LaziOAuth
import TestTags
import Testing

@MainActor
@Suite struct OAuthErrorTests {
    let backend = ScriptedBackend()

    /// The name of a login's error, with the text for users.
    private func failure(_ status: HTTPStatus, _ body: String) async -> (String, String?) {
        backend.on("/oauth/token", status, body)
        return await failure(of: backend.service())
    }

    private func failure(of service: OAuthService) async -> (String, String?) {
        do {
            try await service.login(username: "ada", password: "secret-7", scopes: [.widgetsRead])
            return ("nothing", nil)
        } catch let error as OAuthError {
            #expect(service.lastError as? OAuthError != nil)
            #expect(!service.isAuthenticated)
            let name = "\(error)".prefix { $0 != "(" }.split(separator: ".").last.map(String.init) ?? ""
            return (name, error.errorDescription)
        } catch {
            return ("\(type(of: error))", nil)
        }
    }

    @Test(
        .tags(.loginResponses),
        arguments: [
            (401, #"{"detail":"Invalid credentials"}"#, "serverError", "Invalid credentials"),
            (400, #"{"error":"invalid_grant","error_description":"No."}"#, "serverError", "No."),
            (401, "", "authenticationFailed", "Authentication failed. Please check your credentials."),
            (400, #"{"error":"invalid_grant"}"#, "authenticationFailed", nil),
            (
                422, #"{"detail":[{"loc":["body","username"],"msg":"field required"}]}"#, "serverError",
                "username: field required"
            ),
            (502, "<html>Bad Gateway</html>", "serverError", "The server failed."),
            (503, "", "serverError", "The server is temporarily unavailable."),
            (429, #"{"detail":"Slow down."}"#, "serverError", "Slow down."),
            (200, "", "invalidResponse", "Invalid response from server"),
            (200, #"{"access_token":"a","token_type":"mac"}"#, "invalidResponse", nil),
            (302, "", "invalidResponse", nil),
        ] as [(HTTPStatus, String, String, String?)])
    func `A login that fails shows the server's message, or the kind of failure`(
        status: HTTPStatus, body: String, name: String, text: String?
    ) async {
        let (thrown, said) = await failure(status, body)
        expectEqual(thrown, name)
        if let text { expectEqual(said, text) }
        expectNotEqual(said?.contains("secret-7"), true)
    }

    @Test(.tags(.tokenRefresh), arguments: [HTTPError.offline, .timeout, .tls])
    func `A login that fails reports a failure of the network, and its kind`(error: HTTPError) async {
        backend.on("/oauth/token") { _ in throw error }
        let (name, text) = await failure(of: backend.service())
        expectEqual(name, "networkError")
        expectEqual(text, "Network error: \(error.message)")
    }

    @Test func `A login that fails is thrown unchanged if the device cannot keep the tokens`() async {
        backend.on("/oauth/token", .ok, ScriptedBackend.answer("a", refresh: "r"))
        let service = backend.service(store: FullTokenStore())
        await #expect(throws: AuthError.storeFull) {
            try await service.login(username: "ada", password: "p", scopes: [])
        }
        expectEqual(service.lastError as? AuthError, .storeFull)
        #expect(!service.isAuthenticated)
    }

    @Test func `A login that fails keeps the earlier signed-in user`() async throws {
        let service = try await backend.signedIn()
        backend.on("/oauth/token", .unauthorized, #"{"detail":"no"}"#)
        await #expect(throws: OAuthError.self) {
            try await service.login(username: "eve", password: "p", scopes: [])
        }
        expectEqual(service.currentUser?.username, "ada")
        await expectEqual(service.getValidToken(), "a0")
    }

    @Test func `A login that fails has the five texts of the document`() {
        let errors: [OAuthError] = [
            .invalidURL, .invalidResponse, .authenticationFailed, .serverError("x"), .networkError(HTTPError.offline),
        ]
        expectEqual(
            errors.map(\.errorDescription),
            [
                "Invalid server URL", "Invalid response from server",
                "Authentication failed. Please check your credentials.", "x",
                "Network error: The server could not be reached.",
            ])
    }
}

/// A place that takes nothing any more.
private struct FullTokenStore: TokenStore {
    func save(_ tokens: Tokens) throws { throw AuthError.storeFull }
    func load() -> Tokens? { nil }
    func clear() {}
}
