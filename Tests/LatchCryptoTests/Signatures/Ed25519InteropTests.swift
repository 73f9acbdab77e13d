// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import TestVectors
import Testing

@Suite struct Ed25519VectorTests {
    // RFC 8032 §7.1, tests 1 and 3.
    @Test(arguments: [
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
                + "d25bf5f0595bbe24655141438e7a100b"
        ),
        (
            "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
                + "4a7c15e9716ed28dc027beceea1ec40a"
        ),
    ])
    func `Ed25519 signs as RFC 8032 does`(secret: String, point: String, text: String, signature: String) throws {
        let key = try Curve25519.Signing.PrivateKey(rawRepresentation: unhexed(secret))
        expectEqual(hexadecimal(key.publicKey.rawRepresentation), point)
        expectEqual(hexadecimal(try key.signature(for: unhexed(text))), signature)
        let half = try Curve25519.Signing.PublicKey(rawRepresentation: unhexed(point))
        expectEqual(half, key.publicKey)
        #expect(half.isValidSignature(unhexed(signature), for: unhexed(text)))
    }

    @Test func `Ed25519 signs one text always alike, and different texts differently`() throws {
        let key = try Curve25519.Signing.PrivateKey()
        let signatures = try (0..<50).map { try key.signature(for: [UInt8($0)]) }
        try expectEqual((0..<50).map { try key.signature(for: [UInt8($0)]) }, signatures)
        expectEqual(Set(signatures).count, 50)
        #expect(signatures.allSatisfy { $0.count == 64 })
    }

    @Test func `Ed25519 refuses a signature after any bit of it was changed`() throws {
        let key = try Curve25519.Signing.PrivateKey()
        let signature = try key.signature(for: "text".utf8)
        for bit in 0..<512 {
            var changed = signature
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(!key.publicKey.isValidSignature(changed, for: "text".utf8), "bit \(bit)")
        }
        for length in 0..<64 { #expect(!key.publicKey.isValidSignature(signature.prefix(length), for: "text".utf8)) }
    }

    // RFC 8032 §5.1.7: S is below the order, so that nobody can make a second signature from a first.
    @Test func `Ed25519 refuses a signature whose second half had the order added`() throws {
        let key = try Curve25519.Signing.PrivateKey()
        let order = unhexed("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
        for number in 0..<20 {
            var signature = try key.signature(for: [UInt8(number)])
            var carry = 0
            for place in 0..<32 {
                carry += Int(signature[32 + place]) + Int(order[place])
                signature[32 + place] = UInt8(carry & 0xFF)
                carry >>= 8
            }
            #expect(!key.publicKey.isValidSignature(signature, for: [UInt8(number)]))
        }
    }

    @Test func `Ed25519 serves many tasks with one key at once`() async throws {
        let key = try Curve25519.Signing.PrivateKey()
        let good = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let text = [UInt8](repeating: UInt8(number), count: number)
                    let signature = try key.signature(for: text)
                    return key.publicKey.isValidSignature(signature, for: text)
                        && !key.publicKey.isValidSignature(signature, for: text + [1])
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        expectEqual(good, 100)
    }

    @Test func `Ed25519 keys are compared by their bytes and kept in sets`() throws {
        let key = try Curve25519.Signing.PrivateKey()
        let again = try Curve25519.Signing.PrivateKey(rawRepresentation: AnyCollection(key.rawRepresentation))
        expectEqual(again.publicKey, key.publicKey)
        try expectEqual(Set([key.publicKey, again.publicKey, Curve25519.Signing.PrivateKey().publicKey]).count, 2)
        expectEqual("\(key)", "Ed25519 private key (redacted)")
    }
}

@Suite(.enabled(if: OpenSSLCommand.isPresent, Comment(rawValue: OpenSSLCommand.hint)))
struct Ed25519InteropTests {
    // RFC 8410 §7 and §4: what stands before the 32 bytes of a secret and of a public key in DER.
    private let secretPrefix = unhexed("302e020100300506032b657004220420")
    private let publicPrefix = unhexed("302a300506032b6570032100")

    @Test
    func `An Ed25519 key that OpenSSL's command knows makes a signature that the command verifies`() async throws {
        let command = try OpenSSLCommand()
        let key = try Curve25519.Signing.PrivateKey()
        try command.write(publicPrefix + key.publicKey.rawRepresentation, to: "public.der")
        for length in [0, 1, 1_000] {
            let text = SecureRandom.bytes(length)
            try command.write(text, to: "text")
            try command.write(text + [0], to: "other")
            try command.write(try key.signature(for: text), to: "signature")
            for (name, expected) in [("text", true), ("other", false)] where !(length == 0 && name == "text") {
                let answer = try await command.run(
                    "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", "public.der", "-rawin", "-in", name,
                    "-sigfile", "signature")
                expectEqual(answer.isSuccess, expected, "\(length) bytes, \(name)")
            }
        }
    }

    @Test func `An Ed25519 key that OpenSSL's command knows verifies the command's signature`() async throws {
        let command = try OpenSSLCommand()
        try await command.run("genpkey", "-algorithm", "ED25519", "-outform", "DER", "-out", "key.der")
        let der = try command.read("key.der")
        #expect(der.starts(with: secretPrefix) && der.count == 48)
        let key = try Curve25519.Signing.PrivateKey(rawRepresentation: der.suffix(32))
        let published = try await command.run("pkey", "-inform", "DER", "-in", "key.der", "-pubout", "-outform", "DER")
            .output
        expectEqual(published, publicPrefix + key.publicKey.rawRepresentation)
        let text = SecureRandom.bytes(300)
        try command.write(text, to: "text")
        let signature = try await command.run(
            "pkeyutl", "-sign", "-keyform", "DER", "-inkey", "key.der", "-rawin", "-in", "text"
        ).output
        #expect(key.publicKey.isValidSignature(signature, for: text))
        try expectEqual(key.signature(for: text), signature)
    }
}
