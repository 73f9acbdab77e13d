// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchJOSE
import LatchServer
import LatchTesting
import Testing

/// The claims in which issuers other than Latchwork's state what a token may do.
@Suite struct ForeignScopesTests {
    /// A token's claims, and the claim that the guard reads; nil for the usual ones.
    struct Sample: Sendable, CustomTestStringConvertible {
        let issuer: String
        let members: JSONObject
        var claim: [String]?

        var testDescription: String { issuer }
    }

    private static let list: JSONValue = ["profile", "notes:read"]

    private func response(
        _ members: JSONObject?, from claim: [String]?, requiring scopes: Scopes = ["notes:read"]
    ) async throws -> HTTPResponse {
        let api = try GuardedResource()
        let guarding = AccessTokenInterceptor(
            api.verifier, requiring: scopes, in: ScopeHierarchy(levels: []), from: claim, of: api.resource,
            clock: api.clock.wallClock())
        let token = try members.map { members in
            try "Bearer " + api.token { claims in members.forEach { claims[$0.key] = $0.value } }
        }
        return try await api.router([guarding]).respond(to: api.request(token))
    }

    @Test(arguments: [
        Sample(issuer: "RFC 9068", members: ["scope": "profile notes:read"]),
        Sample(issuer: "Microsoft Entra, AD FS", members: ["scp": "profile notes:read"]),
        Sample(issuer: "Okta", members: ["scp": list]),
        Sample(issuer: "Duende, ForgeRock", members: ["scope": list]),
        Sample(issuer: "unset scope", members: ["scope": .null, "scp": list]),
        Sample(issuer: "Auth0", members: ["scope": "profile", "permissions": list], claim: ["permissions"]),
        Sample(issuer: "Microsoft Entra, an app", members: ["roles": list], claim: ["roles"]),
        Sample(issuer: "Keycloak", members: ["realm_access": ["roles": list]], claim: ["realm_access", "roles"]),
        Sample(
            issuer: "a claim that is a URL", members: ["https://notes.example.com/roles": list],
            claim: ["https://notes.example.com/roles"]),
    ])
    func `The scopes of a foreign token are found in each issuer's claim`(sample: Sample) async throws {
        try await expectEqual(response(sample.members, from: sample.claim).status, .ok)
        try await expectEqual(
            response(sample.members, from: sample.claim, requiring: ["notes:write"]).status, .forbidden)
    }

    @Test(
        arguments: [
            ["scope": "profile", "scp": "notes:read"], ["scope": 1], ["scope": [["notes:read"]]],
            ["roles": "notes:read"],
            ["scope": ["notes:read": true]], [:],
        ] as [JSONObject])
    func `The scopes of a foreign token are not taken from another claim or shape`(members: JSONObject) async throws {
        try await expectEqual(response(members, from: nil).status, .forbidden)
    }

    @Test func `The scopes of a foreign token are named only to a client that can request them`() async throws {
        let scopes = try await response(["sub": "ada"], from: nil)
        expectEqual(scopes.challenges().first?["scope"], "notes:read")
        expectEqual(scopes.challenges().first?["error_description"]?.hasSuffix("the token states no scopes."), true)
        let roles = try await response(["roles": ["x"]], from: ["realm_access", "roles"])
        let challenge = try #require(roles.challenges().first)
        #expect(challenge["error"] == "insufficient_scope" && challenge["scope"] == nil)
        expectEqual(challenge["error_description"]?.contains("'notes:read' in the claim 'realm_access.roles'"), true)
        try await expectNil(response(nil, from: ["roles"]).challenges().first?["scope"])
    }
}
