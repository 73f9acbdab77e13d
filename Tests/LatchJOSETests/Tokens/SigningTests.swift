// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import LatchFoundation
import LatchJOSE
import TestTags
import Testing

@Suite struct SigningTests {
    private let clock = WallClock(now: { Date(timeIntervalSince1970: 1_000) }, sleep: { _ in })

    @Test(arguments: [
        SignatureAlgorithm.es256, .es384, .es512, .eddsa, .rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .hs256,
        .hs384,
        .hs512,
    ])
    func `A signed token is accepted when its own key verifies it, with every algorithm`(algorithm: SignatureAlgorithm)
        throws
    {
        let key = try Key.generate(algorithm)
        let claims: Claims = ["sub": "u1", "exp": 2_000]
        let text = try JWT.sign(claims, with: key)
        let verifying = key.publicKey ?? key
        let verifier = JWTVerifier(keys: KeySet([verifying]), algorithms: [algorithm], clock: clock)
        try expectEqual(verifier.verify(text), claims)
        let token = try verifier.verifiedToken(text)
        expectEqual(token.header.algorithm, algorithm)
        expectEqual(token.header.keyID, key.id)
        expectEqual(token.header.type, "JWT")
        let other = JWTVerifier(
            keys: KeySet([try Key.generate(algorithm, id: key.id)]), algorithms: [algorithm], clock: clock)
        #expect(throws: JOSEError.badSignature) { try other.verify(text) }
    }

    @Test func `A signed token is refused after any character of it was changed`() throws {
        let key = try Key.generate(.hs256)
        let verifier = JWTVerifier(keys: KeySet([key]), algorithms: [.hs256], clock: clock)
        let text = try JWT.sign(["sub": "u1", "exp": 2_000], with: key)
        _ = try verifier.verify(text)
        for place in text.indices {
            for replacement: Character in ["A", "z", "-", ".", "=", " ", "é"] where text[place] != replacement {
                var changed = text
                changed.replaceSubrange(place...place, with: [replacement])
                #expect(throws: JOSEError.self) { try verifier.verify(changed) }
            }
        }
    }

    @Test func `A signed token cannot be made with a key that only verifies`() throws {
        let key = try #require(try Key.generate(.es256).publicKey)
        #expect { try JWT.sign([:], with: key) } throws: { JOSEError.unsuitableKey ~= $0 }
    }

    @Test(.tags(.tokenUniqueness)) func `A signed token made twice in one second differs if its ID does`() throws {
        let key = try Key.generate(.hs256)
        func token() throws -> String {
            try JWT.sign(["iat": 1, "jti": .string(Base64URL.encode(SecureRandom.bytes(16)))], with: key)
        }
        try expectNotEqual(token(), token())
    }

    @Test func `A signed token is verified by many tasks at once with one verifier`() async throws {
        let key = try Key.generate(.es256)
        let verifier = JWTVerifier(keys: KeySet([key]), algorithms: [.es256], clock: clock)
        let subjects = try await withThrowingTaskGroup(of: String?.self) { group in
            for number in 0..<200 {
                group.addTask {
                    try verifier.verify(JWT.sign(["sub": .string("u\(number)"), "exp": 2_000], with: key)).subject
                }
            }
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        expectEqual(subjects.count, 200)
    }
}
