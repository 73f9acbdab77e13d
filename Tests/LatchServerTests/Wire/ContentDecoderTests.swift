// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import Testing

@testable import LatchServer

@Suite struct `The decoder of contents` {
    struct Outcome: Equatable {
        var content = ""
        var taken = 0
        var isComplete = false
        var refusal: HTTPStatus?
    }

    /// What is read of bytes that arrive in pieces of `size`.
    static func decode(
        _ text: String, _ framing: RequestHead.Framing = .chunked, limit: Int = 100, by size: Int = .max
    ) -> Outcome {
        let bytes = Array(text.utf8)
        var outcome = Outcome()
        do {
            var decoder = try ContentDecoder(framing, limit: limit)
            while outcome.taken < bytes.count, !outcome.isComplete {
                let piece = bytes[outcome.taken...].prefix(size)
                let result = try piece.withUnsafeBufferPointer { try decoder.take($0) }
                outcome.taken += result.taken
                outcome.isComplete = result.isComplete
                outcome.content = String(decoding: decoder.content, as: UTF8.self)
            }
        } catch {
            outcome.refusal = (error as? Refusal)?.status
        }
        return outcome
    }

    static let chunked = "3\r\nabc\r\nA;name=\"value\"\r\n0123456789\r\n00\r\nTrailer: t\r\nOther:\r\n\r\n"

    @Test(arguments: [1, 2, 3, 5, 7, 11, 1000])
    func `reads chunks however they arrive, and nothing behind them`(size: Int) {
        let outcome = Self.decode(Self.chunked + "GET", by: size)
        #expect(outcome.content == "abc0123456789")
        #expect(outcome.isComplete)
        #expect(outcome.taken == Self.chunked.utf8.count)
    }

    @Test func `is not complete before the last byte`() {
        for length in 0..<Self.chunked.utf8.count {
            let outcome = Self.decode(String(decoding: Array(Self.chunked.utf8)[..<length], as: UTF8.self))
            #expect(!outcome.isComplete)
            #expect(outcome.refusal == nil)
        }
    }

    @Test func `reads no content of no chunks`() {
        #expect(Self.decode("0\r\n\r\n") == Outcome(content: "", taken: 5, isComplete: true))
    }

    @Test func `reads a length however it arrives, and nothing behind it`() {
        for size in 1...8 {
            let outcome = Self.decode("abcdefgh", .length(5), by: size)
            #expect(outcome == Outcome(content: "abcde", taken: 5, isComplete: true))
        }
    }

    @Test func `holds to its limit to the byte`() {
        #expect(Self.decode("5\r\nabcde\r\n0\r\n\r\n", limit: 5).isComplete)
        #expect(Self.decode("6\r\nabcdef\r\n0\r\n\r\n", limit: 5).refusal == .contentTooLarge)
        #expect(Self.decode("3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n", limit: 5).refusal == .contentTooLarge)
        #expect(Self.decode("abcde", .length(5), limit: 5).isComplete)
        #expect(Self.decode("", .length(6), limit: 5).refusal == .contentTooLarge)
    }

    @Test(arguments: ["FFFFFFFFFFFFFFFF", "8000000000000000", "7FFFFFFFFFFFFFFF", "00000000000000001"])
    func `never counts further than a number goes`(size: String) {
        #expect(Self.decode(size + "\r\na\r\n").refusal != nil)
    }
}
