// SPDX-License-Identifier: Apache-2.0

import LatchGenerator
import Testing

@Suite struct `A printer of Swift` {
    @Test func `indents blocks, and puts gaps only between lines`() {
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
        #expect(
            printer.text == """
                struct A {
                    var a = 1

                    func f(
                        _ x: Int
                    ) {}
                }

                """)
    }

    @Test func `writes comments without the spaces around them and without words for linters`() {
        var printer = SwiftPrinter()
        printer.block("{") {
            $0.doc(" First.\n\n   Indented. \n buf:lint:ignore FIELD_LOWER_SNAKE_CASE\n\n")
            $0.doc(nil)
            $0.doc(" \n")
        }
        #expect(printer.text == "{\n    /// First.\n    ///\n    ///   Indented.\n}\n")
    }

    @Test func `indents each of several lines`() {
        var printer = SwiftPrinter()
        printer.block("{") { $0.lines("if a {\n\n    b()\n}") }
        #expect(printer.text == "{\n    if a {\n\n        b()\n    }\n}\n")
    }
}
