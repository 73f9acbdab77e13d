// SPDX-License-Identifier: Apache-2.0

public import LatchFoundation
public import LatchProtobuf

/// A message with a field of every kind in every cardinality, in the shape of generated code.
public struct Everything: Message {
    public static let schema = MessageSchema(
        "test.v1.Everything",
        """
        1 one_double double
        21 may_double double optional
        41 many_double double repeated
        61 loose_double double expanded
        81 in_double double oneof 0
        101 by_string_double map string double
        2 one_float float
        22 may_float float optional
        42 many_float float repeated
        62 loose_float float expanded
        82 in_float float oneof 0
        102 by_string_float map string float
        3 one_int32 int32
        23 may_int32 int32 optional
        43 many_int32 int32 repeated
        63 loose_int32 int32 expanded
        83 in_int32 int32 oneof 0
        103 by_string_int32 map string int32
        123 by_int32 map int32 string
        4 one_int64 int64
        24 may_int64 int64 optional
        44 many_int64 int64 repeated
        64 loose_int64 int64 expanded
        84 in_int64 int64 oneof 0
        104 by_string_int64 map string int64
        124 by_int64 map int64 string
        5 one_uint32 uint32
        25 may_uint32 uint32 optional
        45 many_uint32 uint32 repeated
        65 loose_uint32 uint32 expanded
        85 in_uint32 uint32 oneof 0
        105 by_string_uint32 map string uint32
        125 by_uint32 map uint32 string
        6 one_uint64 uint64
        26 may_uint64 uint64 optional
        46 many_uint64 uint64 repeated
        66 loose_uint64 uint64 expanded
        86 in_uint64 uint64 oneof 0
        106 by_string_uint64 map string uint64
        126 by_uint64 map uint64 string
        7 one_sint32 sint32
        27 may_sint32 sint32 optional
        47 many_sint32 sint32 repeated
        67 loose_sint32 sint32 expanded
        87 in_sint32 sint32 oneof 0
        107 by_string_sint32 map string sint32
        127 by_sint32 map sint32 string
        8 one_sint64 sint64
        28 may_sint64 sint64 optional
        48 many_sint64 sint64 repeated
        68 loose_sint64 sint64 expanded
        88 in_sint64 sint64 oneof 0
        108 by_string_sint64 map string sint64
        128 by_sint64 map sint64 string
        9 one_fixed32 fixed32
        29 may_fixed32 fixed32 optional
        49 many_fixed32 fixed32 repeated
        69 loose_fixed32 fixed32 expanded
        89 in_fixed32 fixed32 oneof 0
        109 by_string_fixed32 map string fixed32
        129 by_fixed32 map fixed32 string
        10 one_fixed64 fixed64
        30 may_fixed64 fixed64 optional
        50 many_fixed64 fixed64 repeated
        70 loose_fixed64 fixed64 expanded
        90 in_fixed64 fixed64 oneof 0
        110 by_string_fixed64 map string fixed64
        130 by_fixed64 map fixed64 string
        11 one_sfixed32 sfixed32
        31 may_sfixed32 sfixed32 optional
        51 many_sfixed32 sfixed32 repeated
        71 loose_sfixed32 sfixed32 expanded
        91 in_sfixed32 sfixed32 oneof 0
        111 by_string_sfixed32 map string sfixed32
        131 by_sfixed32 map sfixed32 string
        12 one_sfixed64 sfixed64
        32 may_sfixed64 sfixed64 optional
        52 many_sfixed64 sfixed64 repeated
        72 loose_sfixed64 sfixed64 expanded
        92 in_sfixed64 sfixed64 oneof 0
        112 by_string_sfixed64 map string sfixed64
        132 by_sfixed64 map sfixed64 string
        13 one_bool bool
        33 may_bool bool optional
        53 many_bool bool repeated
        73 loose_bool bool expanded
        93 in_bool bool oneof 0
        113 by_string_bool map string bool
        133 by_bool map bool string
        14 one_string string
        34 may_string string optional
        54 many_string string repeated
        94 in_string string oneof 0
        114 by_string_string map string string
        134 by_string map string string
        15 one_bytes bytes
        35 may_bytes bytes optional
        55 many_bytes bytes repeated
        95 in_bytes bytes oneof 0
        115 by_string_bytes map string bytes
        200 inner message 0
        201 inners message 0 repeated
        202 group group 0
        203 groups group 0 repeated
        204 open enum 1
        205 opens enum 1 repeated
        206 closed closed 2 optional
        207 closeds closed 2 repeated
        208 loose_closeds closed 2 expanded
        209 grades map int32 closed 2
        210 by_name map string message 0
        211 in_message message 0 oneof 0
        5000 far string
        536870911 farthest int32 optional
        300 text string optional default "a\\n\\\"b\\303\\244"
        301 number sint32 optional default "-7"
        302 infinite double optional default "-inf"
        303 grade closed 2 optional default "GRADE_C"
        304 raw_bytes bytes optional default "\\x00\\377"
        305 switch_on bool optional default "true"
        """,
        types: [Everything.self, PersonRole.self, Grade.self])

