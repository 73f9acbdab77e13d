// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import Testing

/// A way to sign, with a key that is its own, without the types.
private struct Signer: Sendable, CustomTestStringConvertible {
    let name: String
    /// Whether the same text gives the same signature again.
    let isDeterministic: Bool
    let sign: @Sendable ([UInt8]) throws -> [UInt8]
    let verify: @Sendable ([UInt8], [UInt8]) throws -> Bool

    var testDescription: String { name }

    private static func curve<Kind: NISTCurve>(_ kind: Kind.Type) throws -> Signer {
        let key = try NISTSigning<Kind>.PrivateKey()
        return Signer(
            name: Kind.name, isDeterministic: false,
            sign: { try key.signature(for: $0).rawRepresentation },
            verify: {
                key.publicKey.isValidSignature(
                    try NISTSigning<Kind>.ECDSASignature(rawRepresentation: $0), for: $1)
            })
    }

    static let all = Result {
        let edwards = try Curve25519.Signing.PrivateKey()
        let rsa = try RSA.Signing.PrivateKey()
        let schemes = RSA.Signing.Padding.allCases.flatMap { padding in
            RSA.Signing.Hash.allCases.map { hash in
                Signer(
                    name: "RSA \(padding) \(hash)", isDeterministic: padding == .pkcs1v15,
                    sign: { try rsa.signature(for: $0, padding: padding, hash: hash) },
                    verify: { rsa.publicKey.isValidSignature($0, for: $1, padding: padding, hash: hash) })
            }
        }
        let ed25519 = Signer(
            name: "Ed25519", isDeterministic: true, sign: { try edwards.signature(for: $0) },
            verify: { edwards.publicKey.isValidSignature($0, for: $1) })
        return try [curve(P256.self), curve(P384.self), curve(P521.self), ed25519] + schemes
    }
}

@Suite struct EverySchemeTests {
    @Test func `Every way to sign takes an empty text and one of five megabytes`() throws {
        let large = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0) }
        var changed = large
        changed[4_999_999] ^= 1
        for signer in try Signer.all.get() {
            #expect(try signer.verify(signer.sign([]), []), "\(signer.name)")
            #expect(try !signer.verify(signer.sign([]), [0]), "\(signer.name)")
            let signature = try signer.sign(large)
            #expect(try signer.verify(signature, large), "\(signer.name)")
            #expect(try !signer.verify(signature, changed), "\(signer.name)")
        }
    }

    @Test func `Every way to sign is deterministic or not, as its standard says`() throws {
        for signer in try Signer.all.get() {
            let signatures = try Set((0..<5).map { _ in try signer.sign([1, 2, 3]) })
            expectEqual(signatures.count, signer.isDeterministic ? 1 : 5, "\(signer.name)")
            for signature in signatures { #expect(try signer.verify(signature, [1, 2, 3]), "\(signer.name)") }
        }
    }

    @Test func `Every way to sign gives signatures of one length`() throws {
        for signer in try Signer.all.get() {
            let lengths = try Set((0..<20).map { try signer.sign([UInt8($0)]).count })
            expectEqual(lengths.count, 1, "\(signer.name)")
        }
    }

    @Test func `Every way to sign refuses the signature of every other way`() throws {
        let signers = try Signer.all.get()
        let signatures = try signers.map { try $0.sign([7]) }
        for (place, signer) in signers.enumerated() {
            for (other, signature) in signatures.enumerated() {
                let isTaken: Bool
                do {
                    isTaken = try signer.verify(signature, [7])
                } catch {
                    // A curve's signature has a length of its own.
                    #expect(CryptoError.malformedSignature ~= error)
                    isTaken = false
                }
                expectEqual(isTaken, place == other, "\(signer.name) with that of \(signers[other].name)")
            }
        }
    }

    @Test func `Every way to sign refuses a signature with any of its bytes changed`() throws {
        for signer in try Signer.all.get() {
            let signature = try signer.sign([7])
            for place in stride(from: 0, to: signature.count, by: 5) {
                var changed = signature
                changed[place] ^= 0x10
                #expect(try !signer.verify(changed, [7]), "\(signer.name), byte \(place)")
            }
        }
    }
}
