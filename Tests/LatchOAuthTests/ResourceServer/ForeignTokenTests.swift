// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchTesting
import Testing

/// Access tokens in the shape that each issuer documents, at a guard that knows only the issuer.
@Suite struct ForeignTokenTests {
    /// A token, and what a guard needs to accept it.
    struct Sample: Sendable, CustomTestStringConvertible {
        let name: String
        let issuer: String
        var audience: String?
        var clients: [String] = []
        var type: String? = "JWT"
        let claims: JSONObject
        /// The scope or role that the token has.
        let has: Scope
        var claim: [String]?

        var testDescription: String { name }

        func verifier(_ published: PublishedIssuer) throws -> RemoteJWTVerifier {
            guard let audience else {
                return try RemoteJWTVerifier(
                    issuer: published.url, acceptingTokensWithoutAudienceOfClients: clients, transport: published,
                    clock: published.clock.wallClock())
            }
            return try published.verifier(for: audience)
        }
    }

    private static let tenant = "9188040d-6c67-4c5b-b112-36a304b66dad"
    private static let entra = "https://login.microsoftonline.com/\(tenant)/v2.0"
    private static let application = "6e74172b-be56-4843-9ff4-e66a39bb12e3"
    private static let cognito = "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Notes"

    private static let keycloakClaims: JSONObject = [
        "aud": ["notes-api", "account"], "typ": "Bearer", "azp": "notes-app", "sid": "s", "acr": "1",
        "allowed-origins": ["https://notes.example.com"],
        "realm_access": ["roles": ["offline_access", "editor"]],
        "resource_access": ["notes-api": ["roles": ["notes-reader"]]],
        "scope": "openid profile notes:read", "email_verified": true, "preferred_username": "ada",
    ]

    private static let auth0Claims: JSONObject = [
        "aud": ["https://api.example.com", "https://notes.eu.auth0.com/userinfo"], "azp": "notes-app",
        "sub": "auth0|5f7c8ec7c33c6c004bbafe82", "scope": "openid profile notes:read",
        "permissions": ["notes:read", "notes:delete"],
    ]

    private static let samples: [Sample] = [
        Sample(
            name: "RFC 9068", issuer: "https://id.example.com", audience: "https://api.example.com", type: "at+jwt",
            claims: ["client_id": "notes", "jti": "1", "scope": "openid notes:read"], has: "notes:read"),
        Sample(
            name: "Keycloak, scopes", issuer: "https://sso.example.com/realms/notes", audience: "notes-api",
            claims: keycloakClaims, has: "notes:read"),
        Sample(
            name: "Keycloak, roles of the realm", issuer: "https://sso.example.com/realms/notes",
            audience: "notes-api", claims: keycloakClaims, has: "editor", claim: ["realm_access", "roles"]),
        Sample(
            name: "Keycloak, roles of a client", issuer: "https://sso.example.com/realms/notes",
            audience: "notes-api", claims: keycloakClaims, has: "notes-reader",
            claim: ["resource_access", "notes-api", "roles"]),
        Sample(
            name: "Auth0, scopes", issuer: "https://notes.eu.auth0.com/", audience: "https://api.example.com",
            claims: auth0Claims, has: "notes:read"),
        Sample(
            name: "Auth0, permissions", issuer: "https://notes.eu.auth0.com/", audience: "https://api.example.com",
            claims: auth0Claims, has: "notes:delete", claim: ["permissions"]),
        Sample(
            name: "Microsoft Entra, a user", issuer: entra, audience: application,
            claims: [
                "aud": .string(application), "azp": "11111111-2222-3333-4444-555555555555", "azpacr": "0",
                "name": "Ada", "oid": "o", "preferred_username": "ada@example.com", "rh": "r", "ver": "2.0",
                "scp": "Notes.Read Notes.Write", "tid": .string(tenant), "uti": "u", "roles": ["Notes.Editor"],
            ], has: "Notes.Write"),
        Sample(
            name: "Microsoft Entra, an app", issuer: entra, audience: application,
            claims: [
                "aud": .string(application), "azp": "11111111-2222-3333-4444-555555555555", "azpacr": "1",
                "idtyp": "app", "oid": "o", "roles": ["Notes.Read.All"], "tid": .string(tenant), "ver": "2.0",
            ], has: "Notes.Read.All", claim: ["roles"]),
        Sample(
            name: "Amazon Cognito, scopes", issuer: cognito, clients: ["notes-app"], type: nil,
            claims: [
                "aud": .null, "client_id": "notes-app", "token_use": "access", "scope": "openid notes/read",
                "cognito:groups": ["editors"], "version": 2, "username": "ada", "origin_jti": "o", "jti": "j",
            ], has: "notes/read"),
        Sample(
            name: "Amazon Cognito, groups", issuer: cognito, clients: ["notes-app"], type: nil,
            claims: [
                "aud": .null, "client_id": "notes-app", "token_use": "access", "cognito:groups": ["editors"],
                "scope": "aws.cognito.signin.user.admin",
            ], has: "editors", claim: ["cognito:groups"]),
        Sample(
            name: "Okta", issuer: "https://notes.okta.com/oauth2/default", audience: "api://default", type: nil,
            claims: [
                "aud": "api://default", "ver": 1, "jti": "AT.1", "cid": "0oa", "uid": "00u",
                "scp": ["openid", "notes:read"], "sub": "ada@example.com",
            ], has: "notes:read"),
        // Keycloak without a mapper of the audience.
        Sample(
            name: "no audience, a client in azp", issuer: "https://sso.example.com/realms/notes",
            clients: ["notes-app"],
            claims: ["aud": .null, "typ": "Bearer", "azp": "notes-app", "scope": "notes:read"], has: "notes:read"),
    ]

