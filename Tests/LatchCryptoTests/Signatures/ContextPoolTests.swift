// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCrypto
import TestVectors
import Testing

@Suite struct ContextPoolTests {
    @Test func `A key that is used again and again answers the same after any number of refusals`() throws {
        let key = try P256.Signing.PrivateKey()
        let good = try key.signature(for: [1])
        let zeros = try P256.Signing.ECDSASignature(rawRepresentation: [UInt8](repeating: 0, count: 64))
        let full = try P256.Signing.ECDSASignature(rawRepresentation: [UInt8](repeating: 0xFF, count: 64))
        for _ in 0..<100 {
            #expect(!key.publicKey.isValidSignature(zeros, for: [1]))
            #expect(!key.publicKey.isValidSignature(full, for: [1]))
            #expect(!key.publicKey.isValidSignature(good, for: [2]))
            #expect(key.publicKey.isValidSignature(good, for: [1]))
        }
    }

    @Test(arguments: 0..<3 as Range<UInt64>)
    func `A key that is used again and again keeps its RSA schemes apart, in any order of use`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let key = try RSA.Signing.PrivateKey()
        for _ in 0..<60 {
            let (padding, hash) = (Self.padding(&numbers), Self.hash(&numbers))
            let text = numbers.bytes(20)
            let signature = try key.signature(for: text, padding: padding, hash: hash)
            #expect(
                key.publicKey.isValidSignature(signature, for: text, padding: padding, hash: hash), "seed \(seed)")
            let (otherPadding, otherHash) = (Self.padding(&numbers), Self.hash(&numbers))
            let isSame = otherPadding == padding && otherHash == hash
            expectEqual(
                key.publicKey.isValidSignature(signature, for: text, padding: otherPadding, hash: otherHash), isSame,
                "seed \(seed)")
        }
    }

    private static func padding(_ numbers: inout SeededGenerator) -> RSA.Signing.Padding {
        RSA.Signing.Padding.allCases.randomElement(using: &numbers) ?? .pss
    }

    private static func hash(_ numbers: inout SeededGenerator) -> RSA.Signing.Hash {
        RSA.Signing.Hash.allCases.randomElement(using: &numbers) ?? .sha256
    }

    @Test func `A key that is used again and again is still itself after its first owner has gone`() throws {
        func half() throws -> (P521.Signing.PublicKey, P521.Signing.ECDSASignature) {
            let key = try P521.Signing.PrivateKey()
            return (key.publicKey, try key.signature(for: [1]))
        }
        let (published, signature) = try half()
        for _ in 0..<10 { #expect(published.isValidSignature(signature, for: [1])) }
        let copies = [P521.Signing.PublicKey](repeating: published, count: 3)
        #expect(copies.allSatisfy { $0 == published && $0.isValidSignature(signature, for: [1]) })
    }

    @Test func `A key that is used again and again goes while tasks still work with copies of it`() async throws {
        let good = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<40 {
                let key = try Curve25519.Signing.PrivateKey()
                let other = try P256.Signing.PrivateKey()
                group.addTask {
                    let signature = try key.signature(for: [UInt8(number)])
                    let second = try other.signature(for: [UInt8(number)])
                    await Task.yield()
                    return key.publicKey.isValidSignature(signature, for: [UInt8(number)])
                        && other.publicKey.isValidSignature(second, for: [UInt8(number)])
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        expectEqual(good, 40)
    }
}
