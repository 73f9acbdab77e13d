// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchFoundation
import LatchProtobuf
import Testing

@Suite struct TextExtensionTests {
    private let numbers = Extension<Host, [Int32]>("100 test.v1.numbers int32 repeated")
    private let word = Extension<Host, String?>("101 test.v1.word string optional")
    private let inner = Extension<Host, Host?>("102 test.v1.inner message 0", types: [Host.self])
    private var options: TextFormatDecodingOptions { TextFormatDecodingOptions(extensions: [numbers, word, inner]) }

    private struct Host: Message {
        static let schema = MessageSchema("test.v1.Host", "1 name string\nextensions 100 200")
        var storage: MessageStorage
        init(storage: MessageStorage) { self.storage = storage }
    }

    private func read(_ text: String) throws(ProtoError) -> Host { try Host(text: text, options: options) }

    @Test func `An extension in the text format can be repeated, as single values or in lists`() throws {
        let many = (0..<20_000).map { "[test.v1.numbers]: \($0)" }.joined(separator: "\n")
        try expectEqual(read(many)[numbers], (0..<20_000).map { Int32($0) })
        try expectEqual(
            read("[test.v1.numbers]: [1, 2] [test.v1.numbers]: 3, [test . v1 . numbers]: []")[numbers], [1, 2, 3])
        try expectEqual(read("[test.v1.numbers]: []"), Host())
        #expect(try !read("[test.v1.numbers]: []").has(numbers))
    }

    @Test func `An extension in the text format does not make a foreign delimited field group-like`() throws {
        struct Outer: Message {
            static let schema = MessageSchema("gl.Outer", "1 x int32 optional")
            var storage: MessageStorage
            init(storage: MessageStorage) { self.storage = storage }
        }
        struct Own: Message {
            static let schema = MessageSchema("gl.M.Own", "1 x int32 optional")
            var storage: MessageStorage
            init(storage: MessageStorage) { self.storage = storage }
        }
        struct M: Message {
            static let schema = MessageSchema(
                "gl.M", "1 outer group 0\n2 own group 1", types: [Outer.self, Own.self])
            var storage: MessageStorage
            init(storage: MessageStorage) { self.storage = storage }
        }
        let text = "outer {\n  x: 1\n}\nOwn {\n  x: 2\n}\n"
        try expectEqual(M(text: text).text(), text)
        #expect(throws: ProtoError.unknownField) { try M(text: "Outer { x: 1 }") }
    }

    @Test func `An extension in the text format of a MessageSet is read by the name of either type`() throws {
        struct Item: Message {
            static let schema = MessageSchema("test.v1.Item", "1 i int32 optional")
            var storage: MessageStorage
            init(storage: MessageStorage) { self.storage = storage }
        }
        struct Items: Message {
            static let schema = MessageSchema("test.v1.Items", "messageset\nextensions 4 2147483646")
            var storage: MessageStorage
            init(storage: MessageStorage) { self.storage = storage }
        }
        let own = Extension<Items, Item?>("5 test.v1.Item.item message 0", types: [Item.self])
        let other = Extension<Items, Item?>("6 test.v1.other message 0", types: [Item.self])
        let options = TextFormatDecodingOptions(extensions: [own, other])
        let text = "[test.v1.Item] {\n  i: 1\n}\n[test.v1.other] {\n  i: 2\n}\n"
        let items = try Items(text: text, options: options)
        #expect(items.has(own) && items.has(other))
        expectEqual(items.text(), text)
        try expectEqual(Items(text: "[test.v1.Item.item] { i: 1 } [test.v1.other] { i: 2 }", options: options), items)
    }

    @Test func `An extension in the text format occurs at most once if it is singular`() throws {
        try expectEqual(read("[test.v1.word]: 'a' # 'b'")[word], "a")
        #expect(try read("[test.v1.word]: ''").has(word))
        #expect(throws: ProtoError.duplicateField) { try read("[test.v1.word]: 'a' [test.v1.word]: 'b'") }
        #expect(throws: ProtoError.duplicateField) { try read("[test.v1.inner] {} [test.v1.inner] {}") }
    }

