// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import TestVectors
import Testing

@Suite struct SeededBytesTests {
    @Test(arguments: 0..<4 as Range<UInt64>)
    func `Bytes from a generator begin alike for any number of them`(seed: UInt64) {
        var long = SeededGenerator(seed: seed)
        let all = SecureRandom.bytes(100, using: &long)
        for count in 0...100 {
            var generator = SeededGenerator(seed: seed)
            expectEqual(SecureRandom.bytes(count, using: &generator), Array(all.prefix(count)), "seed \(seed)")
        }
    }

    @Test func `Bytes from a generator use no more of it than they need`() {
        struct Counting: RandomNumberGenerator {
            var calls = 0
            mutating func next() -> UInt64 {
                calls += 1
                return 0
            }
        }
        for (count, calls) in [(-5, 0), (0, 0), (1, 1), (8, 1), (9, 2), (16, 2), (17, 3)] {
            var generator = Counting()
            _ = SecureRandom.bytes(count, using: &generator)
            expectEqual(generator.calls, calls, "\(count) bytes")
        }
    }

    @Test func `Bytes from the system's generator have every value, and none much more often than another`() {
        var counts = [Int](repeating: 0, count: 256)
        for byte in SecureRandom.bytes(1 << 20) { counts[Int(byte)] += 1 }
        // 4096 of each are expected, with a deviation of 64; a sound generator is ten deviations off once in 10^21.
        #expect(counts.allSatisfy { abs($0 - 4_096) < 640 })
    }

    @Test func `Bytes from the system's generator do not repeat among tasks`() async {
        let values = await withTaskGroup(of: [[UInt8]].self) { group in
            for _ in 0..<16 { group.addTask { (0..<100).map { _ in SecureRandom.bytes(16) } } }
            return await group.reduce(into: Set<[UInt8]>()) { $0.formUnion($1) }
        }
        expectEqual(values.count, 1_600)
    }
}

@Suite struct CryptoErrorTests {
    @Test func `An error of this module has a code, a message and mostly a hint, and no two codes are one`() {
        let errors: [CryptoError] = [
            .malformedKey, .malformedSignature, .unacceptableParameter, .authenticationFailure, .malformedHash,
            .engineFailure, .unavailable,
        ]
        expectEqual(Set(errors.map(\.code)).count, errors.count)
        for error in errors {
            #expect(!error.message.isEmpty && error.message.hasSuffix("."))
            expectNotEqual(error.hint?.isEmpty, true)
        }
        expectNil(CryptoError.unavailable.hint)
    }

    @Test func `An error of this module is matched by its code only`() throws {
        do {
            _ = try AES.GCM.Nonce(data: [])
            Issue.record("it was taken")
        } catch {
            #expect(CryptoError.unacceptableParameter ~= error)
            #expect(!(CryptoError.malformedKey ~= error))
            #expect(error.message.contains("12 bytes") && error.message != CryptoError.unacceptableParameter.message)
        }
    }
}
