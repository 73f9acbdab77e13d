// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchJOSE
import LatchTesting
import Synchronization
import TestTags
import Testing

@Suite struct KeyRotationTests {
    private let key: Key
    private let next: Key

    init() throws {
        key = try Key.generate(.eddsa, id: "k1")
        next = try Key.generate(.es256, id: "k2")
    }

    @Test(.tags(.keyRotation))
    func `An unknown key is fetched when the issuer signs with it, and the old one stays while published`()
        async throws
    {
        try await PublishedKeys.serve([key]) { issuer in
            let verifier = try issuer.verifier()
            let (old, new) = (try issuer.token(key), try issuer.token(next))
            _ = try await verifier.verify(old)
            issuer.clock.advance(by: .seconds(30))
            issuer.publish([key, next])
            try await expectEqual(verifier.verify(new).subject, "u1")
            try await expectEqual(verifier.verify(old).subject, "u1")
            expectEqual(issuer.count, 2)
            issuer.publish([next])
            issuer.clock.advance(by: .seconds(600))
            try await expectEqual(verifier.verify(new).subject, "u1")
            await #expect(throws: JOSEError.unknownKey) { try await verifier.verify(old) }
            expectEqual(issuer.count, 3)
        }
    }

    @Test(.tags(.keyRotation))
    func `An unknown key with the ID of an old one, as of a restored issuer, is fetched too`() async throws {
        let restored = try Key.generate(.eddsa, id: "k1")
        try await PublishedKeys.serve([key]) { issuer in
            let verifier = try issuer.verifier()
            _ = try await verifier.verify(issuer.token(key))
            issuer.clock.advance(by: .seconds(30))
            issuer.publish([restored])
            try await expectEqual(verifier.verify(issuer.token(restored)).subject, "u1")
            // A forged signature costs one request within the interval as well.
            for _ in 0..<20 {
                await #expect(throws: JOSEError.badSignature) { try await verifier.verify(issuer.token(key)) }
            }
            expectEqual(issuer.count, 2)
        }
    }

    @Test func `An unknown key does not make a forged signature an outage`() async throws {
        try await PublishedKeys.serve([key]) { issuer in
            let verifier = try issuer.verifier()
            _ = try await verifier.verify(issuer.token(key))
            let forged = try issuer.token(Key.generate(.eddsa), id: "k1")
            issuer.clock.advance(by: .seconds(30))
            issuer.state.withLock { $0.answer = { _ in HTTPResponse(status: .internalServerError) } }
            await #expect(throws: JOSEError.badSignature) { try await verifier.verify(forged) }
            issuer.clock.advance(by: .seconds(31))
            await #expect(throws: AuthError.keysUnavailable) { try await verifier.verify(issuer.token(next)) }
        }
    }

    @Test(.tags(.keyRotation))
    func `An unknown key that was published before it signs is never requested`() async throws {
        try await PublishedKeys.serve([key, next]) { issuer in
            let verifier = try issuer.verifier()
            for key in [key, next, key, next] { _ = try await verifier.verify(issuer.token(key)) }
            expectEqual(issuer.count, 1)
        }
    }

    @Test(.tags(.keyRotation))
    func `An unknown key has the issuer asked once per interval, for any number of tokens and keys`()
        async throws
    {
        try await PublishedKeys.serve([key]) { issuer in
            let verifier = try issuer.verifier()
            let (good, stranger) = (try issuer.token(key), try Key.generate(.eddsa))
            let flood = try (0..<300).map { try issuer.token(stranger, id: "unknown-\($0)") }
            _ = try await verifier.verify(good)
            for round in 0..<3 {
                // Each round falls into an interval of its own, and so it costs one request; honest tokens pass meanwhile.
                issuer.clock.advance(by: .seconds(30))
                let refused = await Self.refused(flood, by: verifier)
                expectEqual(refused, flood.count)
                try await expectEqual(verifier.verify(good).subject, "u1")
                expectEqual(issuer.count, 2 + round)
            }
        }
    }

