// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchHTTP
import LatchTesting
import Testing

@Suite struct HTTPDateTests {
    /// The first and the last second that four digits of a year can name.
    private static let first = -62_167_219_200.0
    private static let last = 253_402_300_799.0

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Wed, 31 Dec 1969 23:59:59 GMT", -1), ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
        ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199), ("Fri, 31 Dec 9999 23:59:59 GMT", last),
        ("Sat, 01 Jan 0000 00:00:00 GMT", first), ("Tue, 19 Jan 2038 03:14:08 GMT", 2_147_483_648),
    ])
    func `A date of a header field is written and read to the second`(text: String, seconds: Double) throws {
        let date = Date(timeIntervalSince1970: seconds)
        expectEqual(HTTPDate(date).description, text)
        try expectEqual(#require(HTTPDate(text)).date, date)
    }

    /// RFC 9110 §5.6.7: a recipient must read them.
    @Test(arguments: [
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777), ("Sun Nov  6 08:49:37 1994", 784_111_777),
        ("Thursday, 01-Jan-70 00:00:00 GMT", 0), ("Tuesday, 19-Jan-38 03:14:08 GMT", 2_147_483_648),
        ("Tuesday, 31-Dec-69 23:59:59 GMT", 3_155_759_999), ("Tue Feb 29 12:00:00 2000", 951_825_600),
    ])
    func `A date of a header field is read in the two obsolete forms`(text: String, seconds: Double) throws {
        try expectEqual(#require(HTTPDate(text)).date, Date(timeIntervalSince1970: seconds))
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `A date of a header field is read back as it was written`(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        for _ in 0..<2_000 {
            let second = Double.random(in: Self.first...Self.last, using: &random).rounded(.down)
            let date = HTTPDate(Date(timeIntervalSince1970: second))
            try expectEqual(#require(HTTPDate(date.description), "seed \(seed): \(date)"), date, "seed \(seed)")
            expectEqual(date.description.utf8.count, 29, "seed \(seed): \(date)")
        }
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `A date of a header field equals Foundation's`(seed: UInt64) throws {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        var random = SplitMix64(state: seed)
        for _ in 0..<300 {
            // Before 1582 Foundation's calendar is the Julian one.
            let second = Double.random(in: -12_000_000_000...Self.last, using: &random).rounded(.down)
            let date = Date(timeIntervalSince1970: second)
            expectEqual(HTTPDate(date).description, format.string(from: date), "seed \(seed)")
        }
    }

    @Test(arguments: [(0.999, 0), (-0.001, -1), (-1.0, -1), (1.5, 1), (-1.5, -2)] as [(Double, Double)])
    func `A date of a header field drops fractions of a second towards the past`(seconds: Double, whole: Double) {
        expectEqual(HTTPDate(Date(timeIntervalSince1970: seconds)).date, Date(timeIntervalSince1970: whole))
    }

    @Test(
        arguments: [
            (.infinity, last), (1e300, last), (last + 1, last), (-.infinity, first), (-1e300, first),
            (first - 1, first),
        ] as [(Double, Double)])
    func `A date of a header field beyond a year of four digits is the nearest that they can write`(
        seconds: Double, nearest: Double
    ) {
        let date = HTTPDate(Date(timeIntervalSince1970: seconds))
        expectEqual(date.date, Date(timeIntervalSince1970: nearest))
        expectEqual(HTTPDate(date.description), date)
    }

    @Test func `A date of a header field that is not a number is the first of all`() {
        expectEqual(HTTPDate(Date(timeIntervalSince1970: .nan)).description, "Sat, 01 Jan 0000 00:00:00 GMT")
    }

    @Test func `A date of a header field can name a leap second, which is the next minute's first`() throws {
        let leap = try #require(HTTPDate("Sat, 31 Dec 2016 23:59:60 GMT"))
        expectEqual(leap.description, "Sun, 01 Jan 2017 00:00:00 GMT")
        let end = try #require(HTTPDate("Fri, 31 Dec 9999 23:59:60 GMT"))
        expectEqual(end.description, "Fri, 31 Dec 9999 23:59:59 GMT")
    }

    @Test func `A date of a header field counts by its day and not by its weekday`() {
        expectEqual(HTTPDate("Mon, 06 Nov 1994 08:49:37 GMT")?.description, "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test(arguments: [
        "", " ", "GMT", "Sun", "0", "784111777", "1994-11-06T08:49:37Z",
        "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sunday, 6-Nov-94 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 UTC", "Sunday, 06-Nov-94 08:49:37", "Sunday, 31-Nov-94 08:49:37 GMT",
        "Sunday, 06-Nov-94-1 08:49:37 GMT", "Sun Nov 6 08:49:37 1994", "Sun Nov  06 08:49:37 1994",
        "Sun Nov  6 08:49:37 94", "Sun Nov  6 08:49:37 1994 GMT", "Sunday Nov  6 08:49:37 1994",
        "Sun, Nov  6 08:49:37 1994", "Sun Feb 30 08:49:37 2000", "Sun Nov   6 08:49:37 1994",
        "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 gmt",
        "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT",
        "Sun,  06 Nov 1994 08:49:37 GMT", "Sun, 06  Nov 1994 08:49:37 GMT", "Sun,06 Nov 1994 08:49:37 GMT",
        "Sun 06 Nov 1994 08:49:37 GMT", ", 06 Nov 1994 08:49:37 GMT", "Son, 06 Nov 1994 08:49:37 GMT",
        "sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT", "Sun,, 06 Nov 1994 08:49:37 GMT",
    ])
    func `A date of a header field in any other form is invalid`(text: String) {
        expectNil(HTTPDate(text))
    }

    @Test(arguments: [
        "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 006 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 32 Dec 1994 08:49:37 GMT", "Sun, -1 Nov 1994 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 November 1994 08:49:37 GMT", "Sun, 06 11 1994 08:49:37 GMT",
        "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov +994 08:49:37 GMT", "Sun, 06 Nov -994 08:49:37 GMT",
        "Sun, 06 Nov 19940 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, 06 Nov 1994 08:49:37:00 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 +8:49:37 GMT", "Sun, 06 Nov 1994 08:+9:37 GMT",
        "Sun, 06 Nov 1994 08:49:-7 GMT", "Sun, 06 Nov 1994 0x:49:37 GMT", "Sun, 06 Nov 1994 08.49.37 GMT",
        "Sun, ０６ Nov 1994 08:49:37 GMT",
    ])
    func `A date of a header field with an impossible number is invalid`(text: String) {
        expectNil(HTTPDate(text))
    }

    @Test(arguments: [
        "Wed, 30 Feb 2000 00:00:00 GMT", "Thu, 29 Feb 2001 00:00:00 GMT", "Thu, 29 Feb 1900 00:00:00 GMT",
        "Sun, 31 Apr 1994 00:00:00 GMT", "Sun, 31 Jun 1994 00:00:00 GMT", "Sun, 31 Sep 1994 00:00:00 GMT",
        "Sun, 31 Nov 1994 00:00:00 GMT",
    ])
    func `A date of a header field that the calendar does not have is invalid`(text: String) {
        expectNil(HTTPDate(text))
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `A date of a header field with random damage is invalid, or another date that reads back`(seed: UInt64) {
        var random = SplitMix64(state: seed)
        let pieces = Array("0123456789+-: ,GMTSunFeb".utf8)
        for _ in 0..<2_000 {
            var bytes = Array("Tue, 29 Feb 2000 12:00:00 GMT".utf8)
            for _ in 0...random.below(3) { bytes[random.below(bytes.count)] = random.pick(pieces) }
            let text = String(decoding: bytes, as: UTF8.self)
            guard let date = HTTPDate(text) else { continue }
            expectEqual(HTTPDate(date.description), date, "seed \(seed): \(text)")
            // All but the weekday, which is not looked at, and a leap second is as it was read.
            let isLeap = text.contains(":60 ")
            #expect(isLeap || text.dropFirst(3) == date.description.dropFirst(3), "seed \(seed): \(text)")
        }
    }
}
