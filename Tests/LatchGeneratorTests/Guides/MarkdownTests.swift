// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import Testing

@testable import LatchGenerator

@Suite struct MarkdownTests {
    @Test(arguments: [
        ("<script>alert(1)</script>", "\\<script>alert(1)\\</script>"),
        ("see <https://a.example> & more", "see \\<https://a.example> \\& more"),
        ("![x](https://a.example/x.png)", "!\\[x\\](https://a.example/x.png)"),
        ("@Image(source: x)", "\\@Image(source: x)"), ("  @Comment { }", "  \\@Comment { }"),
        ("ada@example.com", "ada@example.com"), ("# Title", "\\# Title"), ("a # b", "a # b"),
        ("> quoted", "\\> quoted"), ("---", "\\---"), ("===", "\\==="), ("- item", "- item"), ("a | b", "a \\| b"),
        ("```swift", "\\`\\`\\`swift"), ("~~~", "\\~\\~\\~"), ("a ` b", "a \\` b"),
        ("use `code` here", "use `code` here"),
        ("``Symbol``", "`Symbol`"), ("`a``b`", "`a``b`"), ("c:\\dir", "c:\\\\dir"), ("        deep", "   deep"),
        ("a\rb", "a\nb"), ("a\r\nb", "a\nb"), ("a\u{B}b\u{C}c\u{85}d\u{2028}e", "a\nb\nc\nd\ne"),
        ("Title\n===", "Title\n\\==="), ("Title\n-", "Title\n\\-"), ("Title\n  --  ", "Title\n  \\--  "), ("=", "\\="),
        ("___", "\\___"), ("_ _ _", "\\_ _ _"), ("* * *", "\\* * *"), ("- - -", "\\- - -"), ("_word_", "\\_word_"),
        ("- # a", "- \\# a"), ("1. ## a", "1. \\## a"), ("- - > a", "- - \\> a"), ("- ***", "- \\***"),
        ("- _ _ _", "- \\_ _ _"), ("10 > 5", "10 > 5"), ("2) a", "2) a"), ("a_b_c", "a_b_c"),
        // The rows of a table of one column, which needs no bars.
        ("Title\n:-:", "Title\n\\:-:"), ("Title\n  :--", "Title\n  \\:--"), ("Title\n-:", "Title\n\\-:"),
        ("- :-: ", "- \\:-: "), (": a", ": a"), (":-)", ":-)"), ("a :-:", "a :-:"),
        ("a\u{200B}b\u{FEFF}c", "a\u{FFFD}b\u{FFFD}c"), ("a\u{202E}b", "a\u{FFFD}b"),
        ("👩\u{200D}🚀", "👩\u{200D}🚀"), ("a\u{1B}[31mb\u{9B}c\u{0}", "a\u{FFFD}\\[31mb\u{FFFD}c\u{FFFD}"), ("", ""),
    ])
    func `Foreign text in a guide stays text`(text: String, encoded: String) {
        expectEqual(Markdown.block(text), encoded)
    }

    @Test(arguments: [
        ("a\nb", "a b"), ("a\r\r\n  b", "a   b"), ("a\u{C}```\nb", "a \\`\\`\\` b"), ("x`|`y", "x`\\|`y"), ("\n\n", ""),
    ])
    func `Foreign text in a guide is one line if necessary`(text: String, encoded: String) {
        expectEqual(Markdown.line(text), encoded)
    }

    @Test(arguments: [
        ("a.proto", "`a.proto`"), ("a`b.proto", "``a`b.proto``"), ("`", "`` ` ``"), ("a\nb", "`a b`"), ("", "`  `"),
    ])
    func `Foreign text in a guide is a code span for any content`(text: String, encoded: String) {
        expectEqual(Markdown.code(text), encoded)
    }

    @Test func `Foreign text in a guide neither opens a fence nor adds a line to a table`()
        throws
    {
        let name = "a`<b>.proto"
        let text = """
            syntax = "proto3";
            import "axiom_options.proto";
            message Request { string f = 1; }
            message Response {}
            // ```
            // <img src=x>
            // @Image(source: "x")
            service Shop {
              // First <b>one</b> \u{B}| two ```
              rpc Get(Request) returns (Response) {
                option (axiom.method_options) = {
                  validation_rules: ["request.f != '<i>```'"]
                };
              }
              rpc Put(Request) returns (Response) {
                option (axiom.method_options) = { action_documentation: "one\\rtwo\\n| three" };
              }
            }
            """
        let compilation = Compiler.withOptionFiles { $0 == name ? Array(text.utf8) : nil }.compile([name])
        try #require(compilation.isComplete, "\(compilation.diagnostics)")
        let output = SwiftGenerator.generate(compilation.filesToGenerate, GenerationOptions())
        #expect(output.diagnostics.isEmpty, "\(output.diagnostics)")
        let guides = output.files.filter { $0.path.hasSuffix(".md") }
        let readme = try #require(guides.first { $0.path.hasSuffix("README.md") }?.text)
        #expect(readme.contains("\n\\`\\`\\`\n\\<img src=x>\n\\@Image(source: \"x\")\n"), "\(readme)")
        #expect(readme.contains("Generated from ``a`<b>.proto``: edit"), "\(readme)")
        #expect(readme.contains("| `.get` | First \\<b>one\\</b>  \\| two \\`\\`\\` |"), "\(readme)")
        #expect(readme.contains("| `.put` | one two \\| three |"), "\(readme)")
        let reference = try #require(guides.first { $0.path.hasSuffix("APIReference.md") }?.text)
        #expect(reference.contains("f must not be '\\<i>\\`\\`\\`'"), "\(reference)")
    }
}
