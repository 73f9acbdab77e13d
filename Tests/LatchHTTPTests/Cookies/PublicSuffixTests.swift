// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchHTTP
import LatchTesting
import Testing

@Suite struct PublicSuffixTests {
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
    func `Public suffixes are read from a list with wildcards and exceptions`(domain: String, isSuffix: Bool) {
        expectEqual(list.contains(domain), isSuffix)
    }

    @Test func `Public suffixes without a list are the names of one label, and perhaps any other`() {
        expectEqual(PublicSuffixList.withoutData.verdict(of: "com"), .suffix)
        expectEqual(PublicSuffixList.withoutData.verdict(of: "co.uk"), .unknown)
        expectEqual(PublicSuffixList.withoutData.verdict(of: "example.com"), .unknown)
    }

    @Test func `Public suffixes without a list narrow a cookie to its host`() throws {
        let fixture = JarFixture(CookiePolicy(publicSuffixes: .withoutData))
        let host = "https://shop.site.co.uk/"
        try fixture.set(
            "a=1; Domain=co.uk", "b=2; Domain=site.co.uk", "c=3; Domain=shop.site.co.uk", "d=4; Domain=uk", "e=5",
            "f=6; Domain=other.co.uk", "__Host-g=7; Domain=site.co.uk; Path=/; Secure", at: host)
        try expectEqual(fixture.sent(to: host), ["a=1", "b=2", "c=3", "e=5"])
        #expect(fixture.jar.cookies.allSatisfy { $0.isHostOnly && $0.domain == "shop.site.co.uk" })
        for other in ["https://evil.co.uk/", "https://site.co.uk/", "https://a.shop.site.co.uk/"] {
            try expectEqual(fixture.sent(to: other), [], "\(other)")
        }
        // The server deletes its cookie as it has set it.
        try fixture.set("a=; Domain=co.uk; Max-Age=0", at: host)
        try expectEqual(fixture.sent(to: host), ["b=2", "c=3", "e=5"])
    }

    @Test func `Public suffixes do not concern a program that names its sites`() throws {
        let list = PublicSuffixList(sites: "example.com", "Site.co.uk.", "com", "10.0.0.1")
        let expected: [(String, PublicSuffixList.Verdict)] = [
            ("example.com", .site), ("a.example.com", .site), ("site.co.uk", .site), ("co.uk", .unknown),
            ("com", .suffix), ("badexample.com", .unknown), ("10.0.0.1", .unknown),
        ]
        for (domain, verdict) in expected { expectEqual(list.verdict(of: domain), verdict, "\(domain)") }
        let fixture = JarFixture(CookiePolicy(publicSuffixes: list))
        try fixture.set("a=1; Domain=example.com", at: "https://www.example.com/")
        try fixture.set("b=2; Domain=github.io", at: "https://evil.github.io/")
        try expectEqual(fixture.sent(to: "https://api.example.com/"), ["a=1"])
        try expectEqual(fixture.sent(to: "https://victim.github.io/"), [])
        try expectEqual(fixture.sent(to: "https://evil.github.io/"), ["b=2"])
    }

    @Test func `Public suffixes are read from a file that the program brings along`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/list.dat"
            try "// none\nuk\nco.uk\n".write(toFile: path, atomically: true, encoding: .utf8)
            let list = try PublicSuffixList(contentsOfFile: path)
            #expect(list.contains("co.uk"))
            expectEqual(list.verdict(of: "site.co.uk"), .site)
            #expect(throws: HTTPError.fileUnavailable) { try PublicSuffixList(contentsOfFile: folder + "/none") }
        }
    }

    @Test func `Public suffixes that can concern a stored domain cookie keep it from being sent`() throws {
        let shared = JarFixture(CookiePolicy(publicSuffixes: PublicSuffixList(sites: "example.com")))
        try shared.set("a=1; Domain=example.com", at: "https://www.example.com/")
        let cookies = shared.jar.cookies
        let jar = CookieJar(
            cookies, policy: CookiePolicy(publicSuffixes: .withoutData), clock: shared.clock.wallClock())
        #expect(jar.cookies(for: try shared.request("https://www.example.com/")).isEmpty)
    }

    @Test func `Public suffixes are a closure if a test wants its own`() {
        #expect(PublicSuffixList { $0 == "mine.example" }.contains("mine.example"))
    }

    #if os(Linux)
    @Test(arguments: [
        ("com", true), ("co.uk", true), ("github.io", true), ("ck", true), ("any.ck", true), ("www.ck", false),
        ("example.com", false), ("me.github.io", false), ("xn--55qx5d.cn", true), ("unheard-of", true),
        ("localhost", true),
        ("127.0.0.1", false),
    ])
    func `Public suffixes match the list of publicsuffix.org`(domain: String, isSuffix: Bool) {
        expectEqual(PublicSuffixList.live.contains(domain), isSuffix)
    }

    private static let file = "/usr/share/publicsuffix/public_suffix_list.dat"

    @Test(.enabled(if: FileManager.default.fileExists(atPath: file), "install the package publicsuffix"))
    func `Public suffixes are the same by our reading of the list as by libpsl's`() throws {
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
        expectEqual(differing, [])
    }
    #endif
}
