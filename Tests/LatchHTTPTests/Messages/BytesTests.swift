// SPDX-License-Identifier: Apache-2.0

import Expectations
import Testing

@testable import LatchHTTP

@Suite struct BytesTests {
    @Test func `Bytes are the same if none of them differs, at any length`() {
        for count in 0...40 {
            let bytes = (0..<count).map { UInt8($0 + 1) }
            bytes.withUnsafeBufferPointer { bytes in
                #expect(Array(bytes).withUnsafeBufferPointer(bytes.holdsSameBytes))
                #expect(!(Array(bytes) + [0]).withUnsafeBufferPointer(bytes.holdsSameBytes))
                for index in bytes.indices {
                    var other = Array(bytes)
                    other[index] ^= 0x80
                    #expect(!other.withUnsafeBufferPointer(bytes.holdsSameBytes))
                }
            }
        }
    }

    @Test(arguments: ["", "GET", "a text that is longer than fifteen bytes", "\u{E9}", "e\u{301}"])
    func `Bytes spell a text in UTF-8, and no text that looks the same`(text: String) {
        for other in ["", "GET", "a text that is longer than fifteen bytes", "\u{E9}", "e\u{301}", "get"] {
            Array(text.utf8).withUnsafeBufferPointer { bytes in
                expectEqual(bytes.spells(other), Array(text.utf8) == Array(other.utf8))
            }
        }
    }

    @Test(arguments: ["GET", "get", "GE", "GETS", "POST", "M-SEARCH"])
    func `Bytes spell a method with its case`(text: String) {
        expectEqual(Array(text.utf8).withUnsafeBufferPointer { HTTPMethod(token: $0) }.rawValue, text)
    }
}