    @Test(arguments: samples)
    func `A token of a foreign issuer is accepted with what its issuer documents, and no more`(sample: Sample)
        async throws
    {
        let issuer = try PublishedIssuer(sample.issuer, algorithm: .es256)
        let token = try issuer.token(sample.claims, type: sample.type)
        let verifier = try sample.verifier(issuer)
        func status(_ scope: Scope) async throws -> HTTPStatus {
            try await issuer.status(of: token, verifier, requiring: [scope], from: sample.claim)
        }
        try await expectEqual(status(sample.has), .ok)
        try await expectEqual(status("other"), .forbidden)
        // Another API of the same issuer.
        let other = try issuer.verifier(for: "https://other.example.com")
        try await expectEqual(issuer.status(of: token, other), .unauthorized)
    }

    @Test(
        arguments: [
            ["client_id": "other", "token_use": "access"], ["token_use": "access"],
            ["client_id": "notes-app", "token_use": "id"],
            ["client_id": "notes-app", "token_use": "access", "aud": "https://api.example.com"],
            ["client_id": "notes-app", "at_hash": "h"], ["azp": "notes-app"],
        ] as [JSONObject])
    func `A token of a foreign issuer without an audience is accepted only from the named clients`(claims: JSONObject)
        async throws
    {
        let issuer = try PublishedIssuer(Self.cognito)
        var claims = claims
        claims["aud"] = claims["aud"] ?? .null
        func verifier(_ clients: [String]) throws -> RemoteJWTVerifier {
            try RemoteJWTVerifier(
                issuer: issuer.url, acceptingTokensWithoutAudienceOfClients: clients, transport: issuer,
                clock: issuer.clock.wallClock())
        }
        let token = try issuer.token(claims, type: nil)
        try await expectEqual(issuer.status(of: token, verifier(["notes-app"])), .unauthorized)
        let good = try issuer.token(["client_id": "notes-app", "token_use": "access", "aud": .null], type: nil)
        try await expectEqual(issuer.status(of: good, verifier(["notes-app"])), .ok)
        try await expectEqual(issuer.status(of: good, verifier([])), .unauthorized)
    }

    @Test(
        arguments: [
            ["nonce": "n", "preferred_username": "ada"], ["azp": "https://api.example.com"], ["at_hash": "h"],
            ["typ": "ID", "azp": "notes-app"], ["token_use": "id"], [:],
        ] as [JSONObject])
    func `A token of a foreign issuer is refused if it may be an ID token`(claims: JSONObject) async throws {
        let issuer = try PublishedIssuer()
        let token = try issuer.token(claims, type: "JWT")
        try await expectEqual(issuer.status(of: token, issuer.verifier()), .unauthorized)
    }
}
