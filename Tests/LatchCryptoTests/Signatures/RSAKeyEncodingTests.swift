// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import TestVectors
import Testing

@testable import LatchCrypto

/// OpenSSL reads and writes the keys of Linux; the encodings of Apple's systems are compared with its own.
@Suite struct RSAKeyEncodingTests {
    private static let key = Result { try RSA.Signing.PrivateKey() }

    private func isSame(_ left: RSA.Signing.PrivateNumbers, _ right: RSA.Signing.PrivateNumbers) -> Bool {
        RSAKeyEncoding.list(left) == RSAKeyEncoding.list(right)
    }

    @Test func `The encoding of an RSA key is the same text as OpenSSL's`() throws {
        let key = try Self.key.get()
        let (modulus, exponent) = (key.publicKey.modulus, key.publicKey.exponent)
        let spki = RSAKeyEncoding.publicKey(modulus: modulus, exponent: exponent)
        expectEqual(PEMBlock(label: "PUBLIC KEY", content: spki).text, try key.publicKey.pem())
        let pkcs8 = RSAKeyEncoding.privateKey(try key.numbers)
        expectEqual(PEMBlock(label: "PRIVATE KEY", content: pkcs8).text, try key.pem())
    }

    @Test func `The encoding of an RSA key is read from OpenSSL's text, wherever it starts`() throws {
        let key = try Self.key.get()
        let text = "subject=a\r\n" + (try key.publicKey.pem()).replacing("\n", with: "  \r\n") + (try key.pem())
        let half = try PEMBlock.first(labelled: ["PUBLIC KEY"], in: text)
        let numbers = try RSAKeyEncoding.publicNumbers(half.content)
        #expect(numbers.modulus == key.publicKey.modulus && numbers.exponent == key.publicKey.exponent)
        let whole = try PEMBlock.first(labelled: ["RSA PRIVATE KEY", "PRIVATE KEY"], in: text)
        expectEqual(whole.label, "PRIVATE KEY")
        #expect(isSame(try RSAKeyEncoding.privateNumbers(pkcs8: whole.content), try key.numbers))
        let inner = DER.numbers(RSAKeyEncoding.list(try key.numbers))
        #expect(isSame(try RSAKeyEncoding.privateNumbers(pkcs1: inner), try key.numbers))
    }

    @Test func `The encoding of an RSA key can carry attributes and the public key, as PKCS #8 permits`() throws {
        let key = try Self.key.get()
        var reader = DERReader(RSAKeyEncoding.privateKey(try key.numbers))
        let content = try Array(reader.take(DER.sequence).dropFirst(3))
        let extended = DER.element(
            DER.sequence, DER.number([1]), content, DER.element(DER.contexts.0, []), DER.element(0x81, [0, 1]))
        #expect(isSame(try RSAKeyEncoding.privateNumbers(pkcs8: extended), try key.numbers))
        #expect(throws: DERError.self) {
            try RSAKeyEncoding.privateNumbers(pkcs8: DER.element(DER.sequence, DER.number([]), content, [5, 0]))
        }
    }

    @Test func `The encoding of an RSA key of another kind, or damaged, is refused`() throws {
        let key = try Self.key.get()
        let numbers = try key.numbers
        let spki = RSAKeyEncoding.publicKey(modulus: numbers.modulus, exponent: numbers.exponent)
        let pkcs8 = RSAKeyEncoding.privateKey(numbers)
        for bytes in [pkcs8, spki + [0], Array(spki.dropLast()), [], [0x30, 0x00]] {
            #expect(throws: DERError.self) { try RSAKeyEncoding.publicNumbers(bytes) }
        }
        for bytes in [spki, pkcs8 + [0], Array(pkcs8.dropLast()), []] {
            #expect(throws: DERError.self) { try RSAKeyEncoding.privateNumbers(pkcs8: bytes) }
            #expect(throws: DERError.self) { try RSAKeyEncoding.privateNumbers(pkcs1: bytes) }
        }
        let point = try P256.Signing.PrivateKey().publicKey.pem()
        let other = try PEMBlock.first(labelled: ["PUBLIC KEY"], in: point)
        #expect(throws: DERError.self) { try RSAKeyEncoding.publicNumbers(other.content) }
    }

    @Test(arguments: ["", "no key", "-----BEGIN PUBLIC KEY-----\nAAAA", "-----BEGIN KEY-----\nAAAA\n-----END KEY-----"])
    func `The encoding of an RSA key needs a whole block of its label`(text: String) {
        #expect { try PEMBlock.first(labelled: ["PUBLIC KEY"], in: text) } throws: { CryptoError.malformedKey ~= $0 }
    }
}
