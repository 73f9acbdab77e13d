// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import LatchJOSE
import Testing

@Suite struct RandomTokenTests {
    @Test(arguments: 0..<8 as Range<UInt64>)
    func `Random damage to a token never makes another valid token`(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let key = try Key(secret: SymmetricKey(data: [UInt8](repeating: 7, count: 32)), id: "k1")
        let verifier = JWTVerifier(keys: KeySet([key]), algorithms: [.hs256], clock: .stopped(at: 1_000))
        let text = try JWT.sign(["sub": "u1", "exp": 2_000, "roles": ["a", "b"]], with: key, type: "at+jwt")
        for _ in 0..<400 {
            var bytes = Array(text.utf8)
            for _ in 0...dice.below(3) { dice.damage(&bytes) }
            let damaged = String(decoding: bytes, as: UTF8.self)
            guard damaged != text else { continue }
            #expect(throws: JOSEError.self, "seed \(seed)") { try verifier.verify(damaged) }
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `Random damage to a token is decoded without a signature's check, or refused, and never more`(seed: UInt64)
        throws
    {
        var dice = Dice(seed: seed &+ 100)
        let key = try Key(secret: SymmetricKey(data: [UInt8](repeating: 7, count: 32)))
        let text = try JWT.sign(["sub": "u1", "exp": 2_000, "o": ["a": [1, nil, true]]], with: key)
        for _ in 0..<400 {
            var bytes = Array(text.utf8)
            for _ in 0...dice.below(3) { dice.damage(&bytes) }
            do {
                let token = try JWT(unverified: String(decoding: bytes, as: UTF8.self))
                // What was read can be written and read again.
                let again = try JWT(unverified: JWT.sign(token.claims, with: key))
                expectEqual(again.claims, token.claims, "seed \(seed)")
            } catch {
                #expect(JOSEError.malformedToken ~= error, "seed \(seed)")
            }
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `Random damage to a key never makes one that signs for it`(seed: UInt64) throws {
        var dice = Dice(seed: seed &+ 200)
        let key = try Key.generate(.es256, id: "k1")
        let signature = try key.signature(for: [1, 2, 3])
        let jwk = JSONValue.object(key.jwk).serialized()
        for _ in 0..<200 {
            var bytes = jwk
            dice.damage(&bytes)
            do {
                guard let members = try JSONValue(parsing: bytes).objectValue else { continue }
                let damaged = try Key(jwk: members)
                // Another name or a lost `use` leaves the numbers as they were; other numbers verify nothing.
                let isSame = damaged.thumbprint == key.thumbprint
                expectEqual(damaged.isValidSignature(signature, for: [1, 2, 3]), isSame, "seed \(seed)")
            } catch {
                #expect(error is JSONError || JOSEError.unsuitableKey ~= error, "seed \(seed)")
            }
        }
    }
}

/// A seeded source of damage (SplitMix64).
private struct Dice {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func below(_ limit: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(limit))
    }

    mutating func damage(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return bytes.append(UInt8(below(256))) }
        let place = below(bytes.count)
        let interesting = Array(#"ABab09-_.=+/{}":, "#.utf8)
        switch below(4) {
        case 0: bytes[place] = interesting[below(interesting.count)]
        case 1: bytes.insert(interesting[below(interesting.count)], at: place)
        case 2: bytes.remove(at: place)
        default: bytes[place] ^= UInt8(1 << below(7))
        }
    }
}