    /// The number of tokens that are refused because their key is unknown.
    private static func refused(_ texts: [String], by verifier: RemoteJWTVerifier) async -> Int {
        await withTaskGroup(of: Bool.self) { group in
            for text in texts { group.addTask { await isUnknown(text, to: verifier) } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }

    private static func isUnknown(_ text: String, to verifier: RemoteJWTVerifier) async -> Bool {
        do {
            _ = try await verifier.verify(text)
            return false
        } catch {
            return error as? JOSEError == .unknownKey
        }
    }

    @Test(.tags(.keyRotation))
    func `An unknown key costs nothing within the interval after the first fetch`() async throws {
        try await PublishedKeys.serve([key]) { issuer in
            let verifier = try issuer.verifier()
            let text = try issuer.token(Key.generate(.eddsa, id: "x"))
            for _ in 0..<3 { await #expect(throws: JOSEError.unknownKey) { try await verifier.verify(text) } }
            expectEqual(issuer.count, 1)
        }
    }

    @Test func `An unknown key is found by its signature for tokens that name none`() async throws {
        let (old, new) = (try unnamed(), try unnamed())
        try await PublishedKeys.serve([old]) { issuer in
            let verifier = try issuer.verifier()
            _ = try await verifier.verify(issuer.token(old))
            issuer.clock.advance(by: .seconds(30))
            issuer.publish([old, new])
            try await expectEqual(verifier.verify(issuer.token(new)).subject, "u1")
            expectEqual(issuer.count, 2)
            let stranger = try issuer.token(unnamed())
            for _ in 0..<3 { await #expect(throws: JOSEError.badSignature) { try await verifier.verify(stranger) } }
            expectEqual(issuer.count, 2)
        }
    }

    /// A key without a name.
    private func unnamed() throws -> Key {
        var jwk = try Key.generate(.eddsa).jwkWithSecretsForStorage()
        jwk["kid"] = nil
        return try Key(jwk: jwk)
    }

    @Test func `An unknown key does not cause a fetch for a token that is wrong in another way`() async throws {
        try await PublishedKeys.serve([key]) { issuer in
            let verifier = try issuer.verifier()
            let good = try issuer.token(key)
            _ = try await verifier.verify(good)
            issuer.clock.advance(by: .seconds(30))
            let expired = try JWT.sign(["iss": "us", "exp": 1], with: key)
            let foreign = try JWT.sign(["iss": "them", "exp": 9_000_000_000], with: key)
            let refused = try issuer.token(Key.generate(.hs256), id: "x")
            for (text, error) in [
                (expired, JOSEError.expired), (foreign, .wrongIssuer),
                (refused, .refusedAlgorithm), ("x.y.z", .malformedToken("")), ("", .malformedToken("")),
            ] {
                await #expect { try await verifier.verify(text) } throws: { ($0 as? JOSEError)?.code == error.code }
            }
            expectEqual(issuer.count, 1)
        }
    }

    @Test(.tags(.tokenForgery)) func `An unknown key is never fetched from an address in a token`() async throws {
        let evil = try Key.generate(.eddsa, id: "evil")
        try await PublishedKeys.serve([evil]) { attacker in
            let place = attacker.url.absoluteString
            try await PublishedKeys.serve([key]) { issuer in
                let verifier = try issuer.verifier()
                let claims = JSONValue.object(["iss": "us", "exp": 9_000_000_000]).serialized()
                for header: JSONObject in [
                    ["jku": .string(place)], ["x5u": .string(place)], ["jwk": .object(evil.jwk)],
                    ["iss": .string(place)],
                ] {
                    let text = try JWS.sign(claims, with: evil, header: header)
                    await #expect(throws: JOSEError.unknownKey) { try await verifier.verify(text) }
                }
            }
            expectEqual(attacker.count, 0)
        }
    }
}
