// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchSignIn
import TestTags
import Testing

@testable import LatchIdentity

@Suite(.tags(.mailInjection)) struct HTMLContextTests {
    /// Every scalar, of all planes, that makes one Character with a quotation mark before it or after it.
    private static let joining = (UInt32(0)...0x10FFFF).compactMap(Unicode.Scalar.init).filter { scalar in
        var text = "\""
        text.unicodeScalars.append(scalar)
        if text.count == 1 { return true }
        text = String(Character(scalar)) + "\""
        return text.count == 1
    }

    @Test(arguments: [HTMLContext.text, .attribute, .url])
    func `Text in a page is escaped whatever scalar joins a mark, before it or after it`(context: HTMLContext) {
        #expect(Self.joining.count > 2_000)
        #expect(Set(Self.joining.map { $0.value >> 16 }).isSuperset(of: [0, 1, 14]))
        var text = String.UnicodeScalarView("/".unicodeScalars)
        for scalar in Self.joining {
            for mark in ["<", ">", "\"", "'", "&"] as [Unicode.Scalar] { text += [scalar, mark, scalar] }
        }
        let escaped = context.escape(String(text)).utf8
        for mark in "<>\"'".utf8 { #expect(!escaped.contains(mark)) }
        // An ampersand only begins a reference.
        let references = ["lt;", "gt;", "quot;", "#39;", "amp;"]
        let pieces = escaped.split(separator: UInt8(ascii: "&")).dropFirst()
        #expect(pieces.allSatisfy { piece in references.contains { piece.starts(with: $0.utf8) } })
        expectEqual(pieces.count, Self.joining.count * 5)
    }

    @Test(arguments: [HTMLContext.text, .attribute])
    func `Text in a page decodes to itself`(context: HTMLContext) {
        let text = "Zoë & 'Ünal' <a@b> \"\u{301}\u{600}\" 👩‍👩‍👧 \u{10FFFD}"
        let back = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
            .reduce(Array(context.escape(text).utf8)) { $0.replacing(Array($1.0.utf8), with: Array($1.1.utf8)) }
        expectEqual(back, Array(text.utf8))
        // HTML §13.2.3.5: a parser would change both.
        expectEqual(context.escape("a\u{0}b\rc"), "a\u{FFFD}b&#13;c")
    }

    @Test(arguments: [
        ("/reset?a=1&b=2", "/reset?a=1&amp;b=2"), ("https://x.example/\"", "https://x.example/&quot;"),
        ("HTTP://x.example", "HTTP://x.example"), ("/ä b", "/%C3%A4%20b"), ("/a\\b", "/a%5Cb"), ("/", "/"),
    ])
    func `Text in a page that is a URL leads to that URL`(url: String, expected: String) {
        expectEqual(HTMLContext.url.escape(url), expected)
    }

    @Test(arguments: [
        "javascript:alert(1)", "JAVASCRIPT:x", "data:text/html,x", " javascript:x", "java\tscript:x", "//evil.example",
        "/\\evil.example", "/\t/evil.example", "\\\\evil.example", "http", "", "mailto:a@b", "/\n/evil.example",
        "https\u{301}:x", "\u{600}https:x",
    ])
    func `Text in a page that is not a URL of this server or of the web leads nowhere`(url: String) {
        expectEqual(HTMLContext.url.escape(url), "#")
    }
}
