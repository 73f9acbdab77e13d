// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LatchProtobuf
@testable import LatchRPC

@Suite struct StringFormatTests {
    private static let texts: [String: (right: [String], wrong: [String])] = [
        "email": (
            ["a@b", "a.b+c@x-y.org", "!#$%@x"], ["", "a", "@b", "a@", "a@-b", "a@b.", "a b@c", "\"a\"@b", "a@b_c"]
        ),
        "hostname": (
            ["a", "a.b.", "xn--a.b", "1.a"],
            ["", ".", "a..b", "-a", "a-", "1.2", "a_b", String(repeating: "a", count: 64)]
        ),
        "ipv4": (
            ["0.0.0.0", "255.255.255.255"], ["1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.256", "1.2.3.", "1.2.3.4 "]
        ),
        "ipv6": (
            ["::", "::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::ffff:1.2.3.4", "fe80::1%en0"],
            [
                ":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "1.2.3.4::", "::1%",
                "1:2:3:4:5:6:7:8::", "g::",
            ]
        ),
        "ip": (["1.2.3.4", "::1"], ["", "a", "1.2.3.4/8"]),
        "address": (["a.b", "1.2.3.4", "::1"], ["a b", "[::1]"]),
        "uri": (
            [
                "a:", "http://a", "http://u:p@[::1]:80/b?c#d", "urn:x", "http://[v1.a]/", "http://[fe80::1%25en0]/",
                "a:/b//c",
            ],
            ["", "a", "//a", "1a:b", "http://a b", "http://[::1", "http://a:8x", "a:%zz", "a:#b#c", "http://%ff/"]
        ),
        "uri_ref": (["", "a", "//a/b", "/a", "?b", "#c", "./a:b"], ["a b", "1:b", ":", "//[", "%"]),
        "uuid": (
            ["550e8400-e29b-41d4-a716-446655440000"],
            [
                "550e8400e29b41d4a716446655440000", "550e8400-e29b-41d4-a716-44665544000g",
                "-50e8400-e29b-41d4-a716-446655440000",
            ]
        ),
        "tuuid": (["550E8400e29b41d4a716446655440000"], ["550e8400-e29b-41d4-a716-446655440000"]),
        "ip_with_prefixlen": (
            ["1.2.3.4/24", "::1/64"], ["1.2.3.4", "1.2.3.4/33", "::/129", "1.2.3.4/024", "::1%a/64"]
        ),
        "ipv4_with_prefixlen": (["1.2.3.4/0"], ["::1/64"]), "ipv6_with_prefixlen": (["::1/128"], ["1.2.3.4/8"]),
        "ip_prefix": (["1.2.3.0/24", "::/0", "2001:db8::/32"], ["1.2.3.4/24", "2001:db8::1/32"]),
        "ipv4_prefix": (["10.0.0.0/8", "1.2.3.4/32"], ["10.0.0.1/8", "::/8"]),
        "ipv6_prefix": (["fe80::/10"], ["fe80::1/10"]),
        "host_and_port": (
            ["a:0", "1.2.3.4:80", "[::1]:65535"],
            ["a", "a:", "a:65536", "a:08", "::1:80", "[::1]", "[]:1", "[1.2.3.4]:1"]
        ),
        "ulid": (
            ["01ARZ3NDEKTSV4RRFFQ69G5FAV", "7zzzzzzzzzzzzzzzzzzzzzzzzz"],
            ["81ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FAI"]
        ),
        "protobuf_fqn": (["a", "a.B_1", "_"], ["", ".a", "a.", "1a", "a..b", "a-b"]),
        "protobuf_dot_fqn": ([".a.b"], ["a.b", ".", "..a"]),
        "well_known_regex.header_name": (["Content-Type", ":path", "x"], ["", ":", "a b", "a:b", "a\n"]),
        "well_known_regex.header_name.loose": (["a b", "\u{1}"], ["", "a\n", "a\u{0}"]),
        "well_known_regex.header_value": (["", "a\tb", "é"], ["a\nb", "a\u{1}", "a\u{7F}"]),
        "well_known_regex.header_value.loose": (["", "a\u{1}"], ["a\rb"]),
    ]

    @Test(arguments: StringFormat.all.keys.sorted())
    func `A form of text accepts exactly its valid strings`(name: String) throws {
        let form = try #require(StringFormat.all[name])
        let texts = try #require(Self.texts[name])
        for text in texts.right { #expect(form.accepts(text), "\(text)") }
        for text in texts.wrong { #expect(!form.accepts(text), "\(text)") }
    }

    @Test func `A form of text is used by generated checks`() {
        #expect(TextForms.isEmail("a@b") && !TextForms.isEmail("a"))
        #expect(TextForms.isUUID("550e8400-e29b-41d4-a716-446655440000") && !TextForms.isUUID(""))
        #expect(TextForms.isURI("https://a") && !TextForms.isURI("a"))
        #expect(TextPattern("^a+$").matches("aa") && !TextPattern("^a+$").matches("b"))
        // What is no pattern finds nothing.
        #expect(!TextPattern("(").matches("("))
    }
}
