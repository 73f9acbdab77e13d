// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCrypto
import TestVectors
import Testing

/// A test case of RFC 4231 §4; its codes may be cut short.
private struct Case: Sendable, CustomTestStringConvertible {
    let section: String
    let key: [UInt8]
    let text: [UInt8]
    let sha256: String
    let sha384: String
    let sha512: String

    var testDescription: String { "RFC 4231 §\(section)" }

    static let all = [
        Case(
            section: "4.2", key: [UInt8](repeating: 0x0B, count: 20), text: Array("Hi There".utf8),
            sha256: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            sha384: "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59c"
                + "faea9ea9076ede7f4af152e8b2fa9cb6",
            sha512: "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
                + "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854"),
        Case(
            section: "4.3", key: Array("Jefe".utf8), text: Array("what do ya want for nothing?".utf8),
            sha256: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            sha384: "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e"
                + "8e2240ca5e69e2c78b3239ecfab21649",
            sha512: "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
                + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"),
        Case(
            section: "4.4", key: [UInt8](repeating: 0xAA, count: 20), text: [UInt8](repeating: 0xDD, count: 50),
            sha256: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
            sha384: "88062608d3e6ad8a0aa2ace014c8a86f0aa635d947ac9febe83ef4e55966144b"
                + "2a5ab39dc13814b94e3ab6e101a34f27",
            sha512: "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39"
                + "bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb"),
        Case(
            section: "4.5", key: Array(0x01...0x19), text: [UInt8](repeating: 0xCD, count: 50),
            sha256: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
            sha384: "3e8a69b7783c25851933ab6290af6ca77a9981480850009cc5577c6e1f573b4e"
                + "6801dd23c4a7d679ccf8a386c674cffb",
            sha512: "b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3db"
                + "a91ca5c11aa25eb4d679275cc5788063a5f19741120c4f2de2adebeb10a298dd"),
        Case(
            section: "4.6", key: [UInt8](repeating: 0x0C, count: 20), text: Array("Test With Truncation".utf8),
            sha256: "a3b6167473100ee06e0c796c2955552b", sha384: "3abf34c3503b2a23a46efc619baef897",
            sha512: "415fad6271580a531d4179bc891d87a6"),
        Case(
            section: "4.7", key: [UInt8](repeating: 0xAA, count: 131),
            text: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            sha256: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            sha384: "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c6"
                + "0c2ef6ab4030fe8296248df163f44952",
            sha512: "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
                + "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598"),
        Case(
            section: "4.8", key: [UInt8](repeating: 0xAA, count: 131),
            text: Array(
                ("This is a test using a larger than block-size key and a larger than block-size data. "
                    + "The key needs to be hashed before being used by the HMAC algorithm.").utf8),
            sha256: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
            sha384: "6617178e941f020d351e2f254e8fd32c602420feb0b8fb9adccebb82461e99c5"
                + "a678cc31e799176d3860e6110c46523e",
            sha512: "e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944"
                + "b6022cac3c4982b10d5eeb55c3e4de15134676fb6de0446065c97440fa8c6a58"),
    ]
}

@Suite struct HMACVectorTests {
    @Test(arguments: Case.all)
    private func `An HMAC over each digest matches the vectors of RFC 4231`(example: Case) {
        let key = SymmetricKey(data: example.key)
        func starts(_ code: some Sequence<UInt8>, _ known: String) -> Bool { hexadecimal(code).hasPrefix(known) }
        #expect(starts(HMAC<SHA256>.authenticationCode(for: example.text, using: key), example.sha256))
        #expect(starts(HMAC<SHA384>.authenticationCode(for: example.text, using: key), example.sha384))
        #expect(starts(HMAC<SHA512>.authenticationCode(for: example.text, using: key), example.sha512))
    }

    @Test(arguments: Case.all)
    private func `An HMAC over each digest is the same over every split of its message`(example: Case) {
        let prepared = HMAC<SHA512>(key: SymmetricKey(data: example.key))
        for cut in 0...example.text.count {
            var code = prepared
            code.update(data: example.text[..<cut])
            code.update(data: example.text[cut...])
            #expect(hexadecimal(code.finalize()).hasPrefix(example.sha512), "cut at \(cut)")
        }
    }

