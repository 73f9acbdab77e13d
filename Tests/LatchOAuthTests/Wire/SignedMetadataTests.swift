// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchTesting
import TestSupport
import Testing

@Suite struct SignedMetadataTests {
    private let key: Key
    private let issuer: PublishedIssuer

    init() throws {
        key = try Key.generate(.es256)
        issuer = try PublishedIssuer()
    }

    /// Publishes signed members, and then lets somebody change those that are not signed.
    private func publish(
        _ claims: JSONObject, signedBy key: Key? = nil, at keysURL: String = "https://evil.example/keys"
    ) throws {
        var signed = Claims(claims)
        if signed["iss"] == nil { signed.issuer = "https://id.example.com" }
        let text = try JWT.sign(signed, with: key ?? self.key)
        issuer.publish { metadata in
            metadata["signed_metadata"] = .string(text)
            metadata["jwks_uri"] = .string(keysURL)
        }
    }

    private func verifier(_ keys: KeySet?) throws -> RemoteJWTVerifier {
        try RemoteJWTVerifier(
            issuer: issuer.url, audience: "https://api.example.com", metadataKeys: keys, transport: issuer,
            clock: issuer.clock.wallClock())
    }

    private static let good: JSONObject = [
        "issuer": "https://id.example.com", "jwks_uri": "https://id.example.com/signed-keys",
    ]

    @Test func `Signed metadata replaces what is not signed if the program names its keys`() async throws {
        try publish(Self.good)
        await #expect(throws: AuthError.keysUnavailable) {
            try await verifier(KeySet([key])).verify(issuer.token())
        }
        expectEqual(issuer.paths.last, "/signed-keys")
    }

    @Test func `Signed metadata is ignored unless the program names its keys`() async throws {
        try publish(Self.good, at: "https://id.example.com/keys")
        try await expectEqual(verifier(nil).verify(issuer.token()).subject, "ada")
    }

    @Test(
        arguments: [
            ["issuer": "https://evil.example"], ["jwks_uri": "https://id.example.com/keys"],
            ["issuer": "https://id.example.com", "exp": 1], ["issuer": "https://id.example.com", "aud": "somebody"],
            ["issuer": "https://id.example.com", "iss": .null],
        ] as [JSONObject])
    func `Signed metadata is refused if it is of another issuer, of the past, or another token`(claims: JSONObject)
        async throws
    {
        try publish(claims, at: "https://id.example.com/keys")
        await #expect(throws: AuthError.keysUnavailable) {
            try await verifier(KeySet([key])).verify(issuer.token())
        }
        #expect(issuer.paths.allSatisfy { $0.hasPrefix("/.well-known/") })
    }

    @Test func `Signed metadata that the program needs can be neither left out nor signed by another key`() async throws
    {
        await #expect(throws: AuthError.keysUnavailable) { try await verifier(KeySet([key])).verify(issuer.token()) }
        try publish(Self.good, signedBy: Key.generate(.es256))
        await #expect(throws: AuthError.keysUnavailable) { try await verifier(KeySet([key])).verify(issuer.token()) }
        #expect(issuer.paths.allSatisfy { $0.hasPrefix("/.well-known/") })
    }

    @Test func `Signed metadata also counts for a sign-in`() async throws {
        let provider = try ScriptedProvider()
        let signed = try JWT.sign(
            [
                "iss": "https://id.example.com", "issuer": "https://id.example.com",
                "token_endpoint": "https://id.example.com/token",
            ],
            with: key)
        provider.deviate { deviations in
            deviations.metadata = { metadata in
                metadata["signed_metadata"] = .string(signed)
                metadata["token_endpoint"] = "https://evil.example/token"
            }
        }
        let client = provider.client { $0.metadataKeys = KeySet([key]) }
        try await expectEqual(client.server().tokenEndpoint.absoluteString, "https://id.example.com/token")
    }
}
