// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

/// Seconds and nanoseconds, for conversion between google.protobuf.Timestamp or Duration and `Date` or `Duration`.
struct SecondsAndNanos: Equatable {
    var seconds: Int64
    var nanoseconds: Int32

    /// Reads the fields of a Timestamp or Duration message.
    init(_ storage: MessageStorage?) {
        seconds = storage?[int64: 0] ?? 0
        nanoseconds = storage?[int32: 1] ?? 0
    }

    /// Converts a date, rounded to nanoseconds, which also count forward before 1970.
    ///
    /// It counts from 2001 like `Date`: counting from 1970 would not round-trip half of today's dates.
    init(_ date: Date) {
        let since = date.timeIntervalSinceReferenceDate
        let whole = since.rounded(.down)
        let (sum, isOver) = (Int64(exactly: whole) ?? (whole > 0 ? .max : whole < 0 ? .min : 0))
            .addingReportingOverflow(Self.referenceDate)
        seconds = isOver ? .max : sum
        nanoseconds = Int32(exactly: ((since - whole) * 1e9).rounded()) ?? 0
        if nanoseconds >= 1_000_000_000, seconds < .max {
            seconds += 1
            nanoseconds = 0
        }
    }

    /// The reference date of `Date`, 2001-01-01.
    private static let referenceDate: Int64 = 978_307_200

    /// Converts a duration, truncated to nanoseconds; both parts have its sign.
    init(_ duration: Duration) {
        seconds = duration.components.seconds
        nanoseconds = Int32(truncatingIfNeeded: duration.components.attoseconds / 1_000_000_000)
    }

    var date: Date {
        let since = seconds.subtractingReportingOverflow(Self.referenceDate)
        let whole = since.overflow ? -.greatestFiniteMagnitude : Double(since.partialValue)
        return Date(timeIntervalSinceReferenceDate: whole + Double(nanoseconds) / 1e9)
    }

    var duration: Duration { .seconds(seconds) + .nanoseconds(Int64(nanoseconds)) }

    /// Returns a message with the two fields.
    func storage(in table: UnsafePointer<LayoutTable>) -> MessageStorage {
        var storage = MessageStorage(table: table)
        storage[int64: 0] = seconds
        storage[int32: 1] = nanoseconds
        return storage
    }
}
