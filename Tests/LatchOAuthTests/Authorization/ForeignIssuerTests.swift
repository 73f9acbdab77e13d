// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchServer
import TestSupport
import Testing

/// The issuers that real providers state in their metadata and tokens, where these are not the URL that a program knows.
@Suite struct ForeignIssuerTests {
    private static let tenant = "9188040d-6c67-4c5b-b112-36a304b66dad"
    private static let other = "11111111-2222-3333-4444-555555555555"
    private static let callback = URL(string: "https://notes.example.com/callback") ?? URL(filePath: "/")

    /// Signs in at a server whose metadata states an issuer, and whose ID token states another one.
    private func signIn(
        _ configuration: OAuthConfiguration, metadata issuer: String, token: String, tid: String? = tenant
    ) async throws -> TokenResponse {
        let key = try Key.generate(.rs256)
        let transport = ClosureHandler { request in
            if request.pathWithoutQuery.hasSuffix("/.well-known/openid-configuration") {
                return .json([
                    "issuer": .string(issuer), "authorization_endpoint": "https://id.example.com/authorize",
                    "token_endpoint": "https://id.example.com/token", "jwks_uri": "https://id.example.com/jwks",
                ])
            }
            guard request.method == .post else { return .json(KeySet([key]).jwks()) }
            var claims: Claims = ["sub": "ada"]
            claims["tid"] = tid.map { .string($0) }
            (claims.issuer, claims.audience) = (token, ["c"])
            (claims.issuedAt, claims.expiry) = (.now, .now.addingTimeInterval(600))
            return .json([
                "access_token": "a", "refresh_token": "r", "id_token": .string(try JWT.sign(claims, with: key)),
            ])
        }
        let client = AuthorizationClient(configuration, transport: transport)
        return try await client.tokens(for: AuthorizationCodeGrant(code: "c", verifier: "v", redirectURI: nil))
    }

    private func configuration(_ issuer: String) -> OAuthConfiguration {
        OAuthConfiguration(issuer: URL(string: issuer) ?? Self.callback, clientID: "c")
    }

    @Test func `An issuer by another name is Google's without its scheme`() async throws {
        let issuer = "https://accounts.google.com"
        for token in ["accounts.google.com", issuer] {
            try await expectEqual(
                signIn(.google(clientID: "c"), metadata: issuer, token: token).idTokenClaims?.issuer, token)
        }
        for token in ["accounts.google.com.evil.example", "http://accounts.google.com", "accounts.google.com/"] {
            await #expect(throws: OAuthError.issuerMismatch) {
                try await signIn(.google(clientID: "c"), metadata: issuer, token: token)
            }
        }
        await #expect(throws: OAuthError.issuerMismatch) {
            try await signIn(
                configuration("https://id.example.com"), metadata: "https://id.example.com", token: "id.example.com")
        }
    }

    @Test(arguments: [
        ("https://login.microsoftonline.us/contoso.example/v2.0", "https://login.microsoftonline.us/ID/v2.0"),
        ("https://login.partner.microsoftonline.cn/contoso/v2.0", "https://login.partner.microsoftonline.cn/ID/v2.0"),
        ("https://login.microsoftonline.com/organizations/v2.0", "https://login.microsoftonline.com/ID/v2.0"),
        ("https://contoso.ciamlogin.com/contoso.onmicrosoft.com/v2.0", "https://ID.ciamlogin.com/ID/v2.0"),
        ("https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_in/v2.0", "https://contoso.b2clogin.com/ID/v2.0/"),
    ])
    func `An issuer by another name is a tenant's, by the tenant's ID: Microsoft Entra`(named: String, stated: String)
        async throws
    {
        func issuer(_ id: String) -> String { stated.replacing("ID", with: id) }
        let response = try await signIn(
            configuration(named), metadata: issuer(Self.tenant), token: issuer(Self.tenant))
        expectEqual(response.idTokenClaims?.issuer, issuer(Self.tenant))
        // The metadata has said whose tokens they are.
        await #expect(throws: OAuthError.issuerMismatch) {
            try await signIn(
                configuration(named), metadata: issuer(Self.tenant), token: issuer(Self.other), tid: Self.other)
        }
        for evil in [
            issuer("evil"), issuer(Self.tenant) + "/x", "https://evil.example/\(Self.tenant)/v2.0", issuer(""),
        ] {
            await #expect(throws: OAuthError.issuerMismatch) {
                try await signIn(configuration(named), metadata: evil, token: evil)
            }
        }
    }

    @Test func `An issuer by another name has one tenant in both places: Microsoft Entra External ID`() async throws {
        let mixed = "https://\(Self.tenant).ciamlogin.com/\(Self.other)/v2.0"
        await #expect(throws: OAuthError.issuerMismatch) {
            try await signIn(
                configuration("https://contoso.ciamlogin.com/contoso.onmicrosoft.com/v2.0"), metadata: mixed,
                token: mixed)
        }
    }

    @Test
    func `An issuer by another name is the token's tenant if the metadata leaves it open: Microsoft Entra`()
        async throws
    {
        let (named, open) = (
            "https://login.microsoftonline.us/common/v2.0", "https://login.microsoftonline.us/{tenantid}/v2.0"
        )
        let own = "https://login.microsoftonline.us/\(Self.tenant)/v2.0"
        try await expectEqual(signIn(configuration(named), metadata: open, token: own).idTokenClaims?.issuer, own)
        for (token, tid) in [(own, Self.other), (own, nil), (open, "{tenantid}")] as [(String, String?)] {
            await #expect(throws: OAuthError.issuerMismatch) {
                try await signIn(configuration(named), metadata: open, token: token, tid: tid)
            }
        }
    }

    @Test(arguments: [
        "https://id.example.com/contoso/v2.0", "https://login.microsoftonline.com/contoso/v1.0",
        "https://login.microsoftonline.com.evil.example/contoso/v2.0", "https://ciamlogin.com/contoso/v2.0",
        "https://login.microsoftonline.com/\(tenant)/v2.0",
    ])
    func `An issuer by another name is not accepted at any other server`(named: String) async throws {
        let stated = named.replacing("contoso", with: Self.tenant).replacing(
            Self.tenant + "/v2", with: Self.other + "/v2")
        await #expect(throws: OAuthError.issuerMismatch) {
            try await signIn(configuration(named), metadata: stated, token: stated)
        }
    }
}
