// SPDX-License-Identifier: Apache-2.0

import LatchFoundation
import TestVectors

@testable import LatchProtobuf

/// Messages of any type with random content that every encoding can say.
struct RandomMessage {
    private var generator: SeededGenerator

    /// Whether floats may be NaN, which is equal to nothing, and -0, which is equal to 0.
    private let hasOddFloats: Bool

    init(seed: UInt64, hasOddFloats: Bool = true) {
        generator = SeededGenerator(seed: seed)
        self.hasOddFloats = hasOddFloats
    }

    /// A message whose fields are set or not, `depth` messages deep.
    mutating func make<Value: Message>(_ type: Value.Type, depth: Int = 4) throws -> Value {
        Value(storage: try storage(Value.schema, depth))
    }

    private mutating func storage(_ schema: MessageSchema, _ depth: Int) throws -> MessageStorage {
        var storage = MessageStorage(schema)
        switch WellKnownType(schema.name) {
        case .timestamp: setTime(&storage, TimeText.timestamps, sign: 1)
        case .duration: setTime(&storage, TimeText.durations, sign: chance(2) ? 1 : -1)
        case .fieldMask: storage[strings: 0] = chance(3) ? [] : ["a", "b_c.d_e2", "f1"]
        case .any: if depth > 0, chance(2) { storage = try any(depth) }
        case .value: try setValue(&storage, depth)
        case .none, .object, .list, .scalar:
            for field in schema.fields where field.number > 0 && chance(3) { try set(field, &storage, depth) }
        }
        return storage
    }

    private mutating func set(_ field: FieldSchema, _ storage: inout MessageStorage, _ depth: Int) throws {
        guard depth > 0 || !field.kind.isMessage else { return }
        switch field.cardinality {
        case .singular: storage.setContent(field.slot, try content(field.kind, field, depth))
        case .repeated:
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                storage.appendContent(field.slot, try content(field.kind, field, depth))
            }
        case .map:
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let key = try content(field.key ?? .bool, nil, depth)
                storage.setEntry(field.slot, key, try content(field.kind, field, depth))
            }
        }
    }

    private mutating func content(_ kind: FieldKind, _ field: FieldSchema?, _ depth: Int) throws -> AnyFieldValue {
        if let schema = field?.enumeration { return .int32(number(of: schema)) }
        switch kind.stored {
        case .bool: return .bool(chance(2))
        case .int32: return .int32(Int32(truncatingIfNeeded: integer()))
        case .int64: return .int64(integer())
        case .uint32: return .uint32(UInt32(truncatingIfNeeded: integer()))
        case .uint64: return .uint64(UInt64(bitPattern: integer()))
        case .float: return .float(float())
        case .double: return .double(double())
        case .string: return .string(text())
        case .bytes: return .bytes(Data(generator.bytes(Int.random(in: 0...7, using: &generator))))
        case .message:
            guard let schema = field?.child else { throw CocoaError(.fileReadUnknown) }
            return .message(try storage(schema, depth - 1))
        }
    }

    private mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }

    private mutating func integer() -> Int64 {
        let value = Int64(bitPattern: generator.next())
        return [0, 1, -1, .max, .min, value, value >> 33, value >> 54].randomElement(using: &generator) ?? 0
    }

    private mutating func double() -> Double {
        let value = Double(bitPattern: generator.next())
        let special = [
            0, -0.0, 0.1, 1e21, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -.infinity, .nan, 0x1p53, -7,
        ]
        let chosen = chance(2) && !value.isNaN ? value : special.randomElement(using: &generator) ?? 0
        return hasOddFloats || !chosen.isNaN && chosen != 0 ? chosen : 1
    }

    private mutating func float() -> Float {
        let value = Float(bitPattern: UInt32(truncatingIfNeeded: generator.next()))
        let special: [Float] = [
            0, -0.0, 0.1, 1e21, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity, .nan, 0x1p24, -7,
        ]
        let chosen = chance(2) && !value.isNaN ? value : special.randomElement(using: &generator) ?? 0
        return hasOddFloats || !chosen.isNaN && chosen != 0 ? chosen : 1
    }

    private mutating func text() -> String {
        let pieces = [
            "", "a", "\"", "\\", "/", "\u{0}", "\u{1F}", "\u{7F}", "é", "\u{2028}", "😀", "e\u{301}", "\n", "'", "?",
        ]
        return (0..<Int.random(in: 0...4, using: &generator))
            .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
    }

    private mutating func number(of schema: EnumSchema) -> Int32 {
        if schema.name == "google.protobuf.NullValue" { return 0 }
        return (-1...3).filter { schema.contains($0) }.randomElement(using: &generator) ?? 0
    }

    private mutating func setTime(_ storage: inout MessageStorage, _ range: ClosedRange<Int64>, sign: Int64) {
        let seconds = Int64.random(in: range, using: &generator)
        let nanos = [0, 1, 999_999_999, 500_000_000, 1_000, 120].randomElement(using: &generator) ?? 0
        storage[int64: 0] = range.lowerBound == -range.upperBound ? Int64(seconds.magnitude) * sign : seconds
        storage[int32: 1] = Int32(nanos) * Int32(sign)
    }

    private mutating func any(_ depth: Int) throws -> MessageStorage {
        let duration = try storage(ProtoDuration.schema, depth)
        let value = try storage(ProtoStruct.schema, depth - 1)
        return try
            (chance(2)
            ? ProtoAny(packing: ProtoDuration(storage: duration)) : ProtoAny(packing: ProtoStruct(storage: value)))
            .storage
    }

    private mutating func setValue(_ storage: inout MessageStorage, _ depth: Int) throws {
        switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &generator) {
        case 0: storage[int32: 0] = 0
        case 1: storage[double: 1] = chance(2) ? 0.5 : -1e300
        case 2: storage[string: 2] = text()
        case 3: storage[bool: 3] = chance(2)
        case 4: storage.setChild(4, try self.storage(ProtoStruct.schema, depth - 1))
        default: storage.setChild(5, try self.storage(ProtoList.schema, depth - 1))
        }
    }
}
