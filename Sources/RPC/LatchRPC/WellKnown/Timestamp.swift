// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation

/// A point in time, in seconds and nanoseconds since 1970: `google.protobuf.Timestamp`.
///
/// Fields of this type are shown as `Date`, which keeps some hundred nanoseconds of today; a field that must keep each of
/// them is read through `storage`.
public struct Timestamp: Message {
    /// The message's fields.
    public static let schema = MessageSchema(
        "google.protobuf.Timestamp",
        """
        1 seconds int64
        2 nanos int32
        """,
        types: [])

    /// The message's values.
    public var storage: MessageStorage

    /// A message of its values.
    public init(storage: MessageStorage) { self.storage = storage }

    /// A message without values.
    public init() { storage = MessageStorage(Self.schema) }

    /// The point in time so many seconds and nanoseconds after the beginning of 1970 in UTC.
    public init(seconds: Int64 = 0, nanos: Int32 = 0) {
        storage = MessageStorage(Self.schema)
        if seconds != 0 { self.seconds = seconds }
        if nanos != 0 { self.nanos = nanos }
    }

    /// The whole seconds since 1970, rounded down.
    public var seconds: Int64 {
        get { storage[int64: 0] }
        set { storage[int64: 0] = newValue }
    }

    /// The nanoseconds after them, from 0 to 999,999,999; they count forwards before 1970 too.
    public var nanos: Int32 {
        get { storage[int32: 1] }
        set { storage[int32: 1] = newValue }
    }
}

extension Timestamp {
    /// The nanosecond nearest to a date.
    public init(_ date: Date) {
        let moment = Moment(date)
        self.init(seconds: moment.seconds, nanos: moment.nanoseconds)
    }

    /// The date nearest to it.
    public var date: Date { Moment(storage).date }

    /// Whether JSON can spell it: between the years 1 and 9999, with sound nanoseconds.
    public var isValid: Bool { TimeText.isTimestamp(seconds, nanos) }
}
