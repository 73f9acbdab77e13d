// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchCrypto
import LatchHTTP
import LatchJOSE
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct IDTokenAlgorithmTests {
    /// A site whose client gets ID tokens of an algorithm.
    private func site(_ algorithm: SignatureAlgorithm, in folder: TemporaryFolder? = nil) async throws -> Site {
        try await Site.authorizing(in: folder) { $0.clients[0].idTokenAlgorithm = algorithm }
    }

    /// Signs in, and returns the ID token and the access token.
    private func tokens(of site: Site) async throws -> (id: String, access: String) {
        let app = SignInApp()
        let response = try await site.exchange(try await site.code(app), app)
        return (response.string("id_token"), response.accessToken)
    }

    private func keys(of site: Site) async throws -> KeySet {
        try KeySet(jwks: Array(try await site.get("/.well-known/jwks.json").text.utf8))
    }

    @Test(arguments: SignatureAlgorithm.ofSigningKeys)
    func `An ID token has the algorithm of its client, and a hash of the access token by it`(
        algorithm: SignatureAlgorithm
    ) async throws {
        let site = try await site(algorithm)
        let (token, access) = try await tokens(of: site)
        let verifier = JWTVerifier(
            keys: try await keys(of: site), algorithms: [algorithm], issuer: site.origin.description, audience: "notes",
            clock: site.clock.wallClock())
        let claims = try verifier.verify(token)
        let bytes = Array(access.utf8)
        let half =
            algorithm == .eddsa
            ? Array(SHA512.hash(data: bytes).prefix(32)) : Array(SHA256.hash(data: bytes).prefix(16))
        expectEqual(claims.string("at_hash"), Base64URL.encode(half))
        // Access tokens do not follow the client.
        try expectEqual(JWT(unverified: access).header.algorithm, .es256)
        #expect(try await site.accepts(access))
        let metadata = try await site.get("/.well-known/openid-configuration").json
        expectEqual(
            metadata["id_token_signing_alg_values_supported"]?.arrayValue?.contains(.string(algorithm.rawValue)), true)
        await site.close()
    }

    /// RFC 9068 §2.1.
    @Test(arguments: SignatureAlgorithm.ofSigningKeys)
    func `An access token has the algorithm of the settings`(algorithm: SignatureAlgorithm) async throws {
        let site = try await Site.authorizing { $0.accessTokenAlgorithm = algorithm }
        let (_, access) = try await tokens(of: site)
        let token = try JWT(unverified: access)
        #expect(token.header.algorithm == algorithm && token.header.type == "at+jwt")
        _ = try JWS(verifying: access, keys: try await keys(of: site), algorithms: [algorithm])
        #expect(try await site.accepts(access))
        await site.close()
    }

    @Test(.tags(.keyRotation))
    func `An access token gets another algorithm once its key was published for ten minutes`() async throws {
        let folder = try TemporaryFolder()
        let first = try await site(.es256, in: folder)
        try await first.signUp()
        await first.close()
        let second = try await Site.authorizing(in: folder) { $0.accessTokenAlgorithm = .eddsa }
        try await expectEqual(second.identity.signingKeys.list().map(\.state), [.published, .signing])
        try await expectEqual(keys(of: second).keys.count, 2)
        try await expectEqual(JWT(unverified: tokens(of: second).access).header.algorithm, .es256)
        second.clock.advance(by: 600)
        try await expectEqual(JWT(unverified: tokens(of: second).access).header.algorithm, .eddsa)
        try await expectEqual(second.identity.signingKeys.list().map(\.state), [.signing, .signing])
        await second.close()
    }

    @Test func `An ID token is signed with RS256 where a client does not say, and its key stays`() async throws {
        expectEqual(OAuthClient(id: "app").idTokenAlgorithm, .rs256)
        let folder = try TemporaryFolder()
        let first = try await site(.rs256, in: folder)
        try await first.signUp()
        let key = try JWT(unverified: try await tokens(of: first).id).header.keyID
        await first.close()
        let second = try await site(.rs256, in: folder)
        try expectEqual(JWT(unverified: try await tokens(of: second).id).header.keyID, key)
        try await expectEqual(second.identity.signingKeys.list().count, 2)
        await second.close()
    }

    @Test func `An ID token gets a key when the first client needs it, on a reload`() async throws {
        let site = try await Site.authorizing()
        try await expectEqual(keys(of: site).keys.map(\.algorithm), [.es256])
        var configuration = site.identity.services.configuration
        configuration.clients[0].idTokenAlgorithm = .eddsa
        let next = try await site.identity.reconfigured(configuration)
        try await expectEqual(next.signingKeys.algorithms, [.es256, .eddsa])
        await site.close()
    }

    @Test(.tags(.keyRotation))
    func `An ID token's key rotates beside the others, and verifies until its successor's time`() async throws {
        let site = try await site(.eddsa)
        let old = try JWT(unverified: try await tokens(of: site).id).header.keyID
        let id = try #require(try await site.identity.signingKeys.rotate(.eddsa))
        try await expectEqual(
            site.identity.signingKeys.list().filter { $0.algorithm == .es256 }.map(\.state), [.signing])
        try expectEqual(JWT(unverified: try await tokens(of: site).id).header.keyID, old)
        site.clock.advance(by: 600)
        try expectEqual(JWT(unverified: try await tokens(of: site).id).header.keyID, id)
        let states = try await site.identity.signingKeys.list().filter { $0.algorithm == .eddsa }.map(\.state)
        expectEqual(states, [.signing, .verifying])
        await site.close()
    }

    @Test func `An ID token of any algorithm is a hint for its client only`() async throws {
        let site = try await site(.eddsa)
        let token = try await tokens(of: site).id
        var agent = UserAgent(site)
        let response = try await agent.authorize(SignInApp(), ["id_token_hint": token])
        #expect(response.parameters["code"] != nil)
        let foreign = SignInApp(clientID: "foreign", redirect: "https://foreign.example/back")
        let refused = try await agent.get(foreign.path(["id_token_hint": token]))
        expectEqual(refused.parameters["error"], "invalid_request")
        await site.close()
    }

    @Test(arguments: ["none", "HS256", "rs256", "ES384", ""])
    func `An ID token has no algorithm that the server has no keys for`(name: String) {
        expectNil(OAuthClient(word: "app;id_token_signed_response_alg=\(name)"))
    }
}
