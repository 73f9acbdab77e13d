// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import TestVectors
import Testing

/// A test case of McGrew and Viega, The Galois/Counter Mode of Operation, appendix B, as NIST republished it.
private struct Case: Sendable, CustomTestStringConvertible {
    let number: Int
    let key: String
    var nonce = "cafebabefacedbaddecaf888"
    var message = ""
    var authenticated = ""
    var ciphertext = ""
    let tag: String

    var testDescription: String { "test case \(number)" }

    private static let text =
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255"
    private static let zeros = "00000000000000000000000000000000"
    private static let noNonce = "000000000000000000000000"
    private static let key128 = "feffe9928665731c6d6a8f9467308308"
    private static let ciphertext3 =
        "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
        + "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985"

    static let all = [
        Case(number: 1, key: zeros, nonce: noNonce, tag: "58e2fccefa7e3061367f1d57a4e7455a"),
        Case(
            number: 2, key: zeros, nonce: noNonce, message: zeros, ciphertext: "0388dace60b6a392f328c2b971b2fe78",
            tag: "ab6e47d42cec13bdf53a67b21257bddf"),
        Case(number: 3, key: key128, message: text, ciphertext: ciphertext3, tag: "4d5c2af327cd64a62cf35abd2ba6fab4"),
        Case(
            number: 4, key: key128, message: String(text.dropLast(8)),
            authenticated: "feedfacedeadbeeffeedfacedeadbeefabaddad2", ciphertext: String(ciphertext3.dropLast(8)),
            tag: "5bc94fbc3221a5db94fae95ae7121a47"),
        Case(number: 7, key: zeros + zeros.prefix(16), nonce: noNonce, tag: "cd33b28ac773f74ba00ed1f312572435"),
        Case(
            number: 8, key: zeros + zeros.prefix(16), nonce: noNonce, message: zeros,
            ciphertext: "98e7247c07f0fe411c267e4384b0f600", tag: "2ff58d80033927ab8ef4d4587514f0fb"),
        Case(number: 13, key: zeros + zeros, nonce: noNonce, tag: "530f8afbc74536b9a963b4f1c4cb738b"),
        Case(
            number: 14, key: zeros + zeros, nonce: noNonce, message: zeros,
            ciphertext: "cea7403d4d606b6e074ec5d3baf39d18", tag: "d0d1c8a799996bf0265b98b5d48ab919"),
        Case(
            number: 16, key: key128 + key128, message: String(text.dropLast(8)),
            authenticated: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            ciphertext: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
            tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
    ]
}

@Suite struct GCMVectorTests {
    @Test(arguments: Case.all)
    private func `AES-GCM seals and opens as the published test cases do`(example: Case) throws {
        let key = SymmetricKey(data: unhexed(example.key))
        let nonce = try AES.GCM.Nonce(data: unhexed(example.nonce))
        let data = unhexed(example.authenticated)
        let box = try AES.GCM.seal(unhexed(example.message), using: key, nonce: nonce, authenticating: data)
        expectEqual(hexadecimal(box.ciphertext), example.ciphertext)
        expectEqual(hexadecimal(box.tag), example.tag)
        expectEqual(box.nonce, nonce)
        let published = try AES.GCM.SealedBox(
            nonce: nonce, ciphertext: unhexed(example.ciphertext), tag: unhexed(example.tag))
        expectEqual(published, box)
        expectEqual(hexadecimal(try AES.GCM.open(published, using: key, authenticating: data)), example.message)
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `AES-GCM opens its own output and nothing that differs in a byte, for random inputs`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        for bits in [128, 192, 256] {
            let key = SymmetricKey(data: numbers.bytes(bits / 8))
            let message = numbers.bytes(Int.random(in: 0...300, using: &numbers))
            let data = numbers.bytes(Int.random(in: 0...100, using: &numbers))
            let nonce = try AES.GCM.Nonce(data: numbers.bytes(12))
            let box = try AES.GCM.seal(message, using: key, nonce: nonce, authenticating: data)
            try expectEqual(AES.GCM.open(box, using: key, authenticating: data), message, "seed \(seed)")
            let combined = try #require(box.combined)
            expectEqual(combined.count, message.count + 28)
            for _ in 0..<20 {
                var changed = combined
                changed[Int.random(in: 0..<changed.count, using: &numbers)] ^= UInt8.random(
                    in: 1...255, using: &numbers)
                #expect(throws: CryptoError.authenticationFailure, "seed \(seed)") {
                    try AES.GCM.open(AES.GCM.SealedBox(combined: changed), using: key, authenticating: data)
                }
            }
            #expect(throws: CryptoError.authenticationFailure, "seed \(seed)") {
                try AES.GCM.open(box, using: key, authenticating: data + [0])
            }
        }
    }

    @Test func `AES-GCM does not open with a part of the ciphertext, or with one that goes on`() throws {
        let key = SymmetricKey(size: .bits128)
        let box = try AES.GCM.seal(Array(0..<50), using: key)
        for length in 0..<50 {
            let cut = try AES.GCM.SealedBox(nonce: box.nonce, ciphertext: box.ciphertext.prefix(length), tag: box.tag)
            #expect(throws: CryptoError.authenticationFailure) { try AES.GCM.open(cut, using: key) }
        }
        let long = try AES.GCM.SealedBox(nonce: box.nonce, ciphertext: box.ciphertext + [0], tag: box.tag)
        #expect(throws: CryptoError.authenticationFailure) { try AES.GCM.open(long, using: key) }
    }

    @Test func `AES-GCM reports a key of the wrong size, when sealing and when opening`() throws {
        let box = try AES.GCM.seal([1], using: SymmetricKey(size: .bits256))
        for bits in [0, 8, 64, 120, 136, 248, 264, 512] {
            let key = SymmetricKey(size: .init(bitCount: bits))
            #expect { try AES.GCM.open(box, using: key) } throws: { CryptoError.unacceptableParameter ~= $0 }
            #expect { try AES.GCM.seal([], using: key) } throws: { CryptoError.unacceptableParameter ~= $0 }
        }
    }

    @Test func `AES-GCM has one result for a message in any kind of collection`() throws {
        let key = SymmetricKey(size: .bits256)
        let nonce = AES.GCM.Nonce()
        let text = Array("a message".utf8)
        let box = try AES.GCM.seal(text, using: key, nonce: nonce, authenticating: text)
        try expectEqual(AES.GCM.seal("a message".utf8, using: key, nonce: nonce, authenticating: text[...]), box)
        try expectEqual(
            AES.GCM.seal(AnyCollection(text), using: key, nonce: nonce, authenticating: AnyCollection(text)), box)
        try expectEqual(AES.GCM.open(box, using: key, authenticating: "a message".utf8), text)
    }

    @Test func `AES-GCM serves many tasks with one key at once`() async throws {
        let key = SymmetricKey(size: .bits256)
        let opened = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for number in 0..<100 {
                group.addTask {
                    let message = [UInt8](repeating: UInt8(number), count: number * 10)
                    let box = try AES.GCM.seal(message, using: key, authenticating: [UInt8(number)])
                    return try AES.GCM.open(box, using: key, authenticating: [UInt8(number)])
                }
            }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        expectEqual(opened, Set((0..<100).map { [UInt8](repeating: UInt8($0), count: $0 * 10) }))
    }
}

