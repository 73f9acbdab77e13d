// SPDX-License-Identifier: Apache-2.0

public import LatchFoundation
import LatchProtobuf

// Maps, numbers that are not packed, and the fields of the oneof.
extension Everything {
    public var looseDouble: [Double] {
        get { storage[doubles: 3] }
        set { storage[doubles: 3] = newValue }
    }
    public var inDouble: Double? {
        get { storage[optionalDouble: 4] }
        set { storage[optionalDouble: 4] = newValue }
    }
    public var byStringDouble: [String: Double] {
        get { storage[map: 5] }
        set { storage[map: 5] = newValue }
    }
    public var looseFloat: [Float] {
        get { storage[floats: 9] }
        set { storage[floats: 9] = newValue }
    }
    public var inFloat: Float? {
        get { storage[optionalFloat: 10] }
        set { storage[optionalFloat: 10] = newValue }
    }
    public var byStringFloat: [String: Float] {
        get { storage[map: 11] }
        set { storage[map: 11] = newValue }
    }
    public var looseInt32: [Int32] {
        get { storage[int32s: 15] }
        set { storage[int32s: 15] = newValue }
    }
    public var inInt32: Int32? {
        get { storage[optionalInt32: 16] }
        set { storage[optionalInt32: 16] = newValue }
    }
    public var byStringInt32: [String: Int32] {
        get { storage[map: 17] }
        set { storage[map: 17] = newValue }
    }
    public var byInt32: [Int32: String] {
        get { storage[map: 18] }
        set { storage[map: 18] = newValue }
    }
    public var looseInt64: [Int64] {
        get { storage[int64s: 22] }
        set { storage[int64s: 22] = newValue }
    }
    public var inInt64: Int64? {
        get { storage[optionalInt64: 23] }
        set { storage[optionalInt64: 23] = newValue }
    }
    public var byStringInt64: [String: Int64] {
        get { storage[map: 24] }
        set { storage[map: 24] = newValue }
    }
    public var byInt64: [Int64: String] {
        get { storage[map: 25] }
        set { storage[map: 25] = newValue }
    }
    public var looseUint32: [UInt32] {
        get { storage[uint32s: 29] }
        set { storage[uint32s: 29] = newValue }
    }
    public var inUint32: UInt32? {
        get { storage[optionalUInt32: 30] }
        set { storage[optionalUInt32: 30] = newValue }
    }
    public var byStringUint32: [String: UInt32] {
        get { storage[map: 31] }
        set { storage[map: 31] = newValue }
    }
    public var byUint32: [UInt32: String] {
        get { storage[map: 32] }
        set { storage[map: 32] = newValue }
    }
    public var looseUint64: [UInt64] {
        get { storage[uint64s: 36] }
        set { storage[uint64s: 36] = newValue }
    }
    public var inUint64: UInt64? {
        get { storage[optionalUInt64: 37] }
        set { storage[optionalUInt64: 37] = newValue }
    }
    public var byStringUint64: [String: UInt64] {
        get { storage[map: 38] }
        set { storage[map: 38] = newValue }
    }
    public var byUint64: [UInt64: String] {
        get { storage[map: 39] }
        set { storage[map: 39] = newValue }
    }
    public var looseSint32: [Int32] {
        get { storage[int32s: 43] }
        set { storage[int32s: 43] = newValue }
    }
    public var inSint32: Int32? {
        get { storage[optionalInt32: 44] }
        set { storage[optionalInt32: 44] = newValue }
    }
    public var byStringSint32: [String: Int32] {
        get { storage[map: 45] }
        set { storage[map: 45] = newValue }
    }
    public var bySint32: [Int32: String] {
        get { storage[map: 46] }
        set { storage[map: 46] = newValue }
    }
    public var looseSint64: [Int64] {
        get { storage[int64s: 50] }
        set { storage[int64s: 50] = newValue }
    }
    public var inSint64: Int64? {
        get { storage[optionalInt64: 51] }
        set { storage[optionalInt64: 51] = newValue }
    }
    public var byStringSint64: [String: Int64] {
        get { storage[map: 52] }
        set { storage[map: 52] = newValue }
    }
    public var bySint64: [Int64: String] {
        get { storage[map: 53] }
        set { storage[map: 53] = newValue }
    }
    public var looseFixed32: [UInt32] {
        get { storage[uint32s: 57] }
        set { storage[uint32s: 57] = newValue }
    }
    public var inFixed32: UInt32? {
        get { storage[optionalUInt32: 58] }
        set { storage[optionalUInt32: 58] = newValue }
    }
    public var byStringFixed32: [String: UInt32] {
        get { storage[map: 59] }
        set { storage[map: 59] = newValue }
    }
    public var byFixed32: [UInt32: String] {
        get { storage[map: 60] }
        set { storage[map: 60] = newValue }
    }
    public var looseFixed64: [UInt64] {
        get { storage[uint64s: 64] }
        set { storage[uint64s: 64] = newValue }
    }
    public var inFixed64: UInt64? {
        get { storage[optionalUInt64: 65] }
        set { storage[optionalUInt64: 65] = newValue }
    }
    public var byStringFixed64: [String: UInt64] {
        get { storage[map: 66] }
        set { storage[map: 66] = newValue }
    }
    public var byFixed64: [UInt64: String] {
        get { storage[map: 67] }
        set { storage[map: 67] = newValue }
    }
    public var looseSfixed32: [Int32] {
        get { storage[int32s: 71] }
        set { storage[int32s: 71] = newValue }
    }
    public var inSfixed32: Int32? {
        get { storage[optionalInt32: 72] }
        set { storage[optionalInt32: 72] = newValue }
    }
    public var byStringSfixed32: [String: Int32] {
        get { storage[map: 73] }
        set { storage[map: 73] = newValue }
    }
    public var bySfixed32: [Int32: String] {
        get { storage[map: 74] }
        set { storage[map: 74] = newValue }
    }
    public var looseSfixed64: [Int64] {
        get { storage[int64s: 78] }
        set { storage[int64s: 78] = newValue }
    }
    public var inSfixed64: Int64? {
        get { storage[optionalInt64: 79] }
        set { storage[optionalInt64: 79] = newValue }
    }
    public var byStringSfixed64: [String: Int64] {
        get { storage[map: 80] }
        set { storage[map: 80] = newValue }
    }
    public var bySfixed64: [Int64: String] {
        get { storage[map: 81] }
        set { storage[map: 81] = newValue }
    }
    public var looseBool: [Bool] {
        get { storage[bools: 85] }
        set { storage[bools: 85] = newValue }
    }
    public var inBool: Bool? {
        get { storage[optionalBool: 86] }
        set { storage[optionalBool: 86] = newValue }
    }
    public var byStringBool: [String: Bool] {
        get { storage[map: 87] }
        set { storage[map: 87] = newValue }
    }
    public var byBool: [Bool: String] {
        get { storage[map: 88] }
        set { storage[map: 88] = newValue }
    }
    public var inString: String? {
        get { storage[optionalString: 92] }
        set { storage[optionalString: 92] = newValue }
    }
    public var byStringString: [String: String] {
        get { storage[map: 93] }
        set { storage[map: 93] = newValue }
    }
    public var byString: [String: String] {
        get { storage[map: 94] }
        set { storage[map: 94] = newValue }
    }
    public var inBytes: Data? {
        get { storage[optionalBytes: 98] }
        set { storage[optionalBytes: 98] = newValue }
    }
    public var byStringBytes: [String: Data] {
        get { storage[map: 99] }
        set { storage[map: 99] = newValue }
    }
    public var looseCloseds: [Grade] {
        get { storage[enums: 108] }
        set { storage[enums: 108] = newValue }
    }
    public var byName: [String: Everything] {
        get { storage[map: 110] }
        set { storage[map: 110] = newValue }
    }
    public var inMessage: Everything? {
        get { storage[optionalMessage: 111] }
        set { storage[optionalMessage: 111] = newValue }
    }
}
