// SPDX-License-Identifier: Apache-2.0

extension Message {
    /// The value of an extension.
    public subscript<Value>(_ field: Extension<Self, Value>) -> Value {
        get { field.read(storage.extension(field.number) ?? MessageStorage(field.schema)) }
        set {
            var values = storage.extension(field.number) ?? MessageStorage(field.schema)
            field.write(&values, newValue)
            storage.setExtension(field.number, values.has(0) ? values : nil)
        }
    }

    /// Whether an extension has a value.
    public func has<Value>(_ field: Extension<Self, Value>) -> Bool { storage.extension(field.number)?.has(0) ?? false }

    /// Takes an extension's value away.
    public mutating func clear<Value>(_ field: Extension<Self, Value>) { storage.setExtension(field.number, nil) }
}

extension MessageStorage {
    /// The storage of a message with one field, which is the extension of a number.
    func `extension`(_ number: UInt32) -> MessageStorage? { extras?.extensions[number] }

    mutating func setExtension(_ number: UInt32, _ values: MessageStorage?) {
        if values != nil || extras?.extensions[number] != nil { ownExtras().extensions[number] = values }
    }

    /// The extensions that are set, by number.
    var extensions: [(number: UInt32, values: MessageStorage)] {
        guard let extensions = extras?.extensions else { return [] }
        return extensions.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
