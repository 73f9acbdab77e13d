// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchFoundation
import LatchProtobuf
import Testing

@Suite struct RoundTripTests {
    @Test func `The binary form holds a field of every kind`() throws {
        let message = Everything.filled()
        let bytes = try message.serialized()
        let read = try Everything(serialized: bytes)
        expectEqual(read, message)
        expectEqual(read.hashValue, message.hashValue)
        #expect(read.unknownFields.isEmpty)
        try expectEqual(read.serialized(deterministic: true), message.serialized(deterministic: true))
    }

    @Test func `The binary form is the same for equal messages on request`() throws {
        var one = Everything()
        var other = Everything()
        for index in 0..<100 { one.byStringInt32["\(index)"] = Int32(index) }
        for index in (0..<100).reversed() { other.byStringInt32["\(index)"] = Int32(index) }
        try expectEqual(one.serialized(deterministic: true), other.serialized(deterministic: true))
    }

    @Test func `The binary form has the bytes of protobuf's own documentation`() throws {
        // protobuf.dev/programming-guides/encoding: "A Simple Message", "Submessages" and "Packed Repeated Fields".
        var simple = Documented()
        simple.a = 150
        try expectEqual(simple.serialized(), [0x08, 0x96, 0x01])
        var text = Documented()
        text.b = "testing"
        try expectEqual(text.serialized(), [0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6E, 0x67])
        var outer = Documented()
        outer.c = simple
        try expectEqual(outer.serialized(), [0x1A, 0x03, 0x08, 0x96, 0x01])
        var packed = Documented()
        packed.f = [3, 270, 86942]
        try expectEqual(packed.serialized(), [0x32, 0x06, 0x03, 0x8E, 0x02, 0x9E, 0xA7, 0x05])
    }

    @Test func `The binary form omits unset fields and writes explicit zeros`() throws {
        var message = Everything()
        try expectEqual(message.serialized(), [])
        message.oneInt32 = 0
        message.oneString = ""
        message.oneBool = false
        try expectEqual(message.serialized(), [])
        message.mayInt32 = 0
        try expectEqual(message.serialized(), [0xB8, 0x01, 0x00])
        message.mayInt32 = nil
        message.oneDouble = -0.0
        try expectEqual(message.serialized().count, 9)
    }

    @Test func `The binary form writes fields in the order of their numbers`() throws {
        var message = Everything()
        message.farthest = 1
        message.oneInt32 = 1
        message.far = "x"
        let bytes = try message.serialized()
        expectEqual(bytes, [0x18, 1, 0xC2, 0xB8, 0x02, 1, 0x78, 0xF8, 0xFF, 0xFF, 0xFF, 0x0F, 1])
    }

    @Test func `The binary form writes more than its first memory holds`() throws {
        var message = Everything()
        message.manyString = (0..<5000).map { "text number \($0)" }
        message.inners = (0..<300).map { index in
            var inner = Everything()
            inner.oneString = String(repeating: "x", count: index * 10)
            return inner
        }
        try expectEqual(Everything(serialized: message.serialized()), message)
    }

    @Test func `The binary form reads numbers packed and one by one, regardless of the schema`() throws {
        var message = Everything()
        message.manyInt32 = [1, -1, 300]
        message.looseInt32 = [1, -1, 300]
        let bytes = try message.serialized()
        // The numbers of the two fields are exchanged by their tags: 43 is packed, 63 is not.
        var swapped = Everything()
        try swapped.merge(serialized: Wire.packed(63, [1, -1, 300]) + Wire.varints(43, [1, -1, 300]))
        expectEqual(swapped, message)
        try expectEqual(swapped.serialized(), bytes)
        try swapped.merge(serialized: Wire.packed(43, [7]) + Wire.varints(43, [8]))
        expectEqual(swapped.manyInt32, [1, -1, 300, 7, 8])
    }

    @Test func `The binary form keeps the last value, extends lists and merges messages`() throws {
        var first = Everything()
        first.oneInt32 = 1
        first.manyString = ["a"]
        first.byStringInt32 = ["a": 1, "b": 1]
        var inner = Everything()
        inner.oneString = "kept"
        inner.manyInt32 = [1]
        first.inner = inner
        var second = Everything()
        second.oneInt32 = 2
        second.manyString = ["b"]
        second.byStringInt32 = ["b": 2]
        var other = Everything()
        other.oneInt64 = 5
        other.manyInt32 = [2]
        second.inner = other
        let merged = try Everything(serialized: first.serialized() + second.serialized())
        expectEqual(merged.oneInt32, 2)
        expectEqual(merged.manyString, ["a", "b"])
        expectEqual(merged.byStringInt32, ["a": 1, "b": 2])
        expectEqual(merged.inner?.oneString, "kept")
        expectEqual(merged.inner?.oneInt64, 5)
        expectEqual(merged.inner?.manyInt32, [1, 2])
    }

