// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCrypto
import Testing

/// Bytes that do not lie in one place, as those of a chain of network buffers do not.
private func scattered(_ bytes: [UInt8]) -> some Collection<UInt8> {
    let half = bytes.count / 2
    return [bytes[..<half], bytes[half...]].joined()
}

@Suite struct CollectionTests {
    private let text = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    @Test func `The test collection is really noncontiguous`() {
        expectNil(scattered(text).withContiguousStorageIfAvailable { _ in true })
        expectEqual(Array(scattered(text)), text)
    }

    @Test func `Noncontiguous bytes are signed and verified by ECDSA`() throws {
        let key = try P256.Signing.PrivateKey()
        let signature = try key.signature(for: scattered(text))
        #expect(key.publicKey.isValidSignature(signature, for: text))
        #expect(key.publicKey.isValidSignature(try key.signature(for: text), for: scattered(text)))
        let again = try P256.Signing.ECDSASignature(rawRepresentation: scattered(signature.rawRepresentation))
        expectEqual(again, signature)
        try expectEqual(
            P256.Signing.ECDSASignature(derRepresentation: scattered(signature.derRepresentation)), signature)
        let point = scattered(key.publicKey.x963Representation)
        try expectEqual(P256.Signing.PublicKey(x963Representation: point), key.publicKey)
        let restored = try P256.Signing.PrivateKey(rawRepresentation: scattered(key.rawRepresentation))
        expectEqual(restored.publicKey, key.publicKey)
    }

    @Test func `Noncontiguous bytes are signed and verified by Ed25519`() throws {
        let key = try Curve25519.Signing.PrivateKey()
        let signature = try key.signature(for: scattered(text))
        try expectEqual(key.signature(for: text), signature)
        #expect(key.publicKey.isValidSignature(scattered(signature), for: scattered(text)))
        #expect(!key.publicKey.isValidSignature(scattered(signature), for: scattered(text + [0])))
        let half = try Curve25519.Signing.PublicKey(rawRepresentation: scattered(key.publicKey.rawRepresentation))
        expectEqual(half, key.publicKey)
    }

    @Test func `Noncontiguous bytes are signed and verified by RSA`() throws {
        let key = try RSA.Signing.PrivateKey()
        for padding in RSA.Signing.Padding.allCases {
            let signature = try key.signature(for: scattered(text), padding: padding, hash: .sha512)
            #expect(key.publicKey.isValidSignature(scattered(signature), for: text, padding: padding, hash: .sha512))
        }
        let half = try RSA.Signing.PublicKey(modulus: scattered(key.publicKey.modulus), exponent: scattered([1, 0, 1]))
        expectEqual(half, key.publicKey)
    }

    @Test
    func `Noncontiguous bytes are sealed, opened, digested and authenticated`() throws {
        let key = SymmetricKey(data: scattered((0..<32).map { UInt8($0) }))
        let box = try AES.GCM.seal(scattered(text), using: key, authenticating: scattered(text))
        try expectEqual(AES.GCM.open(box, using: key, authenticating: text), text)
        expectEqual(SHA384.hash(data: scattered(text)), SHA384.hash(data: text))
        let code = HMAC<SHA256>.authenticationCode(for: scattered(text), using: key)
        #expect(HMAC<SHA256>.isValidAuthenticationCode(scattered(Array(code)), authenticating: text, using: key))
        #expect(constantTimeEquals(scattered(text), scattered(text)))
        #expect(!constantTimeEquals(scattered(text), scattered(text.reversed())))
    }
}
