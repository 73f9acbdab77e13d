// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import Testing

@testable import LatchHTTP

/// Functions that look at eight bytes at a time have the result of a loop over single bytes, for every byte at every place of two
/// words and a half.
@Suite struct ASCIIWordTests {
    private static let unchanged = "Content-ENCODING@[`{"

    /// The text with each byte at each place.
    private static let texts: [[UInt8]] = (0..<20).flatMap { place in
        (UInt8.min...UInt8.max).map { byte in
            var text = Array(unchanged.utf8)
            text[place] = byte
            return text
        }
    }

    @Test func `Bytes read eight at a time are printable if each of them is`() {
        for text in Self.texts {
            let expected = text.allSatisfy { (0x20...0x7E).contains($0) }
            expectEqual(text.withUnsafeBufferPointer(\.isPrintableASCII), expected, "\(text)")
        }
        #expect([UInt8]().withUnsafeBufferPointer(\.isPrintableASCII))
    }

    @Test func `Bytes read eight at a time become lower case if they are ASCII letters`() {
        for text in Self.texts {
            var lower = text
            lower.withUnsafeMutableBufferPointer { $0.lowercaseASCII() }
            expectEqual(lower, text.map { asciiLowercased($0) as UInt8 })
        }
    }

    @Test func `Bytes read eight at a time are equal except for the case of letters`() {
        let names = Self.texts.filter { $0.allSatisfy { $0 < 0x80 } }.map { String(decoding: $0, as: UTF8.self) }
        for name in names {
            #expect(name.equalsIgnoringCase(name.lowercasedASCII()))
            expectEqual(HTTPFieldName(name), HTTPFieldName(name.lowercasedASCII()))
            let isSame = name.lowercasedASCII() == Self.unchanged.lowercasedASCII()
            expectEqual(name.equalsIgnoringCase(Self.unchanged), isSame, "\(name)")
        }
    }
}
