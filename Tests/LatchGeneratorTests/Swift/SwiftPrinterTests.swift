// SPDX-License-Identifier: Apache-2.0

import Expectations
import Testing

@testable import LatchGenerator

@Suite struct SwiftPrinterTests {
    @Test func `The Swift printer indents blocks, and puts gaps only between lines`() {
        var printer = SwiftPrinter()
        printer.gap()
        printer.block("struct A {") {
            $0.gap()
            $0.line("var a = 1")
            $0.gap()
            $0.gap()
            $0.block("func f(", until: ") {}") { $0.line("_ x: Int") }
            $0.gap()
        }
        expectEqual(
            printer.text,
            """
            struct A {
                var a = 1

                func f(
                    _ x: Int
                ) {}
            }

            """)
    }

    @Test func `The Swift printer lets no line end or control character of a text begin a new line`() {
        var printer = SwiftPrinter(fileFrom: "a\rimport B\n.proto")
        printer.doc("One\rimport Evil\r\nTwo\u{1B}[2J\u{0}\u{B}\u{C}three")
        printer.line("let a = 1\u{7F}\u{1F}")
        let lines = printer.text.split(separator: "\n")
        #expect(lines.allSatisfy { $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } })
        expectEqual(lines.filter { !$0.hasPrefix("//") }, ["let a = 1  "])
        expectEqual(lines.filter { $0.hasPrefix("/// ") }, ["/// One", "/// import Evil", "/// Two [2J   three"])
    }

    /// CVE-2021-42574.
    @Test func `The Swift printer lets no comment change the direction of what follows it`() {
        var printer = SwiftPrinter(fileFrom: "a\u{202E}.proto")
        printer.doc("One\u{202E}two\u{2066}, \u{2028}three é 漢 👩‍👩‍👧")
        #expect(printer.text.hasSuffix("/// One\u{FFFD}two\u{FFFD}, \u{FFFD}three é 漢 👩‍👩‍👧\n"))
        #expect(!printer.text.unicodeScalars.contains("\u{202E}"))
    }

    @Test func `The Swift printer writes comments without the spaces around them and without words for linters`() {
        var printer = SwiftPrinter()
        printer.block("{") {
            $0.doc(" First.\n\n   Indented. \n buf:lint:ignore FIELD_LOWER_SNAKE_CASE\n\n")
            $0.doc(nil)
            $0.doc(" \n")
        }
        expectEqual(printer.text, "{\n    /// First.\n    ///\n    ///   Indented.\n}\n")
    }

    @Test func `The Swift printer removes white space of any script at the end of a comment line`() {
        var printer = SwiftPrinter()
        printer.doc("Größe\u{3000}\u{A0}\nλ\t \r\n\u{2003}\n  日本 \u{2028}")
        expectEqual(printer.text, "/// Größe\n/// λ\n///\n///  日本\n")
    }

    @Test func `The Swift printer can indent deeper than its prepared line of spaces`() {
        var printer = SwiftPrinter()
        func nest(_ depth: Int, _ printer: inout SwiftPrinter) {
            guard depth > 0 else { return printer.line("x") }
            printer.block("{") { nest(depth - 1, &$0) }
        }
        nest(20, &printer)
        expectEqual(printer.text.split(separator: "\n")[20], String(repeating: " ", count: 80) + "x")
    }

    @Test func `The Swift printer indents each of several lines`() {
        var printer = SwiftPrinter()
        printer.block("{") { $0.lines("if a {\n\n    b()\n}") }
        expectEqual(printer.text, "{\n    if a {\n\n        b()\n    }\n}\n")
    }
}
