// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchFoundation
import LatchProtobuf
import Testing

@Suite struct ExtensionTests {
    static let nick = Extension<Extended, String>("100 test.v1.nick string optional")
    static let age = Extension<Extended, Int32?>("101 test.v1.age sint32 optional")
    static let codes = Extension<Extended, [Int64]>("102 test.v1.codes int64 repeated")
    static let grade = Extension<Extended, Grade>("103 test.v1.grade closed 0 optional", types: [Grade.self])
    static let grades = Extension<Extended, [Grade]>("104 test.v1.grades closed 0 repeated", types: [Grade.self])
    static let device = Extension<Extended, Device?>("105 test.v1.device message 0", types: [Device.self])
    static let devices = Extension<Extended, [Device]>("106 test.v1.devices group 0 repeated", types: [Device.self])
    static let greeting = Extension<Extended, String>("107 test.v1.greeting string optional default \"hi\"")
    static let pin = Extension<Extended, String>("108 test.v1.pin string optional secret")
    static let all: ExtensionSet = [nick, age, codes, grade, grades, device, devices, greeting, pin]

    private func filled() -> Extended {
        var device = Device()
        device.name = "phone"
        var message = Extended()
        message.id = 7
        message[Self.nick] = "ada"
        message[Self.age] = -3
        message[Self.codes] = [1, -1]
        message[Self.grade] = .c
        message[Self.grades] = [.a, .b]
        message[Self.device] = device
        message[Self.devices] = [device, Device()]
        return message
    }

    @Test func `An extension reads as its default if it is absent`() {
        let message = Extended()
        expectEqual(message[Self.nick], "")
        expectNil(message[Self.age])
        expectEqual(message[Self.codes], [])
        expectEqual(message[Self.grade], .a)
        expectNil(message[Self.device])
        expectEqual(message[Self.greeting], "hi")
        #expect(!message.has(Self.greeting))
    }

    @Test func `An extension is a part of the message's value`() {
        let message = filled()
        var other = message
        expectEqual(other, message)
        expectEqual(other.hashValue, message.hashValue)
        other[Self.nick] = "grace"
        expectEqual(message[Self.nick], "ada")
        expectNotEqual(other, message)
        other = message
        other.clear(Self.device)
        expectEqual(message[Self.device]?.name, "phone")
        expectNil(other[Self.device])
        var cleared = Extended()
        cleared[Self.nick] = "x"
        cleared.clear(Self.nick)
        expectEqual(cleared, Extended())
    }

    @Test func `An extension is decoded if it is listed, and otherwise an unknown field`() throws {
        let message = filled()
        let bytes = try message.serialized(deterministic: true)
        let known = try Extended(serialized: bytes, extensions: Self.all)
        expectEqual(known, message)
        expectEqual(known[Self.age], -3)
        expectEqual(known[Self.devices].map(\.name), ["phone", ""])
        let unknown = try Extended(serialized: bytes)
        expectEqual(unknown[Self.nick], "")
        #expect(!unknown.unknownFields.isEmpty)
        try expectEqual(unknown.serialized(), bytes)
    }

    @Test func `An extension extends lists, merges, and keeps unknown values of a closed enum`() throws {
        let bytes =
            Wire.packed(102, [1]) + Wire.varints(102, [2]) + Wire.varints(103, [9]) + Wire.packed(104, [1, 9, 2])
        let message = try Extended(serialized: bytes, extensions: Self.all)
        expectEqual(message[Self.codes], [1, 2])
        #expect(!message.has(Self.grade))
        expectEqual(message[Self.grades], [.a, .b])
        expectEqual(message.unknownFields.bytes, Wire.varints(103, [9]) + Wire.varints(104, [9]))
        let parts = Wire.delimited(105, Wire.delimited(1, [0x61])) + Wire.delimited(105, Wire.delimited(2, [1]))
        let device = try Extended(serialized: parts, extensions: Self.all)[Self.device]
        expectEqual(device?.name, "a")
        expectEqual(device?.serial, Data([1]))
    }

    @Test func `An extension is redacted if it is secret`() {
        var message = filled()
        message[Self.pin] = "hunter2"
        #expect(message.description.contains("[test.v1.nick]: \"ada\""))
        #expect(message.description.contains("[test.v1.pin]: <redacted>"))
        #expect(!message.description.contains("hunter2"))
    }
}

struct Extended: Message {
    static let schema = MessageSchema("test.v1.Extended", "1 id int32\nextensions 100 199")
    var storage: MessageStorage
    init(storage: MessageStorage) { self.storage = storage }
    var id: Int32 {
        get { storage[int32: 0] }
        set { storage[int32: 0] = newValue }
    }
}
