// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import LatchJOSE
import TestVectors
import Testing

@Suite struct RememberedHeaderTests {
    /// A token of a header that is given as text, signed by any key.
    private func token(_ header: String, signedBy key: Key, subject: String = "u1") throws -> String {
        let claims: JSONValue = ["sub": .string(subject), "exp": 2_000]
        let content = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(claims.serialized())
        return content + "." + Base64URL.encode(try key.signature(for: Array(content.utf8)))
    }

    private func verifier(_ keys: [Key], _ algorithms: [SignatureAlgorithm]) -> JWTVerifier {
        JWTVerifier(keys: KeySet(keys), algorithms: algorithms, clock: .stopped(at: 1_000))
    }

    @Test func `A remembered header of one key serves no other of the same name and another algorithm`() throws {
        let curve = try Key.generate(.es256, id: "k1")
        let edwards = try Key.generate(.eddsa, id: "k1")
        let verifier = verifier([curve, edwards], [.es256, .eddsa])
        let (forCurve, forEdwards) = (#"{"alg":"ES256","kid":"k1"}"#, #"{"alg":"EdDSA","kid":"k1"}"#)
        for _ in 0..<3 {
            let right = try [token(forCurve, signedBy: curve), token(forEdwards, signedBy: edwards)]
            for text in right { try expectEqual(verifier.verify(text).subject, "u1") }
            let crossed = try [token(forCurve, signedBy: edwards), token(forEdwards, signedBy: curve)]
            for text in crossed { #expect(throws: JOSEError.badSignature) { try verifier.verify(text) } }
        }
    }

    @Test func `A remembered header of one verifier is unknown to every other`() throws {
        let (mine, theirs) = (try Key.generate(.hs256, id: "k1"), try Key.generate(.hs256, id: "k1"))
        let header = #"{"alg":"HS256","kid":"k1"}"#
        let (first, second) = (verifier([mine], [.hs256]), verifier([theirs], [.hs256]))
        let stricter = verifier([mine], [.es256])
        let (text, foreign) = (try token(header, signedBy: mine), try token(header, signedBy: theirs))
        for _ in 0..<3 {
            _ = try first.verify(text)
            _ = try second.verify(foreign)
            #expect(throws: JOSEError.badSignature) { try first.verify(foreign) }
            #expect(throws: JOSEError.badSignature) { try second.verify(text) }
            #expect(throws: JOSEError.refusedAlgorithm) { try stricter.verify(text) }
        }
    }

    @Test func `A remembered header is shared by the copies of a verifier, and is right for each`() throws {
        let key = try Key.generate(.hs256, id: "k1")
        let verifier = verifier([key], [.hs256])
        let copy = verifier
        let text = try token(#"{"alg":"HS256","kid":"k1"}"#, signedBy: key)
        try expectEqual(verifier.verify(text), copy.verify(text))
        try expectEqual(copy.verifiedToken(text).header, verifier.verifiedToken(text).header)
    }

    @Test func `A remembered header is not made of a token that was refused, however often it comes`() throws {
        let (key, stranger) = (try Key.generate(.hs256, id: "k1"), try Key.generate(.hs256, id: "k1"))
        let verifier = verifier([key], [.hs256])
        // A header of the stranger's own making: correct, with a member that no issuer writes.
        for number in 0..<40 {
            let header = #"{"alg":"HS256","kid":"k1","n":\#(number)}"#
            let forged = try token(header, signedBy: stranger)
            #expect(throws: JOSEError.badSignature) { try verifier.verify(forged) }
            let honest = try token(header, signedBy: key, subject: "u\(number)")
            let read = try verifier.verifiedToken(honest)
            expectEqual(read.header.members["n"], .integer(Int64(number)))
            expectEqual(read.claims.subject, "u\(number)")
            #expect(throws: JOSEError.badSignature) { try verifier.verify(forged) }
        }
    }

    @Test func `A remembered header is distinguished from an equivalent one in another spelling`() throws {
        let key = try Key.generate(.hs256, id: "k1")
        let verifier = verifier([key], [.hs256])
        let spellings = [
            #"{"alg":"HS256","kid":"k1"}"#, #"{"kid":"k1","alg":"HS256"}"#, #"{ "alg" : "HS256", "kid" : "k1" }"#,
            #"{"alg":"HS\u003256","kid":"k1"}"#, #"{"alg":"HS256","kid":"k1","typ":"JWT"}"#, #"{"alg":"HS256"}"#,
        ]
        for _ in 0..<2 {
            for header in spellings {
                let read = try verifier.verifiedToken(token(header, signedBy: key))
                expectEqual(read.header.algorithm, .hs256)
                try expectEqual(read.header.members, JSONValue(parsing: Array(header.utf8)).objectValue)
            }
        }
    }

    @Test func `A remembered header is refused for its critical members also after others were remembered`() throws {
        let key = try Key.generate(.hs256, id: "k1")
        let verifier = verifier([key], [.hs256])
        _ = try verifier.verify(token(#"{"alg":"HS256"}"#, signedBy: key))
        for header in [#"{"alg":"HS256","crit":["exp"]}"#, #"{"alg":"HS256","b64":true}"#] {
            let text = try token(header, signedBy: key)
            for _ in 0..<2 { #expect(throws: JOSEError.refusedExtension) { try verifier.verify(text) } }
        }
        let unknown = try token(#"{"alg":"HS256","kid":"k2"}"#, signedBy: key)
        for _ in 0..<2 { #expect(throws: JOSEError.unknownKey) { try verifier.verify(unknown) } }
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `A remembered header never changes an answer, in any order of tokens`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let keys = try (0..<6).map { try Key.generate(.hs256, id: "k\($0)") }
        let verifier = verifier(keys, [.hs256])
        for _ in 0..<300 {
            let named = Int.random(in: 0..<8, using: &numbers)
            let signer = Int.random(in: 0..<6, using: &numbers)
            let header = #"{"alg":"HS256","kid":"k\#(named)","v":\#(Int.random(in: 0..<4, using: &numbers))}"#
            let text = try token(header, signedBy: keys[signer])
            if named == signer {
                try expectEqual(verifier.verify(text).subject, "u1", "seed \(seed)")
            } else {
                let expected: JOSEError = named < 6 ? .badSignature : .unknownKey
                #expect(throws: expected, "seed \(seed)") { try verifier.verify(text) }
            }
        }
    }

    @Test func `A remembered header serves honest and forged tokens on many tasks at once`() async throws {
        let keys = try (0..<20).map { try Key.generate(.hs256, id: "k\($0)") }
        let stranger = try Key.generate(.hs256)
        let verifier = verifier(keys, [.hs256])
        let (believed, refused) = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<400 {
                group.addTask {
                    let header = #"{"alg":"HS256","kid":"k\#(number % 20)"}"#
                    let signer = number.isMultiple(of: 4) ? stranger : keys[number % 20]
                    do {
                        return try verifier.verify(token(header, signedBy: signer)).subject == "u1"
                    } catch JOSEError.badSignature {
                        return false
                    }
                }
            }
            return try await group.reduce(into: (0, 0)) { if $1 { $0.0 += 1 } else { $0.1 += 1 } }
        }
        #expect(believed == 300 && refused == 100)
    }
}
