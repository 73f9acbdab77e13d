// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import Expectations
import Testing

@testable import LatchServer

@Suite struct HTTP2DataFramesTests {
    private static let frames: [RawFrame] = [
        .settings([(4, 0)]), .post(1), .data(1, []), .data(1, Array(repeating: 0, count: 300)), .ping, .get(5),
        .data(0x7FFF_FFFF, [0, 0, 1, 0]),
    ]

    @Test func `The DATA frames of a client are found in pieces of any length`() {
        let bytes = FrameClient.preface + Self.frames.flatMap(\.bytes)
        var starts: [Int] = []
        var position = FrameClient.preface.count
        for frame in Self.frames {
            if frame.type == 0 { starts.append(position) }
            position += frame.bytes.count
        }
        for size in 1...bytes.count {
            var dataFrames = HTTP2DataFrames()
            var found: [(start: Int, stream: Int32)] = []
            for piece in stride(from: 0, to: bytes.count, by: size) {
                let end = min(piece + size, bytes.count)
                bytes[piece..<end].withUnsafeBufferPointer {
                    while let frame = dataFrames.next(in: $0) { found.append((piece + frame.start, frame.stream)) }
                }
            }
            expectEqual(found.map(\.stream), [1, 1, .max])
            // One whose head began in an earlier piece starts with the piece.
            for (frame, start) in zip(found, starts) { #expect(frame.start >= start && frame.start < start + 9) }
            if size == bytes.count { expectEqual(found.map(\.start), starts) }
        }
    }
}

#endif
