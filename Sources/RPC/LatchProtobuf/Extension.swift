// SPDX-License-Identifier: Apache-2.0

public import LatchFoundation

/// A field that extends a message (`extend`), of any type.
public protocol ExtensionField: Sendable {
    /// The full name of the extended message.
    var extendedName: String { get }
    /// The field number.
    var number: UInt32 { get }
    /// The schema of a message with this field only.
    var schema: MessageSchema { get }
}

/// An extension field of type `Value` in the message `Extended`.
///
/// Its text is a line as in a message's schema, with the full name: `100 userservice.v1.nick string optional`. If the
/// type of an extension is not optional, an absent value reads as its default.
public struct Extension<Extended: Message, Value: Sendable>: ExtensionField {
    /// The schema of a message with this field only.
    public let schema: MessageSchema
    let read: @Sendable (MessageStorage) -> Value
    let write: @Sendable (inout MessageStorage, Value) -> Void

    /// The full name of the extended message.
    public var extendedName: String { Extended.name }

    /// The field number.
    public var number: UInt32 { schema.fields.first?.number ?? 0 }

    /// The full name of the extension.
    public var name: String { schema.fields.first?.name ?? "" }

    init(
        _ text: String, _ types: [any SchemaType.Type], read: @escaping @Sendable (MessageStorage) -> Value,
        write: @escaping @Sendable (inout MessageStorage, Value) -> Void
    ) {
        schema = MessageSchema(Extended.name, text, types: types)
        self.read = read
        self.write = write
    }
}

extension Extension {
    /// Creates an extension whose value is a scalar.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value: FieldValue {
        self.init(text, types) {
            Value.fieldAccess.read($0, 0)
        } write: {
            Value.fieldAccess.write($1, &$0, 0)
        }
    }

    /// Creates an extension whose value is a scalar that may be absent.
    public init<Scalar: FieldValue>(_ text: String, types: [any SchemaType.Type] = []) where Value == Scalar? {
        self.init(text, types) {
            $0.has(0) ? Scalar.fieldAccess.read($0, 0) : nil
        } write: {
            if let value = $1 { Scalar.fieldAccess.write(value, &$0, 0) } else { $0.clear(0) }
        }
    }

    /// Creates an extension whose value is a list of scalars.
    public init<Scalar: FieldValue>(_ text: String, types: [any SchemaType.Type] = []) where Value == [Scalar] {
        self.init(text, types) {
            $0.list(0, .many(Scalar.fieldAccess.kind))
        } write: {
            $0.setList(0, .many(Scalar.fieldAccess.kind), $1)
        }
    }

    /// Creates an extension whose value is a date.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == Date {
        self.init(text, types, read: { $0[date: 0] }, write: { $0[date: 0] = $1 })
    }

    /// Creates an extension whose value is a date that may be absent.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == Date? {
        self.init(text, types, read: { $0[optionalDate: 0] }, write: { $0[optionalDate: 0] = $1 })
    }

    /// Creates an extension whose value is a list of dates.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == [Date] {
        self.init(text, types, read: { $0[dates: 0] }, write: { $0[dates: 0] = $1 })
    }

    /// Creates an extension whose value is a duration.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == Duration {
        self.init(text, types, read: { $0[duration: 0] }, write: { $0[duration: 0] = $1 })
    }

    /// Creates an extension whose value is a duration that may be absent.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == Duration? {
        self.init(text, types, read: { $0[optionalDuration: 0] }, write: { $0[optionalDuration: 0] = $1 })
    }

    /// Creates an extension whose value is a list of durations.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value == [Duration] {
        self.init(text, types, read: { $0[durations: 0] }, write: { $0[durations: 0] = $1 })
    }

    /// Creates an extension whose value is an enum value.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value: ProtoEnum {
        self.init(text, types, read: { $0[enum: 0] }, write: { $0[enum: 0] = $1 })
    }

    /// Creates an extension whose value is an enum value that may be absent.
    public init<One: ProtoEnum>(_ text: String, types: [any SchemaType.Type] = []) where Value == One? {
        self.init(text, types, read: { $0[optionalEnum: 0] }, write: { $0[optionalEnum: 0] = $1 })
    }

    /// Creates an extension whose value is a list of enum values.
    public init<One: ProtoEnum>(_ text: String, types: [any SchemaType.Type] = []) where Value == [One] {
        self.init(text, types, read: { $0[enums: 0] }, write: { $0[enums: 0] = $1 })
    }

    /// Creates an extension whose value is a message.
    public init(_ text: String, types: [any SchemaType.Type] = []) where Value: Message {
        self.init(text, types, read: { $0[message: 0] }, write: { $0[message: 0] = $1 })
    }

    /// Creates an extension whose value is a message that may be absent.
    public init<One: Message>(_ text: String, types: [any SchemaType.Type] = []) where Value == One? {
        self.init(text, types, read: { $0[optionalMessage: 0] }, write: { $0[optionalMessage: 0] = $1 })
    }

    /// Creates an extension whose value is a list of messages.
    public init<One: Message>(_ text: String, types: [any SchemaType.Type] = []) where Value == [One] {
        self.init(text, types, read: { $0[messages: 0] }, write: { $0[messages: 0] = $1 })
    }
}

extension Message {
    /// The value of an extension; its default if it is not set.
    public subscript<Value>(_ field: Extension<Self, Value>) -> Value {
        get { field.read(storage.extension(field.number) ?? MessageStorage(field.schema)) }
        set {
            var values = storage.extension(field.number) ?? MessageStorage(field.schema)
            field.write(&values, newValue)
            storage.setExtension(field.number, values.has(0) ? values : nil)
        }
    }

    /// Whether an extension is set.
    public func has<Value>(_ field: Extension<Self, Value>) -> Bool { storage.extension(field.number)?.has(0) ?? false }

    /// Removes the value of an extension, which then reads as its default.
    public mutating func clear<Value>(_ field: Extension<Self, Value>) { storage.setExtension(field.number, nil) }
}

extension MessageStorage {
    /// Returns the storage of an extension: a message with one field.
    func `extension`(_ number: UInt32) -> MessageStorage? { extras?.extensions[number] }

    mutating func setExtension(_ number: UInt32, _ values: MessageStorage?) {
        if values != nil || extras?.extensions[number] != nil { ownExtras().extensions[number] = values }
    }

    /// The extensions that are set, sorted by number.
    var extensions: [(key: UInt32, value: MessageStorage)] {
        extras?.extensions.sorted { $0.key < $1.key } ?? []
    }
}
