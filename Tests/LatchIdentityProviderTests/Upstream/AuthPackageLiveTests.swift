// SPDX-License-Identifier: Apache-2.0

import AuthPackage
import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchOAuth
import TestSupport
import TestTags
import Testing

@testable import LatchIdentity

#if canImport(AuthenticationServices)
// The window is its class.
import AuthenticationServices
#endif

@MainActor
@Suite(.timeLimit(.minutes(1))) struct AuthPackageLiveTests {
    private static let providers = [
        "google": ("https://accounts.google.com", "google;client_id=g"),
        "microsoft": (
            "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0",
            "microsoft;client_id=m;tenant=9188040d-6c67-4c5b-b112-36a304b66dad"
        ),
        "facebook": ("https://www.facebook.com", "facebook;client_id=f"),
    ]

    private func client(_ site: Site, _ upstream: ScriptedUpstream) throws -> AuthClient {
        let config = AuthConfiguration(
            baseURL: try #require(URL(string: Site.issuer)), redirectScheme: "notes", microsoftEnabled: true,
            googleEnabled: true, facebookEnabled: true)
        let pages = VisitingPages { url in
            var agent = UserAgent(site)
            let begun = try await agent.get("\(url.path())?\(url.query(percentEncoded: true) ?? "")")
            let claims: Claims = ["sub": "77", "email": "ada@example.com", "name": "Ada"]
            let query = try upstream.approve(begun.location, as: claims)
            var page = try await agent.get("\(url.path())/callback?\(query)")
            if page.title == "Continue to the app?" { page = try await agent.answer(page) }
            return URL(string: page.location)
        }
        return AuthClient(
            config: config, transport: site.transport,
            authenticator: OAuthWebAuthenticator(config: config, transport: site.transport, sessions: pages))
    }

    @Test(.tags(.providerSignIn, .pathPrefix), arguments: ["google", "microsoft", "facebook"])
    func `AuthPackage's client at our server signs in through a provider, and has the created account`(provider: String)
        async throws
    {
        let (issuer, word) = try #require(Self.providers[provider])
        let upstream = try ScriptedUpstream(issuer: issuer)
        upstream.deviate {
            $0.resources = ["https://graph.facebook.com/me": ["id": "77", "name": "Ada", "email": "ada@example.com"]]
        }
        let site = try await Site.brokering(upstream, word, secrets: "\(provider)=s")
        let auth = try client(site, upstream)
        let claims: JWTClaims? =
            switch provider {
            case "google": try await auth.loginWithGoogle(from: PresentationAnchor())
            case "microsoft": try await auth.loginWithMicrosoft(from: PresentationAnchor())
            default: try await auth.loginWithFacebook(from: PresentationAnchor())
            }
        let account = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        #expect(claims?.sub == account.id && account.name == "Ada")
        let profile = try await auth.http.respond(to: auth.http.request(.get, "user/profile"))
        #expect(profile.status == .ok && profile.body.text?.contains(account.id) == true)
        #expect(try await auth.refreshIfNeeded() != nil)
        try await auth.logout()
        expectNil(auth.tokens)
        #expect(try await site.tokens.devices(of: account.id).isEmpty)
        await site.close()
    }

    @Test(.tags(.accountRegistration))
    func `AuthPackage's client at our server invites a person, who sets a password by the mail`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        try await site.signUp("root@example.com", roles: ["admin"])
        let auth = try client(site, upstream)
        _ = try await auth.login(email: "root@example.com", password: Site.password)
        let user = try await auth.inviteUser(email: "new@example.com", name: "New", roles: ["client"])
        #expect(user.email == "new@example.com" && user.name == "New" && user.roles == ["client"])
        let token = try #require(await site.mailedToken(to: "new@example.com"))
        _ = try await auth.resetPassword(token: token, newPassword: "a sentence of my own")
        try await expectEqual(site.logIn("new@example.com", password: "a sentence of my own").status, 200)
        await #expect(
            throws: APIError.server(status: 409, message: "There is already an account with this email address.")
        ) {
            try await auth.inviteUser(email: "new@example.com")
        }
        await site.close()
    }
}
