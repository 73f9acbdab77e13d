// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import TestVectors
import Testing

@Suite struct RSAEncryptionTests {
    private static let key = Result { try RSA.Encryption.PrivateKey() }

    @Test(arguments: RSA.Encryption.Hash.allCases)
    func `RSA encryption decrypts an encrypted text with the same digest`(hash: RSA.Encryption.Hash) throws {
        let key = try Self.key.get()
        let longest = 256 - 2 * (hash == .sha1 ? 20 : 32) - 2
        for count in [0, 1, 16, 64, longest] {
            let message = [UInt8](repeating: 3, count: count)
            let ciphertext = try key.publicKey.encrypt(message, hash: hash)
            expectEqual(ciphertext.count, 256)
            try expectEqual(key.decrypt(ciphertext, hash: hash), message)
            try expectNotEqual(key.publicKey.encrypt(message, hash: hash), ciphertext)
            #expect(throws: CryptoError.authenticationFailure) {
                try key.decrypt(ciphertext, hash: hash == .sha1 ? .sha256 : .sha1)
            }
        }
        #expect { try key.publicKey.encrypt([UInt8](repeating: 0, count: longest + 1), hash: hash) } throws: {
            CryptoError.unacceptableParameter ~= $0
        }
    }

    @Test func `RSA encryption has one error for every wrong ciphertext, and none of the text of a key`() throws {
        let key = try Self.key.get()
        let ciphertext = try key.publicKey.encrypt([1, 2, 3])
        var wrong = [[], [0], Array(ciphertext.dropLast()), ciphertext + [0], [UInt8](repeating: 0xFF, count: 256)]
        for place in stride(from: 0, to: 256, by: 51) {
            var changed = ciphertext
            changed[place] ^= 1
            wrong.append(changed)
        }
        for wrong in wrong {
            #expect(throws: CryptoError.authenticationFailure) { try key.decrypt(wrong) }
        }
        let other = try RSA.Encryption.PrivateKey(keySizeInBits: 2048)
        #expect(throws: CryptoError.authenticationFailure) { try other.decrypt(ciphertext) }
        expectEqual("\(key)", "RSA encryption private key (2048 bits, redacted)")
        let restored = try RSA.Encryption.PrivateKey(key.numbers)
        expectEqual(restored.publicKey, key.publicKey)
        try expectEqual(restored.decrypt(ciphertext), [1, 2, 3])
    }

    /// Cases with a label are refused, since RFC 7518 §4.3 has the empty one.
    @Test(
        .enabled(
            if: VectorSet.wycheproof.has("rsa_oaep_2048_sha1_mgf1sha1_test.json"),
            Comment(rawValue: VectorSet.fetchHint)),
        arguments: [
            ("rsa_oaep_2048_sha1_mgf1sha1_test.json", RSA.Encryption.Hash.sha1, 36),
            ("rsa_oaep_2048_sha256_mgf1sha256_test.json", .sha256, 37),
        ])
    func `RSA encryption accepts only Wycheproof's valid ciphertexts`(
        file: String, hash: RSA.Encryption.Hash, count: Int
    ) throws {
        let cases = try VectorSet.wycheproof.cases(file)
        expectEqual(cases.count, count)
        for (group, test) in cases {
            let pem = try #require(group["privateKeyPem"]?.stringValue)
            let key = try RSA.Encryption.PrivateKey(RSA.Signing.PrivateKey(pemRepresentation: pem).numbers)
            let isMeant = test["result"] == "valid" && test["label"] == ""
            let id = test["tcId"]?.intValue ?? 0
            do {
                let message = try key.decrypt(test.hex("ct"), hash: hash)
                #expect(isMeant && message == test.hex("msg"), "\(id)")
            } catch {
                #expect(!isMeant && error == .authenticationFailure, "\(id)")
            }
        }
    }
}
