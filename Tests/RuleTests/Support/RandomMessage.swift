// SPDX-License-Identifier: Apache-2.0

import LatchFoundation
import LatchTesting

@testable import LatchProtobuf
@testable import LatchRPC

/// Messages of any type whose values lie near the edges of the rules.
struct RandomMessage {
    private var random: SplitMix64
    private let now = Int64(Date().timeIntervalSince1970)

    init(seed: UInt64) { random = SplitMix64(state: seed) }

    mutating func make(_ schema: MessageSchema, depth: Int = 0) -> MessageStorage {
        var storage = MessageStorage(schema)
        switch schema.name {
        case "google.protobuf.Timestamp": return time(storage, isDuration: false)
        case "google.protobuf.Duration": return time(storage, isDuration: true)
        case "google.protobuf.Any":
            storage[string: 0] = random.pick(["", "type.googleapis.com/a", "type.googleapis.com/b"])
            return storage
        case "google.protobuf.FieldMask":
            storage[strings: 0] = (0..<random.below(3)).map { _ in random.pick(["a", "b", "a.c", "ab", "c"]) }
            return storage
        default: break
        }
        for field in schema.fields where random.below(4) > 0 {
            switch field.cardinality {
            case .singular:
                if let content = content(field, depth) { storage.setContent(field.slot, content) }
            case .repeated:
                for _ in 0..<random.below(4) {
                    if let content = content(field, depth) { storage.appendContent(field.slot, content) }
                }
            case .map:
                for _ in 0..<random.below(4) {
                    if let key = key(field), let content = content(field, depth) {
                        storage.setEntry(field.slot, key, content)
                    }
                }
            }
        }
        return storage
    }

    private mutating func time(_ empty: MessageStorage, isDuration: Bool) -> MessageStorage {
        var storage = empty
        let seconds =
            isDuration || random.below(3) > 0
            ? Int64(random.below(10)) - 3 : now + random.pick([-4_000, -3_000, -1_000, 1_000, 3_000, 4_000])
        storage[int64: 0] = seconds
        let nanoseconds = random.pick([Int32(0), 0, 1, 5, 6, 999_999_999])
        storage[int32: 1] = isDuration && seconds < 0 ? -nanoseconds : nanoseconds
        return storage
    }

    private mutating func key(_ field: FieldSchema) -> AnyFieldValue? {
        switch field.key?.stored {
        case .bool: .bool(random.below(2) == 0)
        case .int64: .int64(Int64(random.below(8)) - 2)
        case .string: .string(random.pick(["", "a", "ab", "abc", "d\"e", "日本"]))
        default: nil
        }
    }

    private mutating func content(_ field: FieldSchema, _ depth: Int) -> AnyFieldValue? {
        switch field.kind.stored {
        case .bool: return .bool(random.below(2) == 0)
        case .int32: return .int32(random.pick([Int32(0), 1, 2, 3, 4, 5, 6, 9, 10, 100, -1, .min, .max]))
        case .int64: return .int64(random.pick([Int64(0), 1, 2, 3, 4, 5, 6, -1, .min, .max]))
        case .uint32: return .uint32(random.pick([UInt32(0), 1, 2, 3, 4, 5, 6, .max]))
        case .uint64: return .uint64(random.pick([UInt64(0), 1, 2, 3, 4, 5, 6, .max]))
        case .float: return .float(random.pick([Float(0), -0.0, 0.1, 0.5, 1, 3, 4.9, 5, 5.1, .nan, .infinity]))
        case .double: return .double(random.pick([Double(0), -0.0, 0.1, 0.5, 1, 3, 4.9, 5, 5.1, .nan, -.infinity]))
        case .string: return .string(text())
        case .bytes:
            let lengths = [4, 16].map { String(repeating: "x", count: $0) }
            return .bytes(Data(random.pick(lengths + ["", "abc", "ab", "xab", "abx", "a", "aab"]).utf8))
        case .message:
            guard depth < 3, let child = field.child else { return nil }
            return .message(make(child, depth: depth + 1))
        }
    }

    /// A text of a kind, at times with a character changed.
    private mutating func text() -> String {
        var text = Array(random.pick(Self.texts).unicodeScalars)
        guard random.below(3) == 0, !text.isEmpty else { return Self.joined(text) }
        let place = random.below(text.count)
        switch random.below(3) {
        case 0: text.remove(at: place)
        case 1: text.insert(random.pick(Self.letters), at: place)
        default: text[place] = random.pick(Self.letters)
        }
        return Self.joined(text)
    }

    private static func joined(_ scalars: [Unicode.Scalar]) -> String {
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars)
        return text
    }

    private static let letters = Array("aZ09.-_:/%[]@#? +~!\n\u{1}\u{7F}é,'\\\"G".unicodeScalars)

    private static let texts = [
        "", "a", "ab", "abc", "abcd", "xab", "abx", "é", "e\u{301}", "日本語", "x#\"", "foo@example.com", "a.b+c@x-y.org",
        "@example.com", "foo@", "foo@bar", "foo@-bar.com", "\"q\"@example.com", "example.com", "example.com.",
        "a.b.c.123", "localhost", "-a.com", "1.2.3.4", "01.2.3.4", "1.2.3.256", "255.255.255.255", "1.2.3",
        "::", "::1", "2001:db8::1", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8",
        "1::2::3", ":1::", "fe80::1%en0", "fe80::1%", "::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "1.2.3.4::", "12345::",
        "::1.2.3.4:5", "1.2.3.0/24", "1.2.3.4/24", "1.2.3.4/33", "1.2.3.4/032", "0.0.0.0/0", "2001:db8::/32",
        "2001:db8::1/32", "::1/128", "::/129", "::1%en0/64", "1.2.3.4/", "example.com:80", "1.2.3.4:0", "[::1]:65535",
        "[::1]:65536", "[::1]", "[::1%en0]:1", "::1:80", "a:080", "a:00", "a:", "[]:1", "[1.2.3.4]:1",
        "http://example.com/a/b?c=d#e", "http://user:pass@host:80/", "mailto:a@b.c", "urn:x:y", "http://[::1]:80/",
        "http://[::1%25en0]/", "http://[::1%en0]/", "http://[v1.x:y]/", "http://[v.x]/", "http://host:8a/",
        "http://a b/", "http://a/%zz", "http://a/%20%ff", "http://%ff/", "http://%c3%a9/", "//host/path", "/a//b",
        "a:b/c",
        "./a:b", "?q", "#f", "#a#b", "1a:b", "x:", "x://", "x:///a", "http://a@b@c/", "a/b?c?d", "http://[::1",
        "http://::1/", "http:///", "//", "///", "a//b", "http://a:/", "http://[::1]x/",
        "550e8400-e29b-41d4-a716-446655440000", "550E8400E29B41D4A716446655440000", "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "81ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FAI", "foo.bar.Baz", ".foo.Bar", "foo..bar", "1foo", ".",
        "_a.b2", "Content-Type", ":path", "x y", "a,b", "a\nb", "a\tb", "a\u{0}b", "a\u{7F}b", "w9", "-", "ß9",
    ]
}
