// SPDX-License-Identifier: Apache-2.0

/// A span of time in seconds and nanoseconds: `google.protobuf.Duration`.
///
/// Fields of this type are shown as Swift's `Duration`.
public struct ProtoDuration: Message {
    /// The message's fields.
    public static let schema = MessageSchema(
        "google.protobuf.Duration",
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

    /// The span of so many seconds and nanoseconds, which have the same sign.
    public init(seconds: Int64 = 0, nanos: Int32 = 0) {
        storage = MessageStorage(Self.schema)
        if seconds != 0 { self.seconds = seconds }
        if nanos != 0 { self.nanos = nanos }
    }

    /// The whole seconds, rounded towards zero.
    public var seconds: Int64 {
        get { storage[int64: 0] }
        set { storage[int64: 0] = newValue }
    }

    /// The nanoseconds besides, below a second, with the sign of the seconds.
    public var nanos: Int32 {
        get { storage[int32: 1] }
        set { storage[int32: 1] = newValue }
    }
}

extension ProtoDuration {
    /// The span of a duration, whose parts below a nanosecond are cut off.
    public init(_ duration: Duration) {
        let moment = Moment(duration)
        self.init(seconds: moment.seconds, nanos: moment.nanoseconds)
    }

    /// It as a duration, exactly.
    public var duration: Duration { Moment(storage).duration }

    /// Whether JSON can spell it: no more than 10,000 years to either side, with one sign.
    public var isValid: Bool { TimeText.isDuration(seconds, nanos) }
}
