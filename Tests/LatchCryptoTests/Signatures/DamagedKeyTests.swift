// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import TestVectors
import Testing

@Suite struct DamagedKeyTests {
    private static let rsa = Result { try RSA.Signing.PrivateKey() }

    private func damaged(_ bytes: [UInt8], _ numbers: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        let place = Int.random(in: 0..<bytes.count, using: &numbers)
        switch Int.random(in: 0..<5, using: &numbers) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &numbers)
        case 1: bytes[place] ^= 1 << Int.random(in: 0..<8, using: &numbers)
        case 2: bytes.remove(at: place)
        case 3: bytes.insert(UInt8.random(in: 0...255, using: &numbers), at: place)
        default: bytes.removeLast(bytes.count - place)
        }
        return bytes
    }

    /// The DER between the lines of a PEM text.
    private func der(_ pem: String) -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let digits = pem.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined().utf8
        let values = digits.compactMap { alphabet.firstIndex(of: $0) }
        return stride(from: 0, to: values.count, by: 4).flatMap { start -> [UInt8] in
            let four = values[start..<min(start + 4, values.count)]
            let word = four.reduce(0) { $0 << 6 | $1 } << (6 * (4 - four.count))
            return [word >> 16, word >> 8, word].prefix(four.count - 1).map { UInt8(truncatingIfNeeded: $0) }
        }
    }

    @Test(arguments: 0..<6 as Range<UInt64>)
    func `Random damage to a stored key on a curve never makes a public key that verifies for it`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let key = try P256.Signing.PrivateKey()
        let signature = try key.signature(for: [1, 2, 3])
        let whole = der(try key.publicKey.pem())
        try expectEqual(P256.Signing.PublicKey(derRepresentation: whole), key.publicKey)
        for _ in 0..<300 {
            let bytes = damaged(whole, &numbers)
            do {
                let read = try P256.Signing.PublicKey(derRepresentation: bytes)
                expectEqual(read.isValidSignature(signature, for: [1, 2, 3]), read == key.publicKey, "seed \(seed)")
                // What was read has a form of its own that leads back to it.
                try expectEqual(P256.Signing.PublicKey(pemRepresentation: read.pem()), read, "seed \(seed)")
            } catch {
                #expect(CryptoError.malformedKey ~= error, "seed \(seed)")
            }
        }
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `Random damage to a stored key of RSA never makes a public key that verifies for it`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let key = try Self.rsa.get()
        let signature = try key.signature(for: [1, 2, 3])
        let whole = der(try key.publicKey.pem())
        try expectEqual(RSA.Signing.PublicKey(derRepresentation: whole), key.publicKey)
        for _ in 0..<300 {
            let bytes = damaged(whole, &numbers)
            do {
                let read = try RSA.Signing.PublicKey(derRepresentation: bytes)
                expectEqual(read.isValidSignature(signature, for: [1, 2, 3]), read == key.publicKey, "seed \(seed)")
                #expect((2_048...8_192).contains(read.keySizeInBits), "seed \(seed)")
            } catch {
                #expect(CryptoError.malformedKey ~= error, "seed \(seed)")
            }
        }
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `Random damage to a stored key in PEM is refused, or leaves a consistent private key`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let key = try P384.Signing.PrivateKey()
        let whole = Array(try key.pem().utf8)
        for _ in 0..<200 {
            let text = String(decoding: damaged(whole, &numbers), as: UTF8.self)
            do {
                let read = try P384.Signing.PrivateKey(pemRepresentation: text)
                let signature = try read.signature(for: [1])
                #expect(read.publicKey.isValidSignature(signature, for: [1]), "seed \(seed)")
                expectEqual(key.publicKey.isValidSignature(signature, for: [1]), read.publicKey == key.publicKey)
            } catch {
                #expect(CryptoError.malformedKey ~= error, "seed \(seed)")
            }
        }
    }

    @Test func `Random damage to a stored RSA key in PEM is found, since a changed number fits no other`() throws {
        var numbers = SeededGenerator(seed: 1)
        let key = try Self.rsa.get()
        let whole = Array(try key.pem().utf8)
        for _ in 0..<30 {
            let text = String(decoding: damaged(whole, &numbers), as: UTF8.self)
            do {
                try expectEqual(RSA.Signing.PrivateKey(pemRepresentation: text).publicKey, key.publicKey)
            } catch {
                #expect(CryptoError.malformedKey ~= error)
            }
        }
    }
}

