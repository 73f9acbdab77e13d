// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchHTTP
import Testing

@Suite struct `Public suffixes` {
    private let list = PublicSuffixList(
        list: """
            // a comment

            com
            uk
            co.uk   and what follows a space is none of it
            *.ck
            !www.ck
            """)

    @Test(arguments: [
        ("com", true), ("uk", true), ("co.uk", true), ("site.co.uk", false), ("ck", true), ("any.ck", true),
        ("www.ck", false), ("a.any.ck", false), ("unheard", true), ("site.unheard", false), ("a.www.ck", false),
    ])
    func `are read from a list with wildcards and exceptions`(domain: String, isSuffix: Bool) {
        #expect(list.contains(domain) == isSuffix)
    }

    @Test func `are at least the names of one label`() {
        #expect(PublicSuffixList.singleLabels.contains("com"))
        #expect(!PublicSuffixList.singleLabels.contains("co.uk"))
    }

    @Test func `are a closure where a test wants its own`() {
        #expect(PublicSuffixList { $0 == "mine.example" }.contains("mine.example"))
    }

    #if os(Linux)
    @Test(arguments: [
        ("com", true), ("co.uk", true), ("github.io", true), ("ck", true), ("any.ck", true), ("www.ck", false),
        ("example.com", false), ("me.github.io", false), ("xn--55qx5d.cn", true), ("unheard-of", true),
        ("localhost", true),
        ("127.0.0.1", false),
    ])
    func `are those of publicsuffix.org`(domain: String, isSuffix: Bool) {
        #expect(PublicSuffixList.live.contains(domain) == isSuffix)
    }

    private static let file = "/usr/share/publicsuffix/public_suffix_list.dat"

    @Test(.enabled(if: FileManager.default.fileExists(atPath: file), "install the package publicsuffix"))
    func `are the same by our reading of the list as by libpsl's`() throws {
        let text = try String(contentsOf: URL(filePath: Self.file), encoding: .utf8)
        let ours = PublicSuffixList(list: text)
        let rules = text.split(whereSeparator: \.isNewline)
            .filter { !$0.hasPrefix("//") && $0.utf8.allSatisfy { $0 < 0x80 } }
            .map { String($0).replacing("*.", with: "any.").replacing("!", with: "") }
        var differing: [String] = []
        for rule in rules {
            for domain in [rule, "site.\(rule)", "deep.site.\(rule)"]
            where ours.contains(domain) != PublicSuffixList.live.contains(domain) { differing.append(domain) }
        }
        #expect(rules.count > 5_000)
        #expect(differing == [])
    }
    #endif
}
