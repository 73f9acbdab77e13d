// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import TestVectors
import Testing

@Suite struct RSAHostileTests {
    private static let key = Result { try RSA.Signing.PrivateKey() }

    private func refuses(_ numbers: RSA.Signing.PrivateNumbers) -> Bool {
        do {
            _ = try RSA.Signing.PrivateKey(numbers)
            return false
        } catch {
            return CryptoError.malformedKey ~= error
        }
    }

    @Test func `Hostile numbers of an RSA key are refused if any of them is changed, missing, zero or one`() throws {
        let good = try Self.key.get().numbers
        let parts: [WritableKeyPath<RSA.Signing.PrivateNumbers, [UInt8]>] = [
            \.modulus, \.privateExponent, \.firstPrime, \.secondPrime, \.exponent,
        ]
        for part in parts {
            for content in [[], [0], [1], good[keyPath: part].reversed(), good[keyPath: part] + [1]] as [[UInt8]] {
                var numbers = good
                numbers[keyPath: part] = content
                // A number that reads the same backwards, such as 65537, is no change.
                guard content != good[keyPath: part] else { continue }
                #expect(refuses(numbers), "\(content.count) bytes")
            }
        }
    }

    @Test func `Hostile numbers of an RSA key are refused if the primes of two keys are mixed`() throws {
        let (one, other) = (try Self.key.get().numbers, try RSA.Signing.PrivateKey().numbers)
        var numbers = one
        numbers.firstPrime = other.firstPrime
        #expect(refuses(numbers))
        numbers = one
        numbers.privateExponent = other.privateExponent
        #expect(refuses(numbers))
        numbers = one
        numbers.modulus = other.modulus
        #expect(refuses(numbers))
    }

    // H7: 2^44497 - 1 is a Mersenne prime. To find that out takes minutes, so its length is looked at first.
    @Test func `Hostile numbers of an RSA key are refused if a prime is far too long, before it is tested`() throws {
        let good = try Self.key.get().numbers
        let parts: [WritableKeyPath<RSA.Signing.PrivateNumbers, [UInt8]>] = [
            \.privateExponent, \.firstPrime, \.secondPrime, \.firstExponent, \.secondExponent, \.coefficient,
        ]
        for part in parts {
            var numbers = good
            numbers[keyPath: part] = [1] + [UInt8](repeating: 0xFF, count: 5_562)
            #expect(refuses(numbers))
            numbers[keyPath: part] = [UInt8](repeating: 0xFF, count: 257)
            #expect(refuses(numbers))
        }
    }

    @Test func `Hostile numbers of an RSA key are refused if the modulus is out of bounds`() throws {
        var numbers = try Self.key.get().numbers
        for count in [0, 1, 128, 255, 1_025, 100_000] {
            numbers.modulus = [UInt8](repeating: 0xFF, count: count)
            #expect(refuses(numbers), "\(count) bytes")
        }
    }

    @Test func `Hostile numbers of an RSA key can begin with zeros, which do not count`() throws {
        let good = try Self.key.get()
        var numbers = try good.numbers
        numbers.modulus.insert(0, at: 0)
        numbers.privateExponent.insert(contentsOf: [0, 0], at: 0)
        numbers.firstPrime.insert(0, at: 0)
        let key = try RSA.Signing.PrivateKey(numbers)
        expectEqual(key.publicKey, good.publicKey)
        try expectEqual(key.numbers.modulus, good.publicKey.modulus)
    }

    @Test(.enabled(if: OpenSSLCommand.isPresent, Comment(rawValue: OpenSSLCommand.hint)))
    func `Hostile numbers of an RSA key are refused if they are of a key of three primes`() async throws {
        let command = try OpenSSLCommand()
        try await command.run("genrsa", "-primes", "3", "-out", "three.pem", "2048")
        let text = try command.text("three.pem")
        #expect { try RSA.Signing.PrivateKey(pemRepresentation: text) } throws: { CryptoError.malformedKey ~= $0 }
    }
}