@Suite struct KeyTextTests {
    private let key: P256.Signing.PrivateKey
    private let pem: String
    private let published: String

    init() throws {
        key = try P256.Signing.PrivateKey()
        pem = try key.pem()
        published = try key.publicKey.pem()
    }

    private func isRead(_ text: String) -> Bool {
        do {
            return try P256.Signing.PrivateKey(pemRepresentation: text).publicKey == key.publicKey
        } catch {
            #expect(CryptoError.malformedKey ~= error)
            return false
        }
    }

    @Test func `The text of a key has the lines of RFC 7468`() {
        for (text, label) in [(pem, "PRIVATE KEY"), (published, "PUBLIC KEY")] {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            expectEqual(lines.first, "-----BEGIN \(label)-----")
            #expect(lines.dropLast().last == "-----END \(label)-----" && lines.last == "")
            // RFC 7468 §2: every line but the last has 64 characters.
            #expect(lines.dropFirst().dropLast(3).allSatisfy { $0.count == 64 })
        }
    }

    @Test func `The text of a key is read with other line ends, without the last one, and among other text`() {
        #expect(isRead(pem))
        #expect(isRead(pem.split(separator: "\n").joined(separator: "\r\n")))
        #expect(isRead(String(pem.dropLast())))
        #expect(isRead("Bag Attributes: é\n\n" + pem + "\nand more\n"))
        #expect(isRead(published + pem))
        #expect(isRead(pem + published))
    }

    @Test func `The text of a key is refused with a damaged line, another label or a foreign character`() throws {
        let lines = pem.split(separator: "\n").map(String.init)
        let body = lines.dropFirst().dropLast().joined(separator: "\n")
        let broken: [String] = [
            "", "\n", "-", body, lines.dropLast().joined(separator: "\n"), lines.dropFirst().joined(separator: "\n"),
            [lines[0], lines[lines.count - 1]].joined(separator: "\n"),
            pem.split(separator: "PRIVATE").joined(separator: "PUBLIC"),
            pem.split(separator: "PRIVATE").joined(separator: "private"),
            "-----BEGIN PRIVATE KEY-----\n\(body)\n-----END EC PRIVATE KEY-----\n",
            "-----BEGIN CERTIFICATE-----\n\(body)\n-----END CERTIFICATE-----\n",
            "-----BEGIN PRIVATE KEY-----\n*\(body)\n-----END PRIVATE KEY-----\n",
            "-----BEGIN PRIVATE KEY-----\n\(body.dropLast(8))\n-----END PRIVATE KEY-----\n", published,
        ]
        for text in broken { #expect(!isRead(text), "\(text.utf8.count) bytes") }
    }

    @Test func `The text of a key is refused if it is large and holds no key`() {
        #expect(!isRead(String(repeating: "A", count: 4 << 20)))
        #expect(!isRead("-----BEGIN PRIVATE KEY-----\n" + String(repeating: "AAAA\n", count: 1 << 18)))
        #expect(!isRead(String(repeating: "-----BEGIN X-----\n-----END X-----\n", count: 10_000)))
    }

    @Test func `The text of a private key is never read as a public one, nor the reverse`() {
        let pem = pem, published = published
        #expect { try P256.Signing.PublicKey(pemRepresentation: pem) } throws: { CryptoError.malformedKey ~= $0 }
        #expect { try P256.Signing.PrivateKey(pemRepresentation: published) } throws: { CryptoError.malformedKey ~= $0 }
        #expect { try RSA.Signing.PrivateKey(pemRepresentation: pem) } throws: { CryptoError.malformedKey ~= $0 }
        #expect { try RSA.Signing.PublicKey(pemRepresentation: published) } throws: { CryptoError.malformedKey ~= $0 }
    }

    @Test func `The text of a key leaves no OpenSSL error behind for a later call`() throws {
        // OpenSSL keeps errors in a queue of the thread; a refusal that stays there would be blamed on the next caller.
        for _ in 0..<50 {
            #expect(!isRead("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"))
            let signature = try key.signature(for: [1])
            #expect(key.publicKey.isValidSignature(signature, for: [1]))
            #expect(!key.publicKey.isValidSignature(signature, for: [2]))
            #expect(isRead(pem))
        }
    }
}
