// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchProtobuf
import Testing

@Suite struct SchemaTests {
    @Test func `A schema keeps the slot of a malformed line, without a value`() throws {
        var message = Broken()
        for slot in 0..<9 {
            message.storage[string: slot] = "x"
            message.storage[int32: slot] = 7
            message.storage.clear(slot)
            #expect(!message.storage.has(slot), "slot \(slot)")
        }
        message.storage[string: 9] = "read"
        try expectEqual(message.serialized(), [0x52, 4] + Array("read".utf8))
        try expectEqual(Broken(serialized: message.serialized()), message)
    }

    @Test func `A schema finds fields with small, large and sparse numbers`() throws {
        var message = Sparse()
        for slot in 0..<5 { message.storage[int32: slot] = Int32(slot + 1) }
        let bytes = try message.serialized()
        expectEqual(
            bytes,
            Wire.varints(1, [4]) + Wire.varints(2, [2]) + Wire.varints(1000, [3])
                + Wire.varints(70_000, [5]) + Wire.varints(536_870_911, [1]))
        try expectEqual(Sparse(serialized: bytes), message)
        let unknown = Wire.varints(999, [1]) + Wire.varints(69_999, [1])
        try expectEqual(Sparse(serialized: unknown).unknownFields.bytes, unknown)
    }

    @Test func `A schema can be read by many tasks at once`() async throws {
        let schema = MessageSchema("test.v1.Shared", "1 a int32\n2 b string\n3 c int64 repeated")
        await withTaskGroup(of: Bool.self) { group in
            for index in 0..<64 {
                group.addTask {
                    var storage = MessageStorage(schema)
                    storage[int32: 0] = Int32(index)
                    storage[int64s: 2].append(5)
                    return storage[int32: 0] == Int32(index) && storage[int64s: 2] == [5]
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    @Test func `A schema of an enum knows names, numbers and aliases`() {
        let schema = EnumSchema("test.v1.Alias", "1 FIRST\n2 SECOND\n1 ALSO_FIRST\nnonsense\n-5 LOW")
        expectEqual(schema.name(of: 1), "FIRST")
        expectEqual(schema.number(of: "ALSO_FIRST"), 1)
        expectEqual(schema.number(of: "LOW"), -5)
        expectNil(schema.name(of: 9))
        expectNil(schema.number(of: "nonsense"))
    }

    @Test func `A schema does not outlive the last owner of its messages`() {
        final class Held: Sendable {
            let message: Everything
            init(_ message: Everything) { self.message = message }
        }
        var holders: [Held] = []
        let message = Everything.filled(depth: 2)
        for index in 0..<20 {
            var copy = message
            copy.oneInt64 = Int64(index)
            copy.inners[0].oneString = "\(index)"
            copy.byName[""]?.oneString = "\(index)"
            holders.append(Held(copy))
        }
        holders.removeSubrange(0..<19)
        expectEqual(holders[0].message.inners[0].oneString, "19")
        expectEqual(holders[0].message.byName[""]?.oneString, "19")
        expectEqual(message, Everything.filled(depth: 2))
    }
}

private struct Broken: Message {
    static let schema = MessageSchema(
        "test.v1.Broken",
        """
        0 zero string
        x name string
        1 name
        2 name wrong
        3 name message 7
        4 name message 0
        5 name map bytes string
        536870912 far string
        6 name map string
        10 good string
        """,
        types: [PersonRole.self])
    var storage: MessageStorage
    init(storage: MessageStorage) { self.storage = storage }
}

private struct Sparse: Message {
    static let schema = MessageSchema(
        "test.v1.Sparse", "536870911 a int32\n2 b int32\n1000 c int32\n1 d int32\n70000 e int32")
    var storage: MessageStorage
    init(storage: MessageStorage) { self.storage = storage }
}
