// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import Testing

@testable import LatchGenerator

@Suite struct HiddenCharactersTests {
    /// Zero-width spaces, joiners in words, marks of the direction, fillers and tags.
    static let hidden: [Unicode.Scalar] = [
        "\u{200B}", "\u{200C}", "\u{200D}", "\u{2060}", "\u{FEFF}", "\u{AD}", "\u{34F}", "\u{115F}", "\u{3164}",
        "\u{E0041}", "\u{202E}", "\u{2066}", "\u{200E}", "\u{61C}", "\u{2028}", "\u{85}",
    ]

    @Test(arguments: hidden)
    func `Invisible characters are replaced in comments, and escaped in JSON names and literals`(scalar: Unicode.Scalar)
        throws
    {
        let text = try swift(
            """
            // A\(scalar)b.
            message M { string a = 1 [json_name = "is\(scalar)Admin"]; }
            """)
        #expect(!text.unicodeScalars.contains(scalar))
        #expect(text.contains("/// A\u{FFFD}b."), "\(text)")
        let octal = String(scalar).utf8.map { "\\" + String($0, radix: 8) }.joined()
        #expect(text.contains("json is\(octal)Admin"), "\(text)")
        expectEqual(SwiftNames.literal("a\(scalar)"), "\"a\\u{\(String(scalar.value, radix: 16))}\"")
    }

    @Test(arguments: ["👩\u{200D}🚀", "❤\u{FE0F}\u{200D}🔥", "می\u{200C}خواهم", "é", "中文"])
    func `Invisible characters exclude those that words and emoji need`(word: String) throws {
        #expect(try swift("// \(word)\nmessage M {}").contains("/// \(word)\n"))
        expectEqual(word.withoutHidden, word)
    }
}
