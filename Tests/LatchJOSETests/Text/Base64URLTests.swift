// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCrypto
import LatchJOSE
import Testing

@Suite struct Base64URLTests {
    // RFC 4648 §10, without the padding; RFC 7515 appendix C.
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"),
    ])
    func `Base64url writes and reads the published examples`(plain: String, text: String) throws {
        expectEqual(Base64URL.encode(Array(plain.utf8)), text)
        try expectEqual(Base64URL.decode(text), Array(plain.utf8))
    }

    @Test func `Base64url uses the alphabet of RFC 7515 appendix C`() throws {
        expectEqual(Base64URL.encode([3, 236, 255, 224, 193]), "A-z_4ME")
        try expectEqual(Base64URL.decode("A-z_4ME"), [3, 236, 255, 224, 193])
    }

    @Test(arguments: [
        "Zg=", "Zg==", "Zm9v=", "=", "Z", "Zm9vY", " Zm9v", "Zm9v ", "Zm 9v", "Zm9v\n", "Zm+v", "Zm/v", "Zm9v!", "Zm.v",
        "Zm9v\u{0}",
        "Zmé", "ＺＺ", "\r\nZm9v",
    ])
    func `Base64url refuses padding, whitespace, foreign characters and impossible lengths`(text: String) {
        #expect(throws: JOSEError.malformedToken) { try Base64URL.decode(text) }
    }

    @Test(arguments: ["Zh", "Zm9", "Zn", "Z_", "AB", "AAB", "AA_", "__"])
    func `Base64url refuses bits that no encoder sets`(text: String) {
        #expect(throws: JOSEError.malformedToken) { try Base64URL.decode(text) }
    }

    @Test func `Base64url gives every value one spelling, and back`() throws {
        for length in 0..<100 {
            let bytes = SecureRandom.bytes(length)
            let text = Base64URL.encode(bytes)
            try expectEqual(Base64URL.decode(text), bytes)
            expectEqual(text.utf8.count, (length * 8 + 5) / 6)
            try expectEqual(Base64URL.decode(Substring("x\(text)x").dropFirst().dropLast()), bytes)
        }
        expectEqual(Base64URL.encode(AnyCollection([0xFF, 0xFF])), "__8")
    }

    @Test func `Base64url decodes a text only if encoding gives it back`() {
        let alphabet = Array("ABCXYZabcxyz0189-_+/= .\n")
        for first in alphabet {
            for second in alphabet {
                for third in alphabet {
                    let text = String([first, second, third])
                    do {
                        try expectEqual(Base64URL.encode(Base64URL.decode(text)), text)
                    } catch {
                        expectEqual(error, .malformedToken("a part is not base64url"))
                    }
                }
            }
        }
    }
}
