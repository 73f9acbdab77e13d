// SPDX-License-Identifier: Apache-2.0

import TestVectors
import Testing

@testable import LatchCrypto

/// OpenSSL reads and writes the keys of Linux; the encodings of Apple's systems are compared with its own.
@Suite struct `The encoding of an RSA key` {
    private static let key = Result { try RSA.Signing.PrivateKey() }

    private func isSame(_ left: RSA.Signing.PrivateNumbers, _ right: RSA.Signing.PrivateNumbers) -> Bool {
        RSAKeyEncoding.list(left) == RSAKeyEncoding.list(right)
    }

    @Test func `is the same text as OpenSSL's`() throws {
        let key = try Self.key.get()
        let (modulus, exponent) = (key.publicKey.modulus, key.publicKey.exponent)
        let spki = RSAKeyEncoding.publicKey(modulus: modulus, exponent: exponent)
        #expect(PEM.text(spki, label: "PUBLIC KEY") == (try key.publicKey.pem()))
        #expect(PEM.text(RSAKeyEncoding.privateKey(try key.numbers), label: "PRIVATE KEY") == (try key.pem()))
    }

    @Test func `is read from OpenSSL's text, wherever it stands in it`() throws {
        let key = try Self.key.get()
        let text = "subject=a\r\n" + (try key.publicKey.pem()).replacing("\n", with: "  \r\n") + (try key.pem())
        let half = try #require(PEM.content(of: text, labels: ["PUBLIC KEY"]))
        let numbers = try RSAKeyEncoding.publicNumbers(half.bytes)
        #expect(numbers.modulus == key.publicKey.modulus && numbers.exponent == key.publicKey.exponent)
        let whole = try #require(PEM.content(of: text, labels: ["RSA PRIVATE KEY", "PRIVATE KEY"]))
        #expect(whole.label == "PRIVATE KEY")
        #expect(isSame(try RSAKeyEncoding.privateNumbers(pkcs8: whole.bytes), try key.numbers))
        let inner = DER.numbers(RSAKeyEncoding.list(try key.numbers))
        #expect(isSame(try RSAKeyEncoding.privateNumbers(pkcs1: inner), try key.numbers))
    }

    @Test func `may carry attributes and the public key, as PKCS #8 permits`() throws {
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

    @Test func `of another kind, or damaged, is refused`() throws {
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
        let other = try #require(PEM.content(of: point, labels: ["PUBLIC KEY"]))
        #expect(throws: DERError.self) { try RSAKeyEncoding.publicNumbers(other.bytes) }
    }

    @Test(arguments: [
        "", "-----BEGIN PUBLIC KEY-----", "-----BEGIN PUBLIC KEY-----\nAAAA",
        "-----BEGIN PUBLIC KEY-----\nAAA\n-----END PUBLIC KEY-----",
        "-----BEGIN PUBLIC KEY-----\nA===\n-----END PUBLIC KEY-----", "-----BEGIN KEY-----\nAAAA\n-----END KEY-----",
        "-----BEGIN PUBLIC KEY-----\nProc-Type: 4,ENCRYPTED\nAAAA\n-----END PUBLIC KEY-----",
        "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PRIVATE KEY-----",
    ])
    func `needs a whole block`(text: String) {
        #expect(PEM.content(of: text, labels: ["PUBLIC KEY"]) == nil)
    }
}
