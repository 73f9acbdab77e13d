// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCrypto
import Testing

@Suite struct SecretTests {
    private let canary = "CANARY-0123456789-CANARY-0123456"

    private func prints(_ value: Any) -> String {
        var dumped = ""
        dump(value, to: &dumped)
        return "\(value) \(String(reflecting: value)) \(dumped)"
    }

    /// The ways in which the canary would show: as text, as an array, in hexadecimal.
    private func leaks(_ text: String, of secret: [UInt8]) -> Bool {
        let middle = secret[4..<12]
        let listed = middle.map(String.init).joined(separator: ", ")
        let dumped = middle.map { "- \($0)" }.joined(separator: "\n")
        return text.contains(String(decoding: middle, as: UTF8.self)) || text.contains(listed) || text.contains(dumped)
            || text.lowercased().contains(hexadecimal(middle))
    }

    @Test func `A secret is not in the description of a symmetric key`() {
        let key = SymmetricKey(data: canary.utf8)
        #expect(!leaks(prints(key), of: Array(canary.utf8)))
        expectEqual("\(key)", "SymmetricKey(256 bits, redacted)")
        #expect(!leaks(prints(["k": Optional(key)]), of: Array(canary.utf8)))
    }

    @Test func `A secret is not in the description of signing keys`() throws {
        let ec = try P256.Signing.PrivateKey(rawRepresentation: canary.utf8)
        #expect(!leaks(prints(ec), of: try ec.rawRepresentation))
        let ed = try Curve25519.Signing.PrivateKey(rawRepresentation: canary.utf8)
        #expect(!leaks(prints(ed), of: ed.rawRepresentation))
        let rsa = try RSA.Signing.PrivateKey()
        let numbers = try rsa.numbers
        #expect(!leaks(prints(rsa), of: numbers.privateExponent))
        #expect(!leaks(prints(numbers), of: numbers.privateExponent))
        #expect(!leaks(prints(numbers), of: numbers.firstPrime))
    }

    @Test func `A secret is not in the description of a code or a password hash`() throws {
        let code = HMAC<SHA256>.authenticationCode(for: [], using: SymmetricKey(data: canary.utf8))
        #expect(!leaks(prints(code), of: Array(code)))
        let text = try PasswordHash.make("pw", parameters: Argon2Parameters(memoryKiB: 8, passes: 1))
        let hash = try PasswordHash(parsing: text)
        let tail = String(text.suffix(20))
        #expect(!prints(hash).contains(tail))
    }

    @Test func `A secret is not in the error that refuses it`() {
        do {
            _ = try P256.Signing.PrivateKey(pemRepresentation: "-----BEGIN PRIVATE KEY-----\n\(canary)\n-----END")
            Issue.record("it was taken")
        } catch {
            #expect(!prints(error).contains("CANARY"))
        }
        do {
            _ = try PasswordHash(parsing: "$argon2id$v=19$m=1,t=1,p=1$\(canary)$\(canary)")
            Issue.record("it was taken")
        } catch {
            #expect(!prints(error).contains("CANARY"))
        }
    }

    @Test func `A secret equals another of the same bytes and no other`() {
        expectEqual(SymmetricKey(data: [1, 2, 3]), SymmetricKey(data: [1, 2, 3]))
        expectNotEqual(SymmetricKey(data: [1, 2, 3]), SymmetricKey(data: [1, 2, 4]))
        expectNotEqual(SymmetricKey(data: [1, 2, 3]), SymmetricKey(data: [1, 2]))
        expectEqual(SymmetricKey(data: []), SymmetricKey(data: []))
        expectNotEqual(SymmetricKey(size: .bits256), SymmetricKey(size: .bits256))
    }

    @Test func `A secret is compared in constant time in any kind of collection`() {
        #expect(constantTimeEquals([1, 2, 3], [1, 2, 3]))
        #expect(constantTimeEquals([1, 2, 3], AnyCollection([1, 2, 3])))
        #expect(constantTimeEquals("é".utf8, [0xC3, 0xA9]))
        #expect(!constantTimeEquals(AnyCollection([1, 2, 3]), [1, 2, 4]))
        #expect(!constantTimeEquals([1], []))
        #expect(constantTimeEquals([], EmptyCollection<UInt8>()))
    }
}
