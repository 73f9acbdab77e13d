// SPDX-License-Identifier: Apache-2.0

extension MessageStorage {
    /// The value of an enum.
    public subscript<Value: ProtoEnum>(enum slot: Int) -> Value {
        @inlinable get { Value(stored: self[int32: slot]) }
        @inlinable set { self[int32: slot] = newValue.rawValue }
    }

    /// The value of an enum that may be absent.
    public subscript<Value: ProtoEnum>(optionalEnum slot: Int) -> Value? {
        get { has(slot) ? Value(stored: self[int32: slot]) : nil }
        set { self[optionalInt32: slot] = newValue?.rawValue }
    }

    /// Several values of an enum; they are kept as numbers, so that each reading and writing makes them anew.
    public subscript<Value: ProtoEnum>(enums slot: Int) -> [Value] {
        get { self[int32s: slot].map { Value(stored: $0) } }
        _modify {
            var values: [Value] = self[int32s: slot].map { Value(stored: $0) }
            defer { self[int32s: slot] = values.map(\.rawValue) }
            yield &values
        }
    }
}