@Suite struct GCMNonceTests {
    @Test func `A nonce and a sealed box have the sizes of NIST SP 800-38D, and no other`() throws {
        for count in 0..<30 where count != 12 {
            #expect { try AES.GCM.Nonce(data: [UInt8](repeating: 0, count: count)) } throws: {
                CryptoError.unacceptableParameter ~= $0
            }
        }
        let nonce = try AES.GCM.Nonce(data: Array(0..<12))
        #expect(Array(nonce) == Array(0..<12) && nonce.count == 12 && nonce[11] == 11)
        for count in 0..<30 where count != 16 {
            #expect {
                try AES.GCM.SealedBox(nonce: nonce, ciphertext: [], tag: [UInt8](repeating: 0, count: count))
            } throws: {
                CryptoError.unacceptableParameter ~= $0
            }
        }
    }

    @Test func `A nonce and a sealed box are cut from combined bytes, down to an empty ciphertext`() throws {
        for count in 0..<28 {
            #expect { try AES.GCM.SealedBox(combined: [UInt8](repeating: 0, count: count)) } throws: {
                CryptoError.unacceptableParameter ~= $0
            }
        }
        for count in [28, 29, 60] {
            let combined = (0..<count).map { UInt8($0) }
            let box = try AES.GCM.SealedBox(combined: combined)
            expectEqual(Array(box.nonce), Array(combined.prefix(12)))
            expectEqual(box.ciphertext, Array(combined.dropFirst(12).dropLast(16)))
            expectEqual(box.tag, Array(combined.suffix(16)))
            expectEqual(box.combined, combined)
            try expectEqual(AES.GCM.SealedBox(combined: AnyCollection(combined)), box)
        }
    }

    @Test func `A nonce and a sealed box can be compared and counted`() throws {
        let key = SymmetricKey(size: .bits256)
        let one = try AES.GCM.seal([1], using: key)
        let other = try AES.GCM.seal([1], using: key)
        expectNotEqual(one, other)
        let again = try AES.GCM.SealedBox(combined: one.combined ?? [])
        expectEqual(Set([one, other, again]).count, 2)
    }
}

/// The bytes that hexadecimal digits stand for.
func unhexed(_ digits: String) -> [UInt8] { (["hex": .string(digits)] as JSONValue).hex("hex") }
