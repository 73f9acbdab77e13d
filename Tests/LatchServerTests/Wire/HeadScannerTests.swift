// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import Testing

@testable import LatchServer

@Suite struct HeadScannerTests {
    static let limits = HeadLimits(bytes: 200, fieldCount: 3)

    /// Returns the length of the head, or the status of its rejection, when it is split at `cuts`.
    static func scan(_ text: String, cuts: [Int] = []) -> (end: Int?, refusal: HTTPStatus?) {
        let bytes = Array(text.utf8)
        var scanner = HeadScanner()
        for length in cuts + [bytes.count] {
            do {
                let end = try bytes[..<length].withUnsafeBufferPointer { try scanner.scan($0, limits: limits) }
                if let end { return (end, nil) }
            } catch {
                return (nil, (error as? Rejection)?.status)
            }
        }
        return (nil, nil)
    }

    static let head = "GET /path HTTP/1.1\r\nHost: a\r\nX: b\tc\r\n\r\n"

    @Test func `The head scanner finds the end of a head in any pieces`() {
        for cut in 0...Self.head.utf8.count {
            expectEqual(Self.scan(Self.head + "rest", cuts: [cut]).end, Self.head.utf8.count)
        }
        expectEqual(Self.scan(Self.head, cuts: Array(0..<Self.head.utf8.count)).end, Self.head.utf8.count)
    }

    @Test func `The head scanner waits for missing bytes`() {
        for length in 0..<Self.head.utf8.count {
            let (end, refusal) = Self.scan(String(decoding: Array(Self.head.utf8)[..<length], as: UTF8.self))
            expectNil(end)
            expectNil(refusal)
        }
    }

    @Test(arguments: (0..<32).filter { $0 != 9 } + [127])
    func `The head scanner rejects every control character but the tab, at any position and in any pieces`(control: Int)
        throws
    {
        let scalar = try #require(Unicode.Scalar(control))
        for prefix in ["", "GET", "GET / HTTP/1.1\r\nX", "GET / HTTP/1.1\r\nX: a"] {
            let text = prefix + String(Character(scalar)) + "b\r\n\r\n"
            expectEqual(Self.scan(text).refusal, .badRequest)
            expectEqual(Self.scan(text, cuts: Array(0..<text.utf8.count)).refusal, .badRequest)
        }
    }

    @Test func `The head scanner accepts bytes above ASCII and tabs`() {
        #expect(Self.scan("GET / HTTP/1.1\r\nX: \u{E9}\t\u{1F511}\r\n\r\n").end != nil)
    }

    @Test func `The head scanner distinguishes a long request line from long fields and from many`() {
        let long = String(repeating: "a", count: 300)
        expectEqual(Self.scan("GET /" + long).refusal, 414)
        expectEqual(Self.scan("GET / HTTP/1.1\r\nX: " + long).refusal, 431)
        #expect(Self.scan("GET / HTTP/1.1\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\n").end != nil)
        expectEqual(Self.scan("GET / HTTP/1.1\r\nA: 1\r\nB: 2\r\nC: 3\r\nD: 4\r\n\r\n").refusal, 431)
    }
}
