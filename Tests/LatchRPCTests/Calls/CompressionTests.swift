// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import LatchRPC
import Testing

@Suite struct CompressionTests {
    private let gzip = RPCCompression.gzip

    @Test(arguments: [0, 1, 511, 512, 4095, 4096, 4097, 70_000, 1_000_000])
    func `Compressed bytes are restored unchanged`(count: Int)
        throws
    {
        for bytes in [
            [UInt8](repeating: 0, count: count), (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) },
        ] {
            let compressed = try gzip.compress(bytes)
            try expectEqual(gzip.decompress(compressed, count), bytes)
            try expectEqual(gzip.decompress(compressed, .max), bytes, "no limit is a limit too")
            try expectEqual(gzip.decompress(compressed, .max - 1), bytes)
            guard count > 0 else { continue }
            for limit in [0, count / 2, count - 1] {
                #expect(throws: RPCError.resourceExhausted) { try gzip.decompress(compressed, limit) }
            }
        }
    }

    @Test func `Compressed bytes are empty for empty input`() throws {
        try expectEqual(gzip.decompress([], 0), [])
    }

    @Test func `Compressed bytes are rejected if they are truncated anywhere`() throws {
        let compressed = try gzip.compress(Array("a text that is long enough to be cut".utf8))
        for end in 1..<compressed.count {
            #expect(throws: RPCError.invalidArgument) { try gzip.decompress(Array(compressed[..<end]), 1000) }
        }
    }

    @Test func `Compressed bytes are rejected with a flipped bit`() throws {
        let bytes = Array("a text that is long enough to be changed".utf8)
        let compressed = try gzip.compress(bytes)
        // RFC 1952 §2.3.1: time, flags of the compressor and the system are nobody's concern.
        // And the bits behind the last block are nothing (RFC 1951 §3.2.3), which fill the byte before the checksum.
        for place in compressed.indices where !(4...9).contains(place) && place != compressed.count - 9 {
            var changed = compressed
            changed[place] ^= 0x10
            // The flag for a checksum of the head, the name and the comment change what follows; none gives the text.
            #expect(throws: RPCError.self, "\(place)") { try gzip.decompress(changed, 1000) }
        }
        for more in [[0], [0x1F, 0x8B], compressed] as [[UInt8]] {
            #expect(throws: RPCError.invalidArgument) { try gzip.decompress(compressed + more, 1000) }
        }
    }

    @Test func `Compressed bytes that expand to a gigabyte are rejected at the limit, without more memory`() throws {
        // Sixteen times a megabyte in one member, a thousandth of that on the wire.
        let bomb = try gzip.compress([UInt8](repeating: 0, count: 16 << 20))
        #expect(bomb.count < 20_000)
        #expect(throws: RPCError.resourceExhausted) { try gzip.decompress(bomb, 4 << 20) }
        #expect(throws: RPCError.resourceExhausted) { try gzip.decompress(bomb, 0) }
    }
}

@Suite(.timeLimit(.minutes(1))) struct UnlimitedCallTests {
    @Test(arguments: CallStyle.all)
    func `A call without a limit succeeds like any other`(style: CallStyle) async throws {
        let limits = RPCLimits(messageBytes: .max)
        try await withServedNotes(limits: limits) { url in
            let channel = try style.channel(url, limits: limits)
            let note = Note(data: (0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
            try await expectEqual(channel.unary(Notes.echo, note).message, note)
            try await expectEqual(
                channel.clientStream(Notes.add, RPCStream([note, Note(number: 3)])).message.number, 3)
        }
    }
}
