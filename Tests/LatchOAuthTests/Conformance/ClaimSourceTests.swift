// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchTesting
import Synchronization
import TestSupport
import TestTags
import Testing

/// The modules of the conformance suite about claims that other parties have, as in `RelyingPartyTests`.
@Suite struct ClaimSourceTests {
    private static let endpoint = "https://claims.example.com/credit"

    /// Returns the client of a provider whose response about the user names a source, and the source.
    private func source(
        _ provider: ScriptedProvider, names: [String] = ["credit_score"], _ members: JSONObject
    ) async throws -> (AuthorizationClient, ClaimSource) {
        let client = provider.client()
        let tokens = try await client.finish(provider.approve(try await client.begin())).tokens
        provider.deviate { deviations in
            deviations.userInfo = { response in
                var attributed: JSONObject = ["other": "nowhere"]
                for name in names { attributed[name] = "src1" }
                response["_claim_names"] = .object(attributed)
                response["_claim_sources"] = ["src1": .object(members), "unnamed": ["JWT": "e30.e30."]]
            }
        }
        let sources = try await client.userInfo(of: tokens).sources
        expectEqual(sources.count, 1)
        return (client, try #require(sources.first))
    }

    private func serve(_ provider: ScriptedProvider, _ response: @escaping @Sendable () -> HTTPResponse) {
        provider.deviate { $0.response = { $0.pathWithoutQuery == "/credit" ? response() : nil } }
    }

    @Test func `A relying party (distributed-claims) requests claims with the token of their source`() async throws {
        let provider = try ScriptedProvider()
        let token = try JWT.sign(["credit_score": 650], with: provider.key)
        serve(provider) {
            HTTPResponse(status: .ok, fields: [.contentType: "application/jwt"], body: HTTPBody(token))
        }
        let (client, source) = try await source(
            provider, ["endpoint": .string(Self.endpoint), "access_token": "ksj3n283dke"])
        // The URL is another party's choice: the program decides whether it is requested.
        #expect(provider.requests(to: "/credit").isEmpty)
        expectEqual(source.endpoint?.absoluteString, Self.endpoint)
        let claims = try await client.claims(of: source)
        expectEqual(claims.members, ["credit_score": 650])
        let request = try #require(provider.requests(to: "/credit").first)
        expectEqual(request.fields[.authorization], "Bearer ksj3n283dke")
        #expect(request.query == nil && request.fields[.cookie] == nil)
    }

    @Test func `A relying party (aggregated-claims) reads claims that the server has signed`() async throws {
        let provider = try ScriptedProvider()
        var signed: Claims = [
            "credit_score": 650, "sub": "ada", "email_verified": true, "name": "Eve", "acr": "high",
            "phone_number": "+1", "phone_number_verified": true,
        ]
        signed.issuer = ScriptedProvider.issuer.absoluteString
        let names = ["credit_score", "sub", "acr", "email_verified", "phone_number", "phone_number_verified"]
        let (client, source) = try await source(
            provider, names: names, ["JWT": .string(try JWT.sign(signed, with: provider.key))])
        let claims = try await client.claims(of: source)
        // No registered claims, no statement about the address of another source, and nothing that was not attributed.
        expectEqual(claims.members.keys.sorted(), ["credit_score", "phone_number", "phone_number_verified"])
    }

    @Test(.tags(.tokenForgery))
    func `A relying party (aggregated-claims) refuses unsigned claims, and those of unknown keys`() async throws {
        let provider = try ScriptedProvider()
        let header = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))
        let unsigned = "\(header).\(Base64URL.encode(Array(#"{"credit_score":650}"#.utf8)))."
        let forged = try JWT.sign(["credit_score": 650], with: try Key.generate(.es256))
        for token in [unsigned, forged, "", "a.b.c"] {
            let (client, source) = try await source(provider, ["JWT": .string(token)])
            await #expect(throws: OAuthError.invalidUserInfo) { try await client.claims(of: source) }
        }
    }

    @Test(.tags(.tokenForgery)) func `Claims of another issuer need its verifier`() async throws {
        let provider = try ScriptedProvider()
        let key = try Key.generate(.es256)
        var signed: Claims = ["credit_score": 650, "sub": "other-name-of-ada"]
        signed.issuer = "https://bank.example"
        let (client, source) = try await source(provider, ["JWT": .string(try JWT.sign(signed, with: key))])
        await #expect(throws: OAuthError.invalidUserInfo) { try await client.claims(of: source) }
        let verifier = JWTVerifier(
            keys: KeySet([key]), algorithms: [.es256], issuer: "https://bank.example", requiresExpiry: false,
            clock: provider.clock.wallClock())
        await #expect(throws: OAuthError.invalidUserInfo) {
            try await client.claims(of: source, verifiedBy: ["https://bank.example/": verifier])
        }
        let claims = try await client.claims(of: source, verifiedBy: ["https://bank.example": verifier])
        expectEqual(claims.members, ["credit_score": 650])
        // The server's own key does not make it another issuer.
        let (again, own) = try await self.source(
            provider, ["JWT": .string(try JWT.sign(signed, with: provider.key))])
        await #expect(throws: OAuthError.issuerMismatch) { try await again.claims(of: own) }
    }

    @Test(.tags(.tokenForgery)) func `Other tokens of the server are not a source's claims`() async throws {
        let provider = try ScriptedProvider()
        var stranger: Claims = ["credit_score": 650, "sub": "eve"]
        var other: Claims = ["credit_score": 650]
        other.audience = ["other"]
        stranger.audience = ["notes"]
        for token in [
            try JWT.sign(stranger, with: provider.key), try JWT.sign(other, with: provider.key),
            try JWT.sign(["credit_score": 650], with: provider.key, type: "at+jwt"),
        ] {
            let (client, source) = try await source(provider, ["JWT": .string(token)])
            await #expect(throws: OAuthError.invalidUserInfo) { try await client.claims(of: source) }
        }
    }

    @Test(
        .tags(.serverSideRequest),
        arguments: [
            "http://claims.example.com/credit", "https://127.0.0.1/credit", "https://localhost:8443/credit",
            "http://[::1]/credit",
        ])
    func `No claims are requested without encryption, or at this machine for a server elsewhere`(url: String)
        async throws
    {
        let provider = try ScriptedProvider()
        let (client, source) = try await source(provider, ["endpoint": .string(url), "access_token": "secret"])
        await #expect(throws: HTTPError.insecureURL) { try await client.claims(of: source) }
        #expect(provider.requests(to: "/credit").isEmpty)
    }

    @Test(.tags(.serverSideRequest)) func `A request for claims follows no redirect`() async throws {
        let provider = try ScriptedProvider()
        serve(provider) {
            HTTPResponse(status: 302, fields: [.location: "https://evil.example/elsewhere"])
        }
        let (client, source) = try await source(
            provider, ["endpoint": .string(Self.endpoint), "access_token": "secret"])
        await #expect(throws: OAuthError.self) { try await client.claims(of: source) }
        #expect(provider.requests(to: "/elsewhere").isEmpty)
    }

    @Test func `At most eight sources are read, and their tokens appear in no description`() throws {
        var claims = Claims()
        var (names, sources) = (JSONObject(), JSONObject())
        for number in 0..<20 {
            names["claim\(number)"] = .string("s\(number)")
            sources["s\(number)"] = ["endpoint": "https://claims.example.com/x", "access_token": "secret"]
        }
        claims["_claim_names"] = .object(names)
        claims["_claim_sources"] = .object(sources)
        expectEqual(claims.sources.count, 8)
        var dumped = ""
        dump(claims.sources[0], to: &dumped)
        #expect(!"\(claims.sources)\(dumped)".contains("secret"))
        expectEqual("\(claims.sources[0])", "ClaimSource(claim0, claims.example.com)")
    }

    @Test(arguments: [
        #"{"_claim_names":1,"_claim_sources":[]}"#, #"{"_claim_names":{"a":"s"}}"#,
        #"{"_claim_names":{"a":"s"},"_claim_sources":{"s":"x"}}"#,
        #"{"_claim_names":{"a":"s"},"_claim_sources":{"s":{"JWT":1}}}"#,
        #"{"_claim_names":{"a":["s"]},"_claim_sources":{"s":{"JWT":"x"}}}"#,
    ])
    func `Malformed sources count as missing`(text: String) throws {
        #expect(Claims(try JSONValue(parsing: text).objectValue ?? [:]).sources.isEmpty)
    }
}
