// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import Testing

@Suite struct TextWriterTests {
    @Test func `A writer of short texts appends to existing text, and keeps the order of long texts`() {
        for lengths in [
            [0], [1, 2], [1023, 1], [1024, 1], [1000, 24, 1], [1000, 25], [3000], [10, 3000, 10, 2000, 1],
        ] {
            var (bytes, expected): ([UInt8], [UInt8]) = ([0xFF], [0xFF])
            bytes.appendTexts { writer in
                for (index, length) in lengths.enumerated() {
                    let text = String(repeating: String(index), count: length)
                    writer.append(text)
                    writer.append(",")
                    expected += Array(text.utf8) + [0x2C]
                }
            }
            expectEqual(bytes, expected, "\(lengths)")
        }
    }

    @Test(arguments: [0, 7, 10, 99, 100, 1_234_567, -1, -10, .max, .min])
    func `A writer of short texts writes numbers in decimal`(number: Int) {
        var bytes: [UInt8] = []
        bytes.appendTexts { $0.append(number) }
        expectEqual(String(decoding: bytes, as: UTF8.self), String(number))
    }

    @Test func `A writer of short texts fills its room byte by byte`() {
        var (bytes, digits): ([UInt8], [UInt8]) = ([], [])
        bytes.appendTexts { writer in for index in 0..<5000 { writer.append(index % 10) } }
        for index in 0..<5000 { digits.append(0x30 + UInt8(index % 10)) }
        expectEqual(bytes, digits)
    }
}