    @Test func `The binary form does not change a copy when it merges into a message`() throws {
        var message = Everything.filled(depth: 1)
        let copy = message
        var change = Everything()
        var inner = Everything()
        inner.oneString = "changed"
        change.inner = inner
        try message.merge(serialized: change.serialized())
        expectEqual(message.inner?.oneString, "changed")
        expectEqual(copy, Everything.filled(depth: 1))
    }

    @Test func `The binary form keeps the last field of a oneof, and merges a message that is set twice`() throws {
        var text = Everything()
        text.inString = "x"
        var message = Everything()
        message.inMessage = text
        try expectNil(Everything(serialized: text.serialized() + message.serialized()).inString)
        try expectNil(Everything(serialized: message.serialized() + text.serialized()).inMessage)
        var other = Everything()
        other.oneInt32 = 4
        var second = Everything()
        second.inMessage = other
        let merged = try Everything(serialized: message.serialized() + second.serialized())
        expectEqual(merged.inMessage?.inString, "x")
        expectEqual(merged.inMessage?.oneInt32, 4)
    }

    @Test func `The binary form reads map entries with missing, duplicate, unknown or reordered parts`() throws {
        // by_string_int32 is field 103.
        func read(_ entry: [UInt8]) throws -> [String: Int32] {
            try Everything(serialized: Wire.delimited(103, entry)).byStringInt32
        }
        try expectEqual(read([]), ["": 0])
        try expectEqual(read([0x0A, 1, 0x61]), ["a": 0])
        try expectEqual(read([0x10, 5]), ["": 5])
        try expectEqual(read([0x10, 5, 0x0A, 1, 0x61]), ["a": 5])
        try expectEqual(read([0x0A, 1, 0x61, 0x10, 5, 0x0A, 1, 0x62, 0x10, 6]), ["b": 6])
        try expectEqual(read([0x18, 9, 0x0A, 1, 0x61, 0x22, 2, 0, 0, 0x10, 5]), ["a": 5])
        let grades = try Everything(serialized: Wire.delimited(209, []))
        expectEqual(grades.grades, [0: .a])
    }

    @Test func `The binary form keeps unknown fields in order and writes them again`() throws {
        let unknown = Wire.varints(999, [1]) + Wire.delimited(998, [1, 2]) + Wire.varints(999, [2])
        let message = try Everything(serialized: unknown)
        expectEqual(message.unknownFields.bytes, unknown)
        try expectEqual(message.serialized(), unknown)
        expectNotEqual(message, Everything())
        // A field of another wire type than its schema's is unknown too.
        let wrong = Wire.delimited(3, [1])
        try expectEqual(Everything(serialized: wrong).serialized(), wrong)
    }

    @Test func `The binary form keeps numbers that a closed enum does not have as unknown fields`() throws {
        var message = try Everything(serialized: Wire.varints(206, [2]) + Wire.varints(206, [9]))
        expectEqual(message.closed, .b)
        expectEqual(message.unknownFields.bytes, Wire.varints(206, [9]))
        message = try Everything(serialized: Wire.packed(207, [1, 9, -3, 10]))
        expectEqual(message.closeds, [.a, .c])
        expectEqual(message.unknownFields.bytes, Wire.varints(207, [9, 10]))
        let entry = Wire.delimited(209, [0x08, 1, 0x10, 9])
        message = try Everything(serialized: entry)
        #expect(message.grades.isEmpty)
        expectEqual(message.unknownFields.bytes, entry)
    }

    @Test func `The binary form has the defaults of the schema`() throws {
        var message = Everything()
        expectEqual(message.text, "a\n\"b\u{E4}")
        expectEqual(message.number, -7)
        expectEqual(message.infinite, -.infinity)
        expectEqual(message.grade, .c)
        expectEqual(message.rawBytes, Data([0, 255]))
        #expect(message.switchOn)
        message.number = 5
        message.storage.clear(Everything.numberSlot)
        expectEqual(message, Everything())
        expectEqual(message.number, -7)
    }
}

/// The message of protobuf's documentation.
private struct Documented: Message {
    static let schema = MessageSchema(
        "test.v1.Documented", "1 a int32\n2 b string\n3 c message 0\n6 f int32 repeated", types: [Documented.self])
    var storage: MessageStorage
    init(storage: MessageStorage) { self.storage = storage }
    var a: Int32 {
        get { storage[int32: 0] }
        set { storage[int32: 0] = newValue }
    }
    var b: String {
        get { storage[string: 1] }
        set { storage[string: 1] = newValue }
    }
    var c: Documented? {
        get { storage[optionalMessage: 2] }
        set { storage[optionalMessage: 2] = newValue }
    }
    var f: [Int32] {
        get { storage[int32s: 3] }
        set { storage[int32s: 3] = newValue }
    }
}
