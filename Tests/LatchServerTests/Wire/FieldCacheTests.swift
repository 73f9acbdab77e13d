// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import Testing

@testable import LatchServer

@Suite struct FieldCacheTests {
    static func field(_ name: String, _ value: [UInt8], _ cache: inout FieldCache) -> HTTPFields.Field? {
        Array(name.utf8).withUnsafeBufferPointer { name in value.withUnsafeBufferPointer { cache.field(name, $0) } }
    }

    static func authority(_ text: String, _ cache: inout FieldCache) -> String? {
        Array(text.utf8).withUnsafeBufferPointer { cache.authority($0) }
    }

    @Test func `The cache of field lines returns each value as received, after any earlier values`() {
        var cache = FieldCache()
        let values = [
            "curl/8.0", "curl/8.1", "curl/8.1", "", "curl/8.0 (a long one that takes memory of its own)", "Curl/8.0",
            String(repeating: "x", count: 256), String(repeating: "x", count: 257), String(repeating: "x", count: 256),
        ]
        for value in values + values.reversed() {
            for name in ["user-agent", "User-Agent", "x-other"] {
                let field = Self.field(name, Array(value.utf8), &cache)
                expectEqual(field?.name.rawName, name)
                expectEqual(field?.value, value)
            }
        }
    }

    @Test func `The cache of field lines reads a value that is not UTF-8 as ISO-8859-1 each time`() {
        var cache = FieldCache()
        let values: [([UInt8], String)] = [
            ([0x61, 0xFF], "a\u{FF}"), ([0x61, 0xFF], "a\u{FF}"), (Array("a\u{FF}".utf8), "a\u{FF}"),
            ([0x61, 0xFE], "a\u{FE}"), ([0x61, 0xC3], "a\u{C3}"), (Array("a\u{FFFD}".utf8), "a\u{FFFD}"),
        ]
        for (bytes, text) in values { expectEqual(Self.field("accept", bytes, &cache)?.value, text) }
    }

    @Test(arguments: ["authorization", "cookie", "x-api-key", "dpop", "proxy-authorization", "x-latch-second-factor"])
    func `The cache of field lines keeps no value that can be a secret`(name: String) {
        var cache = FieldCache()
        let secret = "a secret that takes memory of its own"
        expectEqual(Self.field(name, Array(secret.utf8), &cache)?.value, secret)
        #expect(!String(reflecting: cache).contains(secret))
        #expect(Self.field("user-agent", Array(secret.utf8), &cache) != nil)
        #expect(String(reflecting: cache).contains(secret), "The search would find a value that is kept.")
    }

    @Test(arguments: ["", "a b", "a\u{0}", "a:", "ä"])
    func `The cache of field lines refuses a name that is not a token`(name: String) {
        var cache = FieldCache()
        expectNil(Self.field(name, [], &cache))
        expectNil(Self.field(name, [], &cache))
    }

    @Test func `The cache of field lines checks each authority that differs from the last one`() {
        var cache = FieldCache()
        expectNil(Self.authority("", &cache))
        let valid = ["a.example", "a.example", "a.example:80", "[::1]:8443", "a.example"]
        for authority in valid {
            expectEqual(Self.authority(authority, &cache), authority)
            for malformed in ["", authority + "/", "user@" + authority, authority + "\u{0}"] {
                expectNil(Self.authority(malformed, &cache))
            }
        }
    }
}
