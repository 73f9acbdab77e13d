// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
package import LatchIdentity
import LatchJOSE
import LatchTesting

/// An app that signs users in on the server's pages.
package struct SignInApp: Sendable {
    package var clientID: String
    package var redirect: String
    package var scope: String?
    package var state: String?
    package var nonce: String? = "n-0S6_WzA2Mj"
    package var verifier = Base64URL.encode((0..<32).map { _ in UInt8.random(in: 0...255) })

    package init(
        clientID: String = "notes", redirect: String = "https://notes.example.com/callback",
        scope: String? = "openid email profile files:read", state: String? = "st ate&\"<>ü"
    ) {
        (self.clientID, self.redirect, self.scope, self.state) = (clientID, redirect, scope, state)
    }

    /// The operator's own app, one of others, a program, and a server of others.
    ///
    /// Their ID tokens need no RSA key, which takes longer to make than most tests run.
    package static let registrations = [
        OAuthClient(
            id: "notes", grants: [.authorizationCode, .refreshToken],
            redirectURIs: ["https://notes.example.com/callback", "https://notes.example.com/other"],
            postLogoutRedirectURIs: ["https://notes.example.com/bye"], isTrusted: true, idTokenAlgorithm: .es256),
        OAuthClient(
            id: "foreign", grants: [.authorizationCode, .refreshToken], redirectURIs: ["https://foreign.example/back"],
            idTokenAlgorithm: .es256),
        OAuthClient(
            id: "tool", grants: [.authorizationCode, .deviceCode, .refreshToken],
            redirectURIs: ["http://127.0.0.1/callback", "http://[::1]/callback", "tool://callback"], isTrusted: true,
            idTokenAlgorithm: .es256),
        OAuthClient(
            id: "web", isConfidential: true, grants: [.authorizationCode],
            redirectURIs: ["https://web.example/callback"], isTrusted: true, idTokenAlgorithm: .es256),
    ]

    /// The parameters of the request; a value of nil leaves one out.
    package func parameters(_ changes: KeyValuePairs<String, String?> = [:]) -> [(String, String)] {
        var list: [(String, String?)] = [
            ("response_type", "code"), ("client_id", clientID), ("redirect_uri", redirect), ("scope", scope),
            ("state", state), ("nonce", nonce), ("code_challenge", Base64URL.encode(verifier.digest)),
            ("code_challenge_method", "S256"),
        ]
        for (name, value) in changes {
            list.removeAll { $0.0 == name }
            list.append((name, value))
        }
        return list.compactMap { name, value in value.map { (name, $0) } }
    }

    package func path(_ changes: KeyValuePairs<String, String?> = [:]) -> String {
        "/oauth/authorize?\(FormEncoding.encode(parameters(changes)))"
    }
}

extension UserAgent {
    /// Sends the form of a page, with the fields of its user.
    package mutating func submit(_ page: Response, _ fields: [(String, String)] = []) async throws -> Response {
        try await post(page.formAction, form: FormEncoding.encode([("token", page.formToken)] + fields))
    }

    package mutating func signIn(
        _ page: Response, _ name: String = "ada@example.com", password: String = Site.password
    ) async throws -> Response {
        try await submit(page, [("name", name), ("password", password)])
    }

    /// Opens an app's page, signs in if it asks for that, and returns the redirect to the app.
    package mutating func authorize(
        _ app: SignInApp, _ changes: KeyValuePairs<String, String?> = [:], _ name: String = "ada@example.com"
    ) async throws -> Response {
        var response = try await get(app.path(changes))
        if response.formAction == "/login" { response = try await signIn(response, name) }
        if response.formAction == "/consent" { response = try await submit(response) }
        return response
    }
}

extension Site {
    /// A site with the apps, and one account.
    package static func authorizing(
        _ way: Way = .inProcess, in folder: TemporaryFolder? = nil, storedAt location: String? = nil,
        documents: PublicTransport = PublicTransport(),
        change: (inout IdentityConfiguration) -> Void = { _ in }
    ) async throws -> Site {
        let site = try await Site(way, in: folder, storedAt: location, documents: documents) { configuration in
            configuration.clients = SignInApp.registrations
            configuration.clientSecretDigests = ["web": ClientSecret.digest]
            change(&configuration)
        }
        if folder == nil { try await site.signUp() }
        return site
    }

    package func exchange(
        _ code: String, _ app: SignInApp, verifier: String? = nil, redirect: String? = nil, as client: String? = nil
    ) async throws -> Response {
        try await token([
            "grant_type": "authorization_code", "code": code, "code_verifier": verifier ?? app.verifier,
            "redirect_uri": redirect ?? app.redirect, "client_id": client ?? app.clientID,
        ])
    }

    /// The code of a sign-in in a new browser.
    package func code(_ app: SignInApp) async throws -> String {
        var agent = UserAgent(self)
        return try await agent.authorize(app).parameters["code"] ?? ""
    }

    /// A valid access token opens the profile.
    package func accepts(_ access: String) async throws -> Bool {
        try await get("/user/profile", bearer: access).status == 200
    }
}
