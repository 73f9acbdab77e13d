// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import LatchTesting
import Testing

@testable import LatchAuth

@Suite struct `The folder of the platform's secrets` {
    @Test(
        arguments: [
            (["LATCH_HOME": "/l", "XDG_DATA_HOME": "/x", "HOME": "/h"], "/l"),
            (["XDG_DATA_HOME": "/x", "HOME": "/h"], "/x/latchwork"),
            (["HOME": "/h"], "/h/.local/share/latchwork"),
            (["LATCH_HOME": "l", "XDG_DATA_HOME": "/x"], "/x/latchwork"),
            (["LATCH_HOME": "", "XDG_DATA_HOME": "x", "HOME": "/h"], "/h/.local/share/latchwork"),
            (["XDG_DATA_HOME": "./x", "HOME": "/h"], "/h/.local/share/latchwork"),
            (["XDG_DATA_HOME": "~/x", "HOME": "/h"], "/h/.local/share/latchwork"),
        ] as [([String: String], String)])
    func `is the first absolute path among the variables`(environment: [String: String], folder: String) {
        #expect(secretsFolder(in: environment) == folder)
    }

    @Test func `is absolute even where the environment says nothing`() {
        #expect(secretsFolder(in: [:]).hasPrefix("/"))
        #expect(secretsFolder(in: ["HOME": "relative"]).hasPrefix("/"))
    }
}

@Suite struct `The file of a service's secrets` {
    @Test(
        arguments: [
            ("com.example.app", "com.example.app"), ("A-z_9", "A-z_9"), ("a b", "a%20b"), ("a/b", "a%2Fb"),
            ("../../etc/passwd", "%2E.%2F..%2Fetc%2Fpasswd"), (".hidden", "%2Ehidden"), (".", "%2E"), ("..", "%2E."),
            ("100%", "100%25"), ("é", "%C3%A9"), ("a\u{0}b", "a%00b"), ("a\nb", "a%0Ab"),
        ])
    func `has a name without a slash, a dot in front or a surprise`(service: String, name: String) {
        #expect(fileName(for: service) == name)
    }

    @Test func `is no other service's file`() {
        let services = [
            "a", "A", "a.b", "a/b", "a%2Fb", "a%2fb", "a b", "a%20b", "a+b", "a_b", "a-b", "é", "e\u{301}", ".a",
            "%2Ea",
            "..", "%2E.", "a:b", "a\\b",
        ]
        #expect(Set(services.map(fileName(for:))).count == services.count)
    }

    @Test(arguments: 1...50)
    func `can be read back, so no two services share one`(seed: UInt64) {
        var random = SplitMix64(state: seed)
        let service = random.text(upTo: 40)
        let name = fileName(for: service)
        #expect(bytes(of: name) == Array(service.utf8))
        #expect(name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x2F })
    }

    /// Decodes by hand, since Foundation removes a leading byte order mark.
    private func bytes(of name: String) -> [UInt8] {
        let parts = name.split(separator: "%", omittingEmptySubsequences: false)
        return Array(parts[0].utf8)
            + parts.dropFirst().flatMap { [UInt8($0.prefix(2), radix: 16) ?? 0] + Array($0.dropFirst(2).utf8) }
    }
}
#endif