    @Test func `An extension in the text format round-trips with nested extensions`() throws {
        var host = Host()
        host[numbers] = [1, -2]
        host[word] = "é\n"
        var nested = Host()
        nested[word] = ""
        host[inner] = nested
        let text = host.text()
        #expect(text.contains("[test.v1.inner] {\n  [test.v1.word]: \"\"\n}\n"))
        try expectEqual(read(text), host)
        let bytes = try Host(serialized: host.serialized(), extensions: [numbers, word, inner])
        #expect(bytes == host && bytes.hashValue == host.hashValue)
        try expectEqual(
            Host(json: host.json(), options: JSONDecodingOptions(extensions: [numbers, word, inner])), host)
    }

    @Test(arguments: [
        "[test.v1.nobody]: 1", "[numbers]: 1", "[test.v1.Numbers]: 1", "[test.v1.host/numbers]: 1",
        "test.v1.numbers: 1",
    ])
    func `An extension in the text format that is unknown is an error, unless unknown fields are skipped`(text: String)
        throws
    {
        #expect(throws: ProtoError.self) { try read(text) }
        guard text.hasPrefix("[") else { return }
        var skipping = options
        skipping.ignoresUnknownFields = true
        try expectEqual(Host(text: text, options: skipping), Host())
    }

    @Test(arguments: [
        "[test.v1.numbers", "[test.v1.numbers]", "[]: 1", "[.test]: 1", "[test.]: 1", "[1a]: 1", "[a b!]: 1", "[/a]: 1",
        "[a%2]: 1", "[test.v1.numbers] 1", "[test.v1.word] { }", "[test.v1.inner]: 1", "[test.v1.numbers]: [1,]",
        "[test.v1.numbers]: 1.5", "[\"a\"]: 1", "[[a]]: 1",
    ])
    func `An extension in the text format is refused if it is malformed`(text: String) {
        #expect(throws: ProtoError.self) { try read(text) }
        var skipping = options
        skipping.ignoresUnknownFields = true
        guard text != "[test.v1.word] { }" else { return }
        #expect(throws: ProtoError.self) { try Host(text: text, options: skipping) }
    }
}

@Suite struct TextStringTests {
    private func read(_ value: String) throws(ProtoError) -> [UInt8] {
        Array(try Everything(text: "one_bytes: \(value)").oneBytes)
    }

    @Test(
        arguments: [
            (#""""#, []), (#"'a' "b"'c'"#, [0x61, 0x62, 0x63]), ("'a' # one\n 'b'", [0x61, 0x62]),
            (#"'\a\b\f\n\r\t\v\?\\\'\"'"#, [7, 8, 12, 10, 13, 9, 11, 0x3F, 0x5C, 0x27, 0x22]),
            (#"'\0\7\12\123\377\0010'"#, [0, 7, 10, 0x53, 0xFF, 1, 0x30]),
            (#"'\x1\xA\xff\x41g'"#, [1, 10, 255, 0x41, 0x67]),
            (#"'\X41'"#, [0x41]), (#"'\u00e9\U0001F600'"#, [0xC3, 0xA9, 0xF0, 0x9F, 0x98, 0x80]), (#"'"'"#, [0x22]),
            (#""'""#, [0x27]), ("'\u{1}\t'", [1, 9]), (#"'\08'"#, [0, 0x38]),
        ] as [(String, [UInt8])])
    func `A string in the text format is read with C's escapes`(text: String, bytes: [UInt8]) throws {
        try expectEqual(read(text), bytes)
    }

    @Test(arguments: [
        "'", "\"a'", "'a\n'", "'\\", "'\\'", #"'\q'"#, #"'\400'"#, #"'\777'"#, #"'\x'"#, #"'\xg'"#, #"'\u12'"#,
        #"'\ud800'"#, #"'\U00110000'"#, #"'\U0001F60'"#, "a", "1", "'a' b", "'a', 'b'", "['a']", "{}",
    ])
    func `A string in the text format is refused if it is invalid`(text: String) {
        #expect(throws: ProtoError.self) { try read(text) }
    }

    @Test func `A string in the text format round-trips for each byte`() throws {
        var message = Everything()
        for byte in UInt8.min...UInt8.max { message.manyBytes.append(Data([byte, 0x31, byte])) }
        message.oneString = (1...0x2FF).compactMap { Unicode.Scalar($0) }.map { String($0) }.joined()
        try expectEqual(Everything(text: message.text()), message)
    }
}
