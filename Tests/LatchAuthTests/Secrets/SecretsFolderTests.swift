// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchTesting
import Testing

@testable import LatchAuth

@Suite struct SecretsFolderTests {
    @Test(
        arguments: [
            ("com.example.app", "com.example.app"), ("A-z_9", "A-z_9"), ("a b", "a%20b"), ("a/b", "a%2Fb"),
            ("../../etc/passwd", "%2E.%2F..%2Fetc%2Fpasswd"), (".hidden", "%2Ehidden"), (".", "%2E"), ("..", "%2E."),
            ("100%", "100%25"), ("é", "%C3%A9"), ("a\u{0}b", "a%00b"), ("a\nb", "a%0Ab"),
        ])
    func `The file of a service's secrets has a name without a slash or a leading dot`(service: String, name: String) {
        expectEqual(fileName(for: service), name)
    }

    @Test func `The file of a service's secrets is used by no other service`() {
        let services = [
            "a", "A", "a.b", "a/b", "a%2Fb", "a%2fb", "a b", "a%20b", "a+b", "a_b", "a-b", "é", "e\u{301}", ".a",
            "%2Ea",
            "..", "%2E.", "a:b", "a\\b",
        ]
        expectEqual(Set(services.map(fileName(for:))).count, services.count)
    }

    @Test(arguments: 1...50)
    func `The file of a service's secrets can be read back, so no two services share one`(seed: UInt64) {
        var random = SplitMix64(state: seed)
        let service = random.text(upTo: 40)
        let name = fileName(for: service)
        expectEqual(bytes(of: name), Array(service.utf8))
        #expect(name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x2F })
    }

    /// Decodes by hand, since Foundation removes a leading byte order mark.
    private func bytes(of name: String) -> [UInt8] {
        let parts = name.split(separator: "%", omittingEmptySubsequences: false)
        return Array(parts[0].utf8)
            + parts.dropFirst().flatMap { [UInt8($0.prefix(2), radix: 16) ?? 0] + Array($0.dropFirst(2).utf8) }
    }
}
