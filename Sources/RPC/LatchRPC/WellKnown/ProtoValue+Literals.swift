// SPDX-License-Identifier: Apache-2.0

extension ProtoValue: ExpressibleByNilLiteral {
    /// JSON's null.
    public init(nilLiteral: ()) { self.init(kind: .nullValue(.nullValue)) }
}

extension ProtoValue: ExpressibleByBooleanLiteral {
    /// A truth value.
    public init(booleanLiteral value: Bool) { self.init(kind: .boolValue(value)) }
}

extension ProtoValue: ExpressibleByIntegerLiteral {
    /// A number.
    public init(integerLiteral value: Int64) { self.init(kind: .numberValue(Double(value))) }
}

extension ProtoValue: ExpressibleByFloatLiteral {
    /// A number.
    public init(floatLiteral value: Double) { self.init(kind: .numberValue(value)) }
}

extension ProtoValue: ExpressibleByStringInterpolation {
    /// A text.
    public init(stringLiteral value: String) { self.init(kind: .stringValue(value)) }
}

extension ProtoValue: ExpressibleByArrayLiteral {
    /// An array.
    public init(arrayLiteral elements: ProtoValue...) { self.init(kind: .listValue(ProtoList(values: elements))) }
}

extension ProtoValue: ExpressibleByDictionaryLiteral {
    /// An object; of a name that stands twice the last value counts.
    public init(dictionaryLiteral elements: (String, ProtoValue)...) {
        self.init(kind: .structValue(ProtoStruct(fields: Dictionary(elements) { _, last in last })))
    }
}
