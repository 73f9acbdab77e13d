// SPDX-License-Identifier: Apache-2.0

public import LatchFoundation

/// A point in time in seconds and nanoseconds since 1970: `google.protobuf.Timestamp`.
///
/// Generated code exposes fields of this type as `Date`, whose current precision is a few hundred nanoseconds; use
/// `storage` for the exact value.
public struct Timestamp: Message {
    /// The schema of the message.
    public static let schema = MessageSchema(
        "google.protobuf.Timestamp",
        """
        1 seconds int64
        2 nanos int32
        """)

    /// The storage of the field values.
    public var storage: MessageStorage

    /// Takes a storage with this message's schema, as the decoder creates it.
    public init(storage: MessageStorage) { self.storage = storage }

    /// Creates a timestamp from the time since 1970 in UTC.
    public init(seconds: Int64 = 0, nanos: Int32 = 0) {
        storage = MessageStorage(Self.schema)
        self.seconds = seconds
        self.nanos = nanos
    }

    /// The whole seconds since 1970, rounded down.
    public var seconds: Int64 {
        get { storage[int64: 0] }
        set { storage[int64: 0] = newValue }
    }

    /// The additional nanoseconds, from 0 to 999,999,999, which also count forward before 1970.
    public var nanos: Int32 {
        get { storage[int32: 1] }
        set { storage[int32: 1] = newValue }
    }
}

extension Timestamp {
    /// Creates the timestamp nearest to a date.
    public init(_ date: Date) {
        let moment = SecondsAndNanos(date)
        self.init(seconds: moment.seconds, nanos: moment.nanoseconds)
    }

    /// The nearest date.
    public var date: Date { SecondsAndNanos(storage).date }

    /// Whether the value has a JSON form: between the years 1 and 9999, with nanoseconds in range.
    public var isValid: Bool { TimeText.isTimestamp(seconds, nanos) }
}