    // RFC 2104 §2: padding with zeros and digesting of long keys make these pairs of keys one, and no others.
    @Test func `An HMAC over each digest takes a key padded with zeros or digested beforehand for the same key`() {
        func code(_ key: some Collection<UInt8>) -> HashedAuthenticationCode<SHA256> {
            HMAC<SHA256>.authenticationCode(for: "text".utf8, using: SymmetricKey(data: key))
        }
        let zeros = { (count: Int) in [UInt8](repeating: 0, count: count) }
        expectEqual(code([]), code(zeros(64)))
        expectEqual(code([1, 2]), code([1, 2] + zeros(62)))
        let long = (0..<65).map { UInt8($0) }
        expectEqual(code(long), code(SHA256.hash(data: long)))
        // 64 bytes are a block and are taken as they are; one zero more makes them longer than a block.
        let block = (0..<64).map { UInt8($0) }
        expectNotEqual(code(block), code(SHA256.hash(data: block)))
        expectNotEqual(code(block), code(block + [0]))
        expectNotEqual(code(block.dropLast()), code(block))
    }

    @Test func `An HMAC over each digest can be asked for in between without ending the message`() {
        let key = SymmetricKey(size: .bits256)
        var code = HMAC<SHA384>(key: key)
        for number in 0..<140 {
            let sofar = (0..<number).map { UInt8($0) }
            expectEqual(code.finalize(), HMAC<SHA384>.authenticationCode(for: sofar, using: key))
            code.update(data: CollectionOfOne(UInt8(number)))
        }
    }

    @Test func `An HMAC over each digest of one prepared key is the same on many tasks at once`() async {
        let prepared = HMAC<SHA256>(key: SymmetricKey(data: "Jefe".utf8))
        let codes = await withTaskGroup(of: String.self) { group in
            for number in 0..<64 {
                group.addTask {
                    var code = prepared
                    code.update(data: "what do ya want for nothing?".utf8)
                    if !number.isMultiple(of: 2) { code.update(data: [UInt8(number)]) }
                    return number.isMultiple(of: 2) ? hexadecimal(code.finalize()) : ""
                }
            }
            return await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        expectEqual(codes, ["", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"])
    }

    @Test(
        .enabled(if: OpenSSLCommand.isPresent, Comment(rawValue: OpenSSLCommand.hint)),
        arguments: 0..<3 as Range<UInt64>)
    func `An HMAC over each digest is OpenSSL's own for random keys and messages`(seed: UInt64) async throws {
        var numbers = SeededGenerator(seed: seed)
        let command = try OpenSSLCommand()
        for length in [1, 63, 64, 65, 127, 128, 129, 200] {
            let key = numbers.bytes(length)
            let text = numbers.bytes(Int.random(in: 0...500, using: &numbers))
            try command.write(text, to: "text")
            let answer = try await command.run(
                "dgst", "-sha512", "-mac", "HMAC", "-macopt", "hexkey:\(hexadecimal(key))", "-binary", "text")
            let code = HMAC<SHA512>.authenticationCode(for: text, using: SymmetricKey(data: key))
            expectEqual(Array(code), answer.output, "seed \(seed), key of \(length) bytes")
        }
    }
}

@Suite struct AuthenticationCodeTests {
    private let key = SymmetricKey(data: "Jefe".utf8)

    @Test func `The value of an authentication code is a collection of its bytes, as long as the digest`() {
        let code = HMAC<SHA384>.authenticationCode(for: [1], using: key)
        #expect(code.count == 48 && code.startIndex == 0 && code.endIndex == 48)
        expectEqual(code.indices.map { code[$0] }, Array(code))
        expectEqual(code.withContiguousStorageIfAvailable { Array($0) }, Array(code))
    }

    @Test func `The value of an authentication code equals only itself, and is found in a set`() {
        let one = HMAC<SHA256>.authenticationCode(for: [1], using: key)
        let two = HMAC<SHA256>.authenticationCode(for: [2], using: key)
        expectNotEqual(one, two)
        expectEqual(one, HMAC<SHA256>.authenticationCode(for: CollectionOfOne(1), using: key))
        expectEqual(Set([one, two, one]).count, 2)
    }

    @Test func `The value of an authentication code prints its size and none of its bytes`() {
        let code = HMAC<SHA512>.authenticationCode(for: [1], using: key)
        expectEqual("\(code)", "HashedAuthenticationCode(64 bytes, redacted)")
        #expect(Mirror(reflecting: code).children.isEmpty)
    }

    @Test func `The value of an authentication code is accepted as any collection and refused when altered`() {
        let code = Array(HMAC<SHA256>.authenticationCode(for: [1], using: key))
        func accepts(_ code: some Collection<UInt8>) -> Bool {
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: [1], using: key)
        }
        #expect(accepts(code[...]) && accepts(AnyCollection(code)) && accepts(code.lazy.map { $0 }))
        for length in 0..<32 { #expect(!accepts(code.prefix(length))) }
        #expect(!accepts(code + code))
        #expect(!accepts(HMAC<SHA384>.authenticationCode(for: [1], using: key)))
        #expect(!accepts(HMAC<SHA384>.authenticationCode(for: [1], using: key).prefix(32)))
    }
}
