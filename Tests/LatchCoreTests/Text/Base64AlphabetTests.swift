// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchTesting
import Testing

@Suite struct Base64AlphabetTests {
    private func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

    // RFC 4648 §10, without the padding.
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"),
    ])
    func `An alphabet of base64 writes and reads the vectors of RFC 4648`(plain: String, encoded: String) {
        for alphabet in [Base64Alphabet.standard, .url] {
            expectEqual(text(alphabet.encode(plain.utf8)), encoded)
            expectEqual(text(alphabet.decode(encoded.utf8)), plain)
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `An alphabet of base64 writes the same as Foundation except for padding, and reads it back`(seed: UInt64) {
        var random = SplitMix64(state: seed)
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let theirs = Data(bytes).base64EncodedString().filter { $0 != "=" }
            let ours = Base64Alphabet.standard.encode(bytes)
            expectEqual(text(ours), theirs, "seed \(seed), \(count) bytes")
            expectEqual(Base64Alphabet.standard.decode(ours), bytes, "seed \(seed), \(count) bytes")
            let url = theirs.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
            expectEqual(text(Base64Alphabet.url.encode(bytes)), String(url), "seed \(seed), \(count) bytes")
        }
    }

    @Test func `An alphabet of base64 reads each pair of digits only in its canonical form`() {
        var read = 0
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                guard let bytes = Base64Alphabet.url.decode([first, second]) else { continue }
                read += 1
                expectEqual(Base64Alphabet.url.encode(bytes), [first, second])
            }
        }
        // One byte has 256 values, each with one spelling.
        expectEqual(read, 256)
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `An alphabet of base64 reads any bytes only in their canonical form`(seed: UInt64) {
        var random = SplitMix64(state: seed)
        let digits = Array("ABCDwxyz0189+/-_= \n".utf8)
        for _ in 0..<5_000 {
            let text = (0..<random.below(9)).map { _ in random.pick(digits) }
            for alphabet in [Base64Alphabet.standard, .url] {
                guard let bytes = alphabet.decode(text) else { continue }
                expectEqual(alphabet.encode(bytes), text, "seed \(seed)")
            }
        }
    }

    @Test(arguments: [
        "A", "AAAAA", "Zg==", "Zm8=", "=", "Zh", "Zm9", "Zm9vYh", "Z g", " Zg", "Zg\n", "Zg\r\n", "Zm9v\u{0}", "Zé",
        "Zm9v,",
    ])
    func `An alphabet of base64 refuses padding, blanks, foreign digits, odd lengths and bits left over`(text: String) {
        expectNil(Base64Alphabet.standard.decode(text.utf8))
        expectNil(Base64Alphabet.url.decode(text.utf8))
    }

    @Test func `An alphabet of base64 refuses the two digits of the other alphabet`() {
        expectNil(Base64Alphabet.standard.decode("--__".utf8))
        expectNil(Base64Alphabet.url.decode("++//".utf8))
        expectEqual(Base64Alphabet.standard.decode("++//".utf8), [0xFB, 0xEF, 0xFF])
        expectEqual(Base64Alphabet.url.decode("--__".utf8), [0xFB, 0xEF, 0xFF])
    }

    @Test func `An alphabet of base64 takes bytes that are not contiguous`() {
        let reversed = Array("raboof".utf8).reversed()
        expectEqual(text(Base64Alphabet.url.encode(reversed)), "Zm9vYmFy")
        expectEqual(text(Base64Alphabet.url.decode(Array("yFmYv9mZ".utf8).reversed() as ReversedCollection)), "foobar")
        expectNil(Base64Alphabet.url.decode(Array("A".utf8).reversed() as ReversedCollection))
    }
}