@Suite struct RSABoundsTests {
    @Test func `The bounds of an RSA public key let in 2048 to 8192 bits, and nothing a bit beyond`() throws {
        func odd(_ bits: Int) -> [UInt8] {
            let lead = bits % 8 == 0 ? 0xFF : UInt8(1 << (bits % 8)) - 1
            return [lead] + [UInt8](repeating: 0xFF, count: (bits + 7) / 8 - 1)
        }
        for bits in [2_048, 2_049, 4_096, 8_191, 8_192] {
            try expectEqual(RSA.Signing.PublicKey(modulus: odd(bits), exponent: [3]).keySizeInBits, bits)
        }
        for bits in [1_024, 2_047, 8_193, 16_384] {
            #expect { try RSA.Signing.PublicKey(modulus: odd(bits), exponent: [3]) } throws: {
                CryptoError.malformedKey ~= $0
            }
        }
    }

    @Test func `The bounds of an RSA public key let in odd exponents from 3 to 32 bits, and nothing else`() throws {
        let modulus = [UInt8](repeating: 0xFF, count: 256)
        for exponent in [[3], [17], [1, 0, 1], [0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 0, 3]] as [[UInt8]] {
            _ = try RSA.Signing.PublicKey(modulus: modulus, exponent: exponent)
        }
        for exponent in [[], [0], [1], [2], [4], [1, 0], [0, 1], [1, 0, 0, 0, 1]] as [[UInt8]] {
            #expect { try RSA.Signing.PublicKey(modulus: modulus, exponent: exponent) } throws: {
                CryptoError.malformedKey ~= $0
            }
        }
    }

    @Test func `The bounds of an RSA public key also hold for making a key`() {
        for bits in [Int.min, -1, 0, 512, 2_047, 8_193, Int.max] {
            #expect { try RSA.Signing.PrivateKey(keySizeInBits: bits) } throws: {
                CryptoError.unacceptableParameter ~= $0
            }
        }
    }

    @Test func `RSA public keys are compared by their numbers, also in a set`() throws {
        let modulus = [UInt8](repeating: 0xFF, count: 256)
        let three = try RSA.Signing.PublicKey(modulus: modulus, exponent: [3])
        let five = try RSA.Signing.PublicKey(modulus: modulus, exponent: [5])
        let again = try RSA.Signing.PublicKey(modulus: AnyCollection([0, 0] + modulus), exponent: [0, 3])
        #expect(three == again && three != five)
        expectEqual(Set([three, five, again]).count, 2)
    }

    @Test func `An RSA public key refuses signatures of every other length than its modulus`() throws {
        let key = try RSA.Signing.PublicKey(modulus: [UInt8](repeating: 0xFF, count: 256), exponent: [3])
        for count in [0, 1, 255, 256, 257, 512] {
            for content in [0, 0xFF] as [UInt8] {
                let signature = [UInt8](repeating: content, count: count)
                for padding in RSA.Signing.Padding.allCases {
                    for hash in RSA.Signing.Hash.allCases {
                        #expect(!key.isValidSignature(signature, for: [1], padding: padding, hash: hash))
                    }
                }
            }
        }
    }

    @Test func `One RSA key signs and verifies on many tasks at once, in every scheme`() async throws {
        let key = try RSA.Signing.PrivateKey()
        let good = try await withThrowingTaskGroup(of: Bool.self) { group in
            for padding in RSA.Signing.Padding.allCases {
                for hash in RSA.Signing.Hash.allCases {
                    for worker in 0..<8 {
                        group.addTask {
                            let text = [UInt8(worker)]
                            let signature = try key.signature(for: text, padding: padding, hash: hash)
                            await Task.yield()
                            return key.publicKey.isValidSignature(signature, for: text, padding: padding, hash: hash)
                                && !key.publicKey.isValidSignature(signature, for: [99], padding: padding, hash: hash)
                        }
                    }
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        expectEqual(good, 48)
    }
}
