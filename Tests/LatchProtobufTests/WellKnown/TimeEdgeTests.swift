// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchFoundation
import LatchProtobuf
import Testing

@Suite struct TimeEdgeTests {
    @Test(
        arguments: [
            (-62_135_596_800, 0, "0001-01-01T00:00:00Z"),
            (253_402_300_799, 999_999_999, "9999-12-31T23:59:59.999999999Z"),
            (0, 1, "1970-01-01T00:00:00.000000001Z"), (-1, 999_000_000, "1969-12-31T23:59:59.999Z"),
            (-1, 0, "1969-12-31T23:59:59Z"), (951_782_400, 0, "2000-02-29T00:00:00Z"),
            (4_107_542_399, 120_000, "2100-02-28T23:59:59.000120Z"), (4_107_542_400, 0, "2100-03-01T00:00:00Z"),
        ] as [(Int64, Int32, String)])
    func `A time at its edge round-trips through its text`(seconds: Int64, nanos: Int32, text: String) throws {
        let time = Timestamp(seconds: seconds, nanos: nanos)
        #expect(time.isValid)
        try expectEqual(time.json(), "\"\(text)\"")
        try expectEqual(Timestamp(json: "\"\(text)\""), time)
    }

    @Test(
        arguments: [
            (-62_135_596_801, 0), (253_402_300_800, 0), (0, -1), (0, 1_000_000_000), (.max, 0), (.min, 0), (0, .max),
            (0, .min), (-62_135_596_801, 999_999_999),
        ] as [(Int64, Int32)])
    func `A time beyond its edge is unrepresentable`(seconds: Int64, nanos: Int32) throws {
        let time = Timestamp(seconds: seconds, nanos: nanos)
        #expect(!time.isValid)
        #expect(throws: ProtoError.unrepresentable) { try time.json() }
        // But bytes say anything, and a date is made of it without harm.
        try expectEqual(Timestamp(serialized: time.serialized()), time)
        _ = time.date
    }

    // As seconds, since Foundation itself cannot print each of them.
    @Test(arguments: [
        Date.distantPast.timeIntervalSinceReferenceDate, Date.distantFuture.timeIntervalSinceReferenceDate, .infinity,
        -.infinity, .nan, .greatestFiniteMagnitude, -9.3e18, 9.3e18, -9.2e18, 9.2e18, -978_307_200.000_000_000_1,
    ])
    func `A time at its edge can be created from any date`(seconds: TimeInterval) throws {
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        let time = Timestamp(date)
        #expect((0...1_000_000_000).contains(time.nanos))
        try expectEqual(Timestamp(serialized: time.serialized()), time)
        _ = time.date
        if time.isValid { try expectEqual(Timestamp(json: time.json()), time) }
    }
}

@Suite struct DurationEdgeTests {
    @Test(
        arguments: [
            (315_576_000_000, 0, "315576000000s"), (-315_576_000_000, 0, "-315576000000s"), (0, 0, "0s"),
            (0, -1, "-0.000000001s"), (0, 999_999_999, "0.999999999s"), (-1, -500_000_000, "-1.500s"),
            (1, 10_000, "1.000010s"),
            (315_576_000_000, 999_999_999, "315576000000.999999999s"),
        ] as [(Int64, Int32, String)])
    func `A duration at its edge round-trips through its text`(seconds: Int64, nanos: Int32, text: String) throws {
        let span = ProtoDuration(seconds: seconds, nanos: nanos)
        #expect(span.isValid)
        try expectEqual(span.json(), "\"\(text)\"")
        try expectEqual(ProtoDuration(json: "\"\(text)\""), span)
        expectEqual(ProtoDuration(span.duration), span)
    }

    @Test(
        arguments: [
            (315_576_000_001, 0), (-315_576_000_001, 0), (1, -1), (-1, 1), (0, 1_000_000_000), (0, -1_000_000_000),
            (.max, 0), (.min, 0), (.max, .max), (.min, .min),
        ] as [(Int64, Int32)])
    func `A duration beyond its edge, or with two signs, is unrepresentable`(seconds: Int64, nanos: Int32) throws {
        let span = ProtoDuration(seconds: seconds, nanos: nanos)
        #expect(!span.isValid)
        #expect(throws: ProtoError.unrepresentable) { try span.json() }
        try expectEqual(ProtoDuration(serialized: span.serialized()), span)
        _ = span.duration
    }

    @Test(arguments: [
        "", "s", "1", "1S", "1 s", " 1s", "1s ", "+1s", "01s", "00s", "--1s", "-s", ".5s", "1.s", "1.0000000000s",
        "1e3s", "0x1s",
        "1,5s", "1m", "315576000001s", "-315576000001s", "9223372036854775808s", "99999999999999999999999s", "1.-5s",
        "NaNs",
        "\u{661}s",
    ])
    func `A duration at its edge refuses any other text`(text: String) {
        #expect(throws: ProtoError.malformedJSON) { try ProtoDuration(json: "\"\(text)\"") }
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.min), .zero, .nanoseconds(-1), .seconds(-1.5)])
    func `A duration at its edge is made of any duration without harm`(duration: Duration) throws {
        let span = ProtoDuration(duration)
        expectEqual(span.duration, duration)
        #expect(span.seconds == 0 || span.nanos == 0 || (span.seconds < 0) == (span.nanos < 0))
    }
}
