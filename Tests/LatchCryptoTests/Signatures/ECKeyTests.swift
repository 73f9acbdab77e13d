// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import TestTags
import Testing

@Suite struct ECKeyTests {
    // RFC 6979 appendix A.2.5.
    @Test func `A key on a NIST curve has the public point of RFC 6979's secret number`() throws {
        let secret = bytes("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721")
        let key = try P256.Signing.PrivateKey(rawRepresentation: secret)
        expectEqual(
            hexadecimal(key.publicKey.rawRepresentation).uppercased(),
            "60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"
                + "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299")
    }

    @Test func `A key on a NIST curve is refused if its number is zero or not below the order`() {
        let order = "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551"
        for secret in [[UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xFF, count: 32), bytes(order), [1], []] {
            #expect { try P256.Signing.PrivateKey(rawRepresentation: secret) } throws: {
                CryptoError.malformedKey ~= $0
            }
        }
    }

    @Test(.tags(.tokenForgery)) func `A key on a NIST curve is refused if its point is not on the curve`() throws {
        let point = try P256.Signing.PrivateKey().publicKey.x963Representation
        var off = point
        off[64] ^= 1
        let zeros: [UInt8] = [4] + [UInt8](repeating: 0, count: 64)
        let compressed = [2] + point[1...32]
        let cut = Array(point.dropLast())
        for wrong: [UInt8] in [off, zeros, Array(compressed), [0], [], cut, point + [0], [4] + cut] {
            #expect { try P256.Signing.PublicKey(x963Representation: wrong) } throws: { CryptoError.malformedKey ~= $0 }
        }
    }

    @Test(.tags(.tokenForgery))
    func `A key on a NIST curve of another curve or kind is refused in every form`() throws {
        let other = try P384.Signing.PrivateKey()
        let otherPEM = try other.pem()
        let otherPublicPEM = try other.publicKey.pem()
        let rsaPEM = try RSA.Signing.PrivateKey().publicKey.pem()
        #expect(throws: CryptoError.self) { try P256.Signing.PrivateKey(pemRepresentation: otherPEM) }
        #expect(throws: CryptoError.self) { try P256.Signing.PublicKey(pemRepresentation: otherPublicPEM) }
        #expect(throws: CryptoError.self) { try P256.Signing.PublicKey(pemRepresentation: rsaPEM) }
        #expect(throws: CryptoError.self) { try RSA.Signing.PublicKey(pemRepresentation: otherPublicPEM) }
        #expect(throws: CryptoError.self) {
            try P256.Signing.PublicKey(x963Representation: other.publicKey.x963Representation)
        }
    }

    @Test func `A key on a NIST curve is refused if damaged, empty or encrypted, without a passphrase prompt`() {
        let encrypted = """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjN4SbZcQ2qvAICCAAw
            DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEHBy6H7RrKvSlRqXx+Yp7lMEgZA=
            -----END ENCRYPTED PRIVATE KEY-----
            """
        for text in ["", "no PEM", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", encrypted] {
            #expect { try P256.Signing.PrivateKey(pemRepresentation: text) } throws: { CryptoError.malformedKey ~= $0 }
            #expect { try P256.Signing.PublicKey(pemRepresentation: text) } throws: { CryptoError.malformedKey ~= $0 }
        }
    }

    @Test func `A key on a NIST curve is refused if something follows its DER`() throws {
        let der = bytes("3059301306072a8648ce3d020106082a8648ce3d030107034200042927b1")
        #expect(throws: CryptoError.self) { try P256.Signing.PublicKey(derRepresentation: der) }
        #expect(throws: CryptoError.self) { try P256.Signing.PublicKey(derRepresentation: []) }
    }

    private func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex)
        return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
    }
}
