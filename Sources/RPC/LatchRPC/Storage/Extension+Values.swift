// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation

extension Extension {
    /// An extension of one `Bool`.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == Bool {
        self.init(text, types, read: { $0[bool: 0] }, write: { $0[bool: 0] = $1 })
    }

    /// An extension of one `Bool` or none.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == Bool? {
        self.init(text, types, read: { $0[optionalBool: 0] }, write: { $0[optionalBool: 0] = $1 })
    }

    /// An extension of several `Bool`.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == [Bool] {
        self.init(text, types, read: { $0[bools: 0] }, write: { $0[bools: 0] = $1 })
    }

    /// An extension of one `Int32`.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == Int32 {
        self.init(text, types, read: { $0[int32: 0] }, write: { $0[int32: 0] = $1 })
    }

    /// An extension of one `Int32` or none.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == Int32? {
        self.init(text, types, read: { $0[optionalInt32: 0] }, write: { $0[optionalInt32: 0] = $1 })
    }

    /// An extension of several `Int32`.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == [Int32] {
        self.init(text, types, read: { $0[int32s: 0] }, write: { $0[int32s: 0] = $1 })
    }

    /// An extension of one `Int64`.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == Int64 {
        self.init(text, types, read: { $0[int64: 0] }, write: { $0[int64: 0] = $1 })
    }

    /// An extension of one `Int64` or none.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == Int64? {
        self.init(text, types, read: { $0[optionalInt64: 0] }, write: { $0[optionalInt64: 0] = $1 })
    }

    /// An extension of several `Int64`.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == [Int64] {
        self.init(text, types, read: { $0[int64s: 0] }, write: { $0[int64s: 0] = $1 })
    }

    /// An extension of one `UInt32`.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == UInt32 {
        self.init(text, types, read: { $0[uint32: 0] }, write: { $0[uint32: 0] = $1 })
    }

    /// An extension of one `UInt32` or none.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == UInt32? {
        self.init(text, types, read: { $0[optionalUInt32: 0] }, write: { $0[optionalUInt32: 0] = $1 })
    }

    /// An extension of several `UInt32`.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == [UInt32] {
        self.init(text, types, read: { $0[uint32s: 0] }, write: { $0[uint32s: 0] = $1 })
    }

    /// An extension of one `UInt64`.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == UInt64 {
        self.init(text, types, read: { $0[uint64: 0] }, write: { $0[uint64: 0] = $1 })
    }

    /// An extension of one `UInt64` or none.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == UInt64? {
        self.init(text, types, read: { $0[optionalUInt64: 0] }, write: { $0[optionalUInt64: 0] = $1 })
    }

    /// An extension of several `UInt64`.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == [UInt64] {
        self.init(text, types, read: { $0[uint64s: 0] }, write: { $0[uint64s: 0] = $1 })
    }

    /// An extension of one `Float`.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == Float {
        self.init(text, types, read: { $0[float: 0] }, write: { $0[float: 0] = $1 })
    }

    /// An extension of one `Float` or none.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == Float? {
        self.init(text, types, read: { $0[optionalFloat: 0] }, write: { $0[optionalFloat: 0] = $1 })
    }

    /// An extension of several `Float`.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == [Float] {
        self.init(text, types, read: { $0[floats: 0] }, write: { $0[floats: 0] = $1 })
    }

    /// An extension of one `Double`.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == Double {
        self.init(text, types, read: { $0[double: 0] }, write: { $0[double: 0] = $1 })
    }

    /// An extension of one `Double` or none.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == Double? {
        self.init(text, types, read: { $0[optionalDouble: 0] }, write: { $0[optionalDouble: 0] = $1 })
    }

    /// An extension of several `Double`.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == [Double] {
        self.init(text, types, read: { $0[doubles: 0] }, write: { $0[doubles: 0] = $1 })
    }

    /// An extension of one `String`.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == String {
        self.init(text, types, read: { $0[string: 0] }, write: { $0[string: 0] = $1 })
    }

    /// An extension of one `String` or none.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == String? {
        self.init(text, types, read: { $0[optionalString: 0] }, write: { $0[optionalString: 0] = $1 })
    }

    /// An extension of several `String`.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == [String] {
        self.init(text, types, read: { $0[strings: 0] }, write: { $0[strings: 0] = $1 })
    }

    /// An extension of one `Data`.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == Data {
        self.init(text, types, read: { $0[bytes: 0] }, write: { $0[bytes: 0] = $1 })
    }

    /// An extension of one `Data` or none.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == Data? {
        self.init(text, types, read: { $0[optionalBytes: 0] }, write: { $0[optionalBytes: 0] = $1 })
    }

    /// An extension of several `Data`.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == [Data] {
        self.init(text, types, read: { $0[datas: 0] }, write: { $0[datas: 0] = $1 })
    }

    /// An extension of one `Date`.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == Date {
        self.init(text, types, read: { $0[date: 0] }, write: { $0[date: 0] = $1 })
    }

    /// An extension of one `Date` or none.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == Date? {
        self.init(text, types, read: { $0[optionalDate: 0] }, write: { $0[optionalDate: 0] = $1 })
    }

    /// An extension of several `Date`.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == [Date] {
        self.init(text, types, read: { $0[dates: 0] }, write: { $0[dates: 0] = $1 })
    }

    /// An extension of one `Duration`.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == Duration {
        self.init(text, types, read: { $0[duration: 0] }, write: { $0[duration: 0] = $1 })
    }

    /// An extension of one `Duration` or none.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == Duration? {
        self.init(text, types, read: { $0[optionalDuration: 0] }, write: { $0[optionalDuration: 0] = $1 })
    }

    /// An extension of several `Duration`.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == [Duration] {
        self.init(text, types, read: { $0[durations: 0] }, write: { $0[durations: 0] = $1 })
    }

    /// An extension of one value of an enum.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value: ProtoEnum {
        self.init(text, types, read: { $0[enum: 0] }, write: { $0[enum: 0] = $1 })
    }

    /// An extension of one value of an enum or none.
    public init<One: ProtoEnum>(_ text: String, types: [any SchemaType.Type] = []) where Value == One? {
        self.init(text, types, read: { $0[optionalEnum: 0] }, write: { $0[optionalEnum: 0] = $1 })
    }

    /// An extension of several values of an enum.
    public init<One: ProtoEnum>(_ text: String, types: [any SchemaType.Type] = []) where Value == [One] {
        self.init(text, types, read: { $0[enums: 0] }, write: { $0[enums: 0] = $1 })
    }

    /// An extension of one message.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value: Message {
        self.init(text, types, read: { $0[message: 0] }, write: { $0[message: 0] = $1 })
    }

    /// An extension of one message or none.
    public init<One: Message>(_ text: String, types: [any SchemaType.Type] = []) where Value == One? {
        self.init(text, types, read: { $0[optionalMessage: 0] }, write: { $0[optionalMessage: 0] = $1 })
    }

    /// An extension of several messages.
    public init<One: Message>(_ text: String, types: [any SchemaType.Type] = []) where Value == [One] {
        self.init(text, types, read: { $0[messages: 0] }, write: { $0[messages: 0] = $1 })
    }
}
