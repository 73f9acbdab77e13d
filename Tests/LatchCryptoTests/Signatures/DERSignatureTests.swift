// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import TestVectors
import Testing

@Suite struct DERSignatureTests {
    /// Goes from raw to DER and back, and says what DER it was.
    private func roundTrip<Curve: NISTCurve>(_ curve: Curve.Type, _ raw: [UInt8]) throws -> [UInt8] {
        let signature = try NISTSigning<Curve>.ECDSASignature(rawRepresentation: raw)
        let der = signature.derRepresentation
        try expectEqual(NISTSigning<Curve>.ECDSASignature(derRepresentation: der), signature)
        return der
    }

    @Test(arguments: 0..<6 as Range<UInt64>)
    func `The two spellings of an ECDSA signature name the same numbers`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            for half in [32, 48, 66] {
                // Halves with any number of leading zeros, since those are what the spellings differ in.
                let raw = [0, 1].flatMap { _ in
                    let zeros = Bool.random(using: &numbers) ? Int.random(in: 0...half, using: &numbers) : 0
                    return [UInt8](repeating: 0, count: zeros) + numbers.bytes(half - zeros)
                }
                let der =
                    switch half {
                    case 32: try roundTrip(P256.self, raw)
                    case 48: try roundTrip(P384.self, raw)
                    default: try roundTrip(P521.self, raw)
                    }
                #expect(der.count <= raw.count + 9, "seed \(seed)")
                expectEqual(der[0], 0x30, "seed \(seed)")
            }
        }
    }

    @Test func `The two spellings of an ECDSA signature differ most for the extreme numbers of each curve`() throws {
        let full = { (count: Int) in [UInt8](repeating: 0xFF, count: count) }
        let zero = { (count: Int) in [UInt8](repeating: 0, count: count) }
        try expectEqual(roundTrip(P256.self, full(64)).count, 72)
        try expectEqual(roundTrip(P384.self, full(96)).count, 104)
        // P-521's is the one whose length needs two bytes (X.690 §8.1.3.5).
        let longest = try roundTrip(P521.self, full(132))
        expectEqual(longest.count, 141)
        expectEqual(Array(longest.prefix(3)), [0x30, 0x81, 138])
        try expectEqual(roundTrip(P256.self, zero(64)), [0x30, 6, 2, 1, 0, 2, 1, 0])
        try expectEqual(roundTrip(P521.self, zero(132)), [0x30, 6, 2, 1, 0, 2, 1, 0])
    }

    @Test func `The two spellings of an ECDSA signature meet where the length begins to need two bytes`() throws {
        // Two numbers of 61, 62 or 63 bytes make contents of 126, 128 or 130 bytes: on both sides of the bound at 128.
        for (digits, header) in [(61, [0x30, 126]), (62, [0x30, 0x81, 128]), (63, [0x30, 0x81, 130])] {
            let number = [UInt8](repeating: 0, count: 66 - digits) + [UInt8](repeating: 1, count: digits)
            let der = try roundTrip(P521.self, number + number)
            expectEqual(der.prefix(header.count).map(Int.init), header)
        }
    }

    @Test func `The two spellings of an ECDSA signature are refused if a number is longer than the curve's`() throws {
        let long = [UInt8](repeating: 1, count: 33)
        let der: [UInt8] = [0x30, 38, 2, 33] + long + [2, 1, 1]
        #expect(throws: CryptoError.malformedSignature) { try P256.Signing.ECDSASignature(derRepresentation: der) }
        try expectEqual(P384.Signing.ECDSASignature(derRepresentation: der).rawRepresentation.count, 96)
    }

    @Test(
        arguments: [
            [0x30, 0x81], [0x30, 0x81, 0x7F], [0x30, 0x82, 0, 6, 2, 1, 1, 2, 1, 1], [0x30, 0xFF], [0x30, 6, 2],
            [0x30, 6, 2, 1], [0x30, 6, 2, 4, 1, 2, 1, 1], [0x30, 5, 2, 1, 1, 2, 1, 1], [0x30, 7, 2, 1, 1, 2, 1, 1],
            [0x30, 6, 2, 1, 1, 4, 1, 1], [0x30, 3, 2, 1, 1], [0x30, 5, 2, 1, 1, 2, 0],
            [0x30, 7, 2, 1, 1, 2, 2, 0, 0x7F],
            [0x30, 7, 2, 1, 1, 2, 2, 0xFF, 1], [0x30, 8, 2, 1, 1, 2, 1, 1, 5, 0], [2, 1, 1, 2, 1, 1],
            [0x30, 8, 0x30, 6, 2, 1, 1, 2, 1, 1],
        ] as [[UInt8]])
    func `The two spellings of an ECDSA signature are refused if lengths, tags or numbers are not canonical`(
        der: [UInt8]
    ) {
        #expect(throws: CryptoError.malformedSignature) { try P256.Signing.ECDSASignature(derRepresentation: der) }
        #expect(throws: CryptoError.malformedSignature) { try P521.Signing.ECDSASignature(derRepresentation: der) }
    }

    @Test(arguments: 0..<6 as Range<UInt64>)
    func `The two spellings of an ECDSA signature have one DER for each raw form`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        var accepted = 0
        for _ in 0..<2_000 {
            var der = try P256.Signing.ECDSASignature(rawRepresentation: numbers.bytes(64)).derRepresentation
            let place = Int.random(in: 0..<der.count, using: &numbers)
            switch Int.random(in: 0..<3, using: &numbers) {
            case 0: der[place] = UInt8.random(in: 0...255, using: &numbers)
            case 1: der.remove(at: place)
            default: der.insert(UInt8.random(in: 0...255, using: &numbers), at: place)
            }
            do {
                let signature = try P256.Signing.ECDSASignature(derRepresentation: der)
                expectEqual(signature.derRepresentation, der, "seed \(seed)")
                accepted += 1
            } catch {
                expectEqual(error, .malformedSignature, "seed \(seed)")
            }
        }
        // A changed digit of a number is another signature, so the refusals are not all that happens.
        #expect(accepted > 100, "seed \(seed)")
    }

    @Test func `The two spellings of an ECDSA signature are refused in raw form at every other length`() {
        for length in 0..<140 {
            let raw = [UInt8](repeating: 1, count: length)
            func isTaken<Curve: NISTCurve>(_ curve: Curve.Type) -> Bool {
                do {
                    return try NISTSigning<Curve>.ECDSASignature(rawRepresentation: raw).rawRepresentation == raw
                } catch {
                    return false
                }
            }
            expectEqual(isTaken(P256.self), length == 64)
            expectEqual(isTaken(P384.self), length == 96)
            expectEqual(isTaken(P521.self), length == 132)
        }
    }
}
