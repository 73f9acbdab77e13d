// SPDX-License-Identifier: Apache-2.0

/// A duration in seconds and nanoseconds: `google.protobuf.Duration`.
///
/// Generated code exposes fields of this type as Swift's `Duration`.
public struct ProtoDuration: Message {
    /// The schema of the message.
    public static let schema = MessageSchema(
        "google.protobuf.Duration",
        """
        1 seconds int64
        2 nanos int32
        """)

    /// The storage of the field values.
    public var storage: MessageStorage

    /// Takes a storage with this message's schema, as the decoder creates it.
    public init(storage: MessageStorage) { self.storage = storage }

    /// Creates a duration; both parts must have the same sign.
    public init(seconds: Int64 = 0, nanos: Int32 = 0) {
        storage = MessageStorage(Self.schema)
        self.seconds = seconds
        self.nanos = nanos
    }

    /// The whole seconds, rounded toward zero.
    public var seconds: Int64 {
        get { storage[int64: 0] }
        set { storage[int64: 0] = newValue }
    }

    /// The additional nanoseconds below a second, with the sign of the seconds.
    public var nanos: Int32 {
        get { storage[int32: 1] }
        set { storage[int32: 1] = newValue }
    }
}

extension ProtoDuration {
    /// Creates a duration, truncated to nanoseconds.
    public init(_ duration: Duration) {
        let moment = SecondsAndNanos(duration)
        self.init(seconds: moment.seconds, nanos: moment.nanoseconds)
    }

    /// The value as a Swift duration, exactly.
    public var duration: Duration { SecondsAndNanos(storage).duration }

    /// Whether the value has a JSON form: at most 10,000 years in either direction, and both parts with the same sign.
    public var isValid: Bool { TimeText.isDuration(seconds, nanos) }
}
