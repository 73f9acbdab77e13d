// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import Testing

@testable import LatchServer

@Suite struct FramedContentTests {
    struct Decoded: Equatable {
        var content = ""
        var taken = 0
        var isComplete = false
        var rejection: HTTPStatus?
    }

    /// Decodes bytes that arrive in pieces of `size`.
    static func decode(
        _ text: String, _ framing: RequestHead.Framing = .chunked, limit: Int = 100, by size: Int = .max
    ) -> Decoded {
        let bytes = Array(text.utf8)
        var outcome = Decoded()
        do {
            var decoder = try FramedContent(framing, limit: limit)
            while outcome.taken < bytes.count, !outcome.isComplete {
                let piece = bytes[outcome.taken...].prefix(size)
                let result = try piece.withUnsafeBufferPointer { try decoder.decode($0) }
                outcome.taken += result.count
                outcome.isComplete = result.isComplete
                outcome.content = String(decoding: decoder.content, as: UTF8.self)
            }
        } catch {
            outcome.rejection = (error as? Rejection)?.status
        }
        return outcome
    }

    static let chunked = "3\r\nabc\r\nA;name=\"value\"\r\n0123456789\r\n00\r\nTrailer: t\r\nOther:\r\n\r\n"

    @Test(arguments: [1, 2, 3, 5, 7, 11, 1000])
    func `The content decoder decodes chunks however they arrive, and nothing after them`(size: Int) {
        let outcome = Self.decode(Self.chunked + "GET", by: size)
        expectEqual(outcome.content, "abc0123456789")
        #expect(outcome.isComplete)
        expectEqual(outcome.taken, Self.chunked.utf8.count)
    }

    @Test func `The content decoder is not complete before the last byte`() {
        for length in 0..<Self.chunked.utf8.count {
            let outcome = Self.decode(String(decoding: Array(Self.chunked.utf8)[..<length], as: UTF8.self))
            #expect(!outcome.isComplete)
            expectNil(outcome.rejection)
        }
    }

    @Test func `The content decoder decodes empty content`() {
        expectEqual(Self.decode("0\r\n\r\n"), Decoded(content: "", taken: 5, isComplete: true))
    }

    @Test func `The content decoder decodes a length however it arrives, and nothing after it`() {
        for size in 1...8 {
            let outcome = Self.decode("abcdefgh", .length(5), by: size)
            expectEqual(outcome, Decoded(content: "abcde", taken: 5, isComplete: true))
        }
    }

    @Test func `The content decoder applies its limit to the byte`() {
        #expect(Self.decode("5\r\nabcde\r\n0\r\n\r\n", limit: 5).isComplete)
        expectEqual(Self.decode("6\r\nabcdef\r\n0\r\n\r\n", limit: 5).rejection, .contentTooLarge)
        expectEqual(Self.decode("3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n", limit: 5).rejection, .contentTooLarge)
        #expect(Self.decode("abcde", .length(5), limit: 5).isComplete)
        expectEqual(Self.decode("", .length(6), limit: 5).rejection, .contentTooLarge)
    }

    @Test(arguments: ["FFFFFFFFFFFFFFFF", "8000000000000000", "7FFFFFFFFFFFFFFF", "00000000000000001"])
    func `The content decoder never overflows`(size: String) {
        #expect(Self.decode(size + "\r\na\r\n").rejection != nil)
    }
}

@Suite struct ContentLimitTests {
    private let policy = ContentPolicy(limits: ["/a.S/": 50], streamed: ["/a.S/Add"])

    private func bytes(_ path: String, _ limits: [String: Int]) -> Int {
        var configuration = Server.Configuration()
        configuration.maximumBodyBytes = 100
        configuration.contentLimits = limits
        return ContentLimits(configuration, policy).limit(at: path).bytes
    }

    @Test func `The limits of content are those of the handler, with room for several messages of a stream`() {
        #expect(bytes("/a.S/Get", [:]) == 50 && bytes("/a.S/Add", [:]) == 100 && bytes("/b", [:]) == 100)
    }

    @Test(arguments: ["/", "/a.S", "/a.S/"])
    func `The limits of content are never above the configuration`(prefix: String) {
        #expect(bytes("/a.S/Get", [prefix: 10]) == 10 && bytes("/a.S/Add", [prefix: 10]) == 10)
        expectEqual(bytes("/a.S/Add", [prefix: 10, "/a.S/Add": 20]), 20)
    }
}
