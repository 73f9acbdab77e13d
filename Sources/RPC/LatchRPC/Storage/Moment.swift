// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// Seconds and billionths, as google.protobuf.Timestamp and Duration count: what `Date` and `Duration` become.
struct Moment: Equatable {
    var seconds: Int64
    var nanoseconds: Int32

    /// Reads the two fields of such a message.
    init(_ storage: MessageStorage?) {
        seconds = storage?[int64: 0] ?? 0
        nanoseconds = storage?[int32: 1] ?? 0
    }

    /// A date; what is finer than a `Date` can tell is rounded, and billionths count forward also before 1970.
    ///
    /// It is counted from 2001, as `Date` does: from 1970 half of all dates of today would not come back as they were.
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

    /// 2001-01-01, from which `Date` counts.
    private static let referenceDate: Int64 = 978_307_200

    /// A duration; both parts have its sign, and what is finer than a billionth is cut off.
    init(_ duration: Duration) {
        var (whole, attoseconds) = duration.components
        nanoseconds = Int32(truncatingIfNeeded: attoseconds / 1_000_000_000)
        if whole > 0, nanoseconds < 0 {
            whole -= 1
            nanoseconds += 1_000_000_000
        } else if whole < 0, nanoseconds > 0 {
            whole += 1
            nanoseconds -= 1_000_000_000
        }
        seconds = whole
    }

    var date: Date {
        let since = seconds.subtractingReportingOverflow(Self.referenceDate)
        let whole = since.overflow ? -.greatestFiniteMagnitude : Double(since.partialValue)
        return Date(timeIntervalSinceReferenceDate: whole + Double(nanoseconds) / 1e9)
    }

    var duration: Duration { .seconds(seconds) + .nanoseconds(Int64(nanoseconds)) }

    /// The message of a schema that has the two fields.
    func storage(in table: UnsafePointer<LayoutTable>) -> MessageStorage {
        var storage = MessageStorage(table: table)
        storage[int64: 0] = seconds
        storage[int32: 1] = nanoseconds
        return storage
    }
}