    public var storage: MessageStorage
    public init(storage: MessageStorage) { self.storage = storage }
    static let numberSlot = 115

    public var oneDouble: Double {
        get { storage[double: 0] }
        set { storage[double: 0] = newValue }
    }
    public var mayDouble: Double? {
        get { storage[optionalDouble: 1] }
        set { storage[optionalDouble: 1] = newValue }
    }
    public var manyDouble: [Double] {
        get { storage[doubles: 2] }
        set { storage[doubles: 2] = newValue }
    }
    public var oneFloat: Float {
        get { storage[float: 6] }
        set { storage[float: 6] = newValue }
    }
    public var mayFloat: Float? {
        get { storage[optionalFloat: 7] }
        set { storage[optionalFloat: 7] = newValue }
    }
    public var manyFloat: [Float] {
        get { storage[floats: 8] }
        set { storage[floats: 8] = newValue }
    }
    public var oneInt32: Int32 {
        get { storage[int32: 12] }
        set { storage[int32: 12] = newValue }
    }
    public var mayInt32: Int32? {
        get { storage[optionalInt32: 13] }
        set { storage[optionalInt32: 13] = newValue }
    }
    public var manyInt32: [Int32] {
        get { storage[int32s: 14] }
        set { storage[int32s: 14] = newValue }
    }
    public var oneInt64: Int64 {
        get { storage[int64: 19] }
        set { storage[int64: 19] = newValue }
    }
    public var mayInt64: Int64? {
        get { storage[optionalInt64: 20] }
        set { storage[optionalInt64: 20] = newValue }
    }
    public var manyInt64: [Int64] {
        get { storage[int64s: 21] }
        set { storage[int64s: 21] = newValue }
    }
    public var oneUint32: UInt32 {
        get { storage[uint32: 26] }
        set { storage[uint32: 26] = newValue }
    }
    public var mayUint32: UInt32? {
        get { storage[optionalUInt32: 27] }
        set { storage[optionalUInt32: 27] = newValue }
    }
    public var manyUint32: [UInt32] {
        get { storage[uint32s: 28] }
        set { storage[uint32s: 28] = newValue }
    }
    public var oneUint64: UInt64 {
        get { storage[uint64: 33] }
        set { storage[uint64: 33] = newValue }
    }
    public var mayUint64: UInt64? {
        get { storage[optionalUInt64: 34] }
        set { storage[optionalUInt64: 34] = newValue }
    }
    public var manyUint64: [UInt64] {
        get { storage[uint64s: 35] }
        set { storage[uint64s: 35] = newValue }
    }
    public var oneSint32: Int32 {
        get { storage[int32: 40] }
        set { storage[int32: 40] = newValue }
    }
    public var maySint32: Int32? {
        get { storage[optionalInt32: 41] }
        set { storage[optionalInt32: 41] = newValue }
    }
    public var manySint32: [Int32] {
        get { storage[int32s: 42] }
        set { storage[int32s: 42] = newValue }
    }
    public var oneSint64: Int64 {
        get { storage[int64: 47] }
        set { storage[int64: 47] = newValue }
    }
    public var maySint64: Int64? {
        get { storage[optionalInt64: 48] }
        set { storage[optionalInt64: 48] = newValue }
    }
    public var manySint64: [Int64] {
        get { storage[int64s: 49] }
        set { storage[int64s: 49] = newValue }
    }
    public var oneFixed32: UInt32 {
        get { storage[uint32: 54] }
        set { storage[uint32: 54] = newValue }
    }
    public var mayFixed32: UInt32? {
        get { storage[optionalUInt32: 55] }
        set { storage[optionalUInt32: 55] = newValue }
    }
    public var manyFixed32: [UInt32] {
        get { storage[uint32s: 56] }
        set { storage[uint32s: 56] = newValue }
    }
    public var oneFixed64: UInt64 {
        get { storage[uint64: 61] }
        set { storage[uint64: 61] = newValue }
    }
    public var mayFixed64: UInt64? {
        get { storage[optionalUInt64: 62] }
        set { storage[optionalUInt64: 62] = newValue }
    }
    public var manyFixed64: [UInt64] {
        get { storage[uint64s: 63] }
        set { storage[uint64s: 63] = newValue }
    }
    public var oneSfixed32: Int32 {
        get { storage[int32: 68] }
        set { storage[int32: 68] = newValue }
    }
    public var maySfixed32: Int32? {
        get { storage[optionalInt32: 69] }
        set { storage[optionalInt32: 69] = newValue }
    }
    public var manySfixed32: [Int32] {
        get { storage[int32s: 70] }
        set { storage[int32s: 70] = newValue }
    }
    public var oneSfixed64: Int64 {
        get { storage[int64: 75] }
        set { storage[int64: 75] = newValue }
    }
    public var maySfixed64: Int64? {
        get { storage[optionalInt64: 76] }
        set { storage[optionalInt64: 76] = newValue }
    }
    public var manySfixed64: [Int64] {
        get { storage[int64s: 77] }
        set { storage[int64s: 77] = newValue }
    }
    public var oneBool: Bool {
        get { storage[bool: 82] }
        set { storage[bool: 82] = newValue }
    }
    public var mayBool: Bool? {
        get { storage[optionalBool: 83] }
        set { storage[optionalBool: 83] = newValue }
    }
    public var manyBool: [Bool] {
        get { storage[bools: 84] }
        set { storage[bools: 84] = newValue }
    }
    public var oneString: String {
        get { storage[string: 89] }
        set { storage[string: 89] = newValue }
    }
    public var mayString: String? {
        get { storage[optionalString: 90] }
        set { storage[optionalString: 90] = newValue }
    }
    public var manyString: [String] {
        get { storage[strings: 91] }
        set { storage[strings: 91] = newValue }
    }
    public var oneBytes: Data {
        get { storage[bytes: 95] }
        set { storage[bytes: 95] = newValue }
    }
    public var mayBytes: Data? {
        get { storage[optionalBytes: 96] }
        set { storage[optionalBytes: 96] = newValue }
    }
    public var manyBytes: [Data] {
        get { storage[datas: 97] }
        set { storage[datas: 97] = newValue }
    }
    public var inner: Everything? {
        get { storage[optionalMessage: 100] }
        set { storage[optionalMessage: 100] = newValue }
    }
    public var inners: [Everything] {
        get { storage[messages: 101] }
        set { storage[messages: 101] = newValue }
    }
    public var group: Everything? {
        get { storage[optionalMessage: 102] }
        set { storage[optionalMessage: 102] = newValue }
    }
    public var groups: [Everything] {
        get { storage[messages: 103] }
        set { storage[messages: 103] = newValue }
    }
    public var open: PersonRole {
        get { storage[enum: 104] }
        set { storage[enum: 104] = newValue }
    }
    public var opens: [PersonRole] {
        get { storage[enums: 105] }
        set { storage[enums: 105] = newValue }
    }
    public var closed: Grade {
        get { storage[enum: 106] }
        set { storage[enum: 106] = newValue }
    }
    public var closeds: [Grade] {
        get { storage[enums: 107] }
        set { storage[enums: 107] = newValue }
    }
    public var grades: [Int32: Grade] {
        get { storage[map: 109] }
        set { storage[map: 109] = newValue }
    }
    public var far: String {
        get { storage[string: 112] }
        set { storage[string: 112] = newValue }
    }
    public var farthest: Int32? {
        get { storage[optionalInt32: 113] }
        set { storage[optionalInt32: 113] = newValue }
    }
    public var text: String {
        get { storage[string: 114] }
        set { storage[string: 114] = newValue }
    }
    public var number: Int32 {
        get { storage[int32: 115] }
        set { storage[int32: 115] = newValue }
    }
    public var infinite: Double {
        get { storage[double: 116] }
        set { storage[double: 116] = newValue }
    }
    public var grade: Grade {
        get { storage[enum: 117] }
        set { storage[enum: 117] = newValue }
    }
    public var rawBytes: Data {
        get { storage[bytes: 118] }
        set { storage[bytes: 118] = newValue }
    }
    public var switchOn: Bool {
        get { storage[bool: 119] }
        set { storage[bool: 119] = newValue }
    }
}

/// A closed enum, as proto2 has them, whose first value is not 0.
public enum Grade: ProtoEnum {
    case a, b, c

    public static let schema = EnumSchema("test.v1.Grade", "1 GRADE_A\n2 GRADE_B\n-3 GRADE_C")
    public static let allCases: [Grade] = [.a, .b, .c]

    public init?(rawValue: Int32) {
        switch rawValue {
        case 1: self = .a
        case 2: self = .b
        case -3: self = .c
        default: return nil
        }
    }

    public var rawValue: Int32 {
        switch self {
        case .a: 1
        case .b: 2
        case .c: -3
        }
    }
}
