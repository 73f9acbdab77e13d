// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCrypto
import Testing

@Suite struct DigestTests {
    private let digest = SHA256.hash(data: "abc".utf8)

    @Test func `The value of a digest is a collection of its bytes, forwards and by index`() {
        let bytes = Array(digest)
        expectEqual(bytes.count, 32)
        #expect(digest.startIndex == 0 && digest.endIndex == 32)
        #expect(digest[0] == 0xBA && digest[31] == 0xAD)
        expectEqual(digest.indices.map { digest[$0] }, bytes)
        expectEqual(Array(digest.reversed()), bytes.reversed())
        expectEqual(digest.withContiguousStorageIfAvailable { Array($0) }, bytes)
    }

    @Test func `The value of a digest prints as two hexadecimal digits for each byte, zeros included`() {
        expectEqual("\(digest)".count, 64)
        expectEqual("\(digest)", hexadecimal(digest))
        // The digest of the number 39 in one byte begins with a byte below 16 and keeps its zero.
        let small = (0...255).map { SHA256.hash(data: [$0]) }.first { $0[0] < 16 }
        expectEqual(small.map { "\($0)".hasPrefix("0") }, true)
        expectEqual(small.map { "\($0)".count }, 64)
    }

    @Test func `The value of a digest equals the digest of the same text and serves as a key of a dictionary`() {
        expectEqual(digest, SHA256.hash(data: Array("abc".utf8)))
        expectNotEqual(digest, SHA256.hash(data: "abd".utf8))
        let counted = [digest: 1].merging([SHA256.hash(data: "abc".utf8): 2], uniquingKeysWith: +)
        expectEqual(counted, [digest: 3])
    }

    @Test func `The value of a digest differs from a digest of another length`() {
        expectNotEqual(SHA384.hash(data: "abc".utf8), SHA512.hash(data: "abc".utf8))
        expectNotEqual(SHA256.hash(data: []), SHA384.hash(data: []))
    }

    @Test func `The value of a digest is written to lent memory, and never to memory that is too short for it`() {
        var state = SHA384()
        state.update(data: "abc".utf8)
        for room in [48, 49, 64] {
            var memory = [UInt8](repeating: 0xEE, count: room)
            memory.withUnsafeMutableBufferPointer { state.finalize(into: $0) }
            expectEqual(Array(memory.prefix(48)), Array(SHA384.hash(data: "abc".utf8)))
            #expect(memory.dropFirst(48).allSatisfy { $0 == 0xEE })
        }
        for room in [0, 1, 47] {
            var memory = [UInt8](repeating: 0xEE, count: room)
            memory.withUnsafeMutableBufferPointer { state.finalize(into: $0) }
            #expect(memory.allSatisfy { $0 == 0xEE })
        }
    }

    @Test func `The value of a digest of every kind leaves short memory as it was`() {
        var memory = [UInt8](repeating: 0xEE, count: 31)
        memory.withUnsafeMutableBufferPointer { SHA256().finalize(into: $0) }
        expectEqual(memory, [UInt8](repeating: 0xEE, count: 31))
        memory = [UInt8](repeating: 0xEE, count: 63)
        memory.withUnsafeMutableBufferPointer { SHA512().finalize(into: $0) }
        expectEqual(memory, [UInt8](repeating: 0xEE, count: 63))
    }

    @Test func `The value of a digest is the same for any kind of collection of the same bytes`() {
        let bytes = Array("a longer text than one block of the digest, which is sixty-four bytes".utf8)
        let whole = SHA512.hash(data: bytes)
        expectEqual(SHA512.hash(data: bytes[...]), whole)
        expectEqual(SHA512.hash(data: ([1, 2] + bytes)[2...]), whole)
        expectEqual(SHA512.hash(data: bytes.lazy.map { $0 }), whole)
        expectEqual(SHA512.hash(data: AnyCollection(bytes)), whole)
        expectEqual(SHA512.hash(data: EmptyCollection()), SHA512.hash(data: [] as [UInt8]))
        expectEqual(SHA512.hash(data: CollectionOfOne(7)), SHA512.hash(data: [7]))
        expectEqual(
            SHA512.hash(data: repeatElement(7, count: 300)), SHA512.hash(data: [UInt8](repeating: 7, count: 300)))
    }

    @Test func `The value of a digest can be read in the middle without ending the message`() {
        var state = SHA384()
        for number in 0..<300 {
            let sofar = (0..<number).map { UInt8(truncatingIfNeeded: $0) }
            expectEqual(state.finalize(), SHA384.hash(data: sofar))
            expectEqual(state.finalize(), state.finalize())
            state.update(data: CollectionOfOne(UInt8(truncatingIfNeeded: number)))
        }
    }
}
