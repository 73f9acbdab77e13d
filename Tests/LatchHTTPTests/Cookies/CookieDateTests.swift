// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchHTTP
import TestVectors
import Testing

@Suite struct CookieDateTests {
    private func date(_ text: String) -> Date? { SetCookie("a=b; Expires=\(text)")?.expires }

    private static let moment = HTTPDate("Sun, 06 Nov 1994 08:49:37 GMT")?.date

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "06 Nov 1994 08:49:37", "Nov 6 1994 8:49:37", "1994 Nov 6 8:49:37", "08:49:37 6 november 94",
        "8:49:37,6,NOVEMBER,1994", "Mon Nov 6 1994 08:49:37 GMT+0200 (CET)", "6nd Novem 1994AD 08:49:37.5",
        "\t/6-Nov:1994", "6 Nov 1994 08:49:37 07 Dec 1995 09:50:38",
    ])
    func `A cookie's date is read in every order and spelling that the RFC allows`(text: String) {
        expectEqual(date(text), text.contains("Nov:") ? nil : Self.moment, "\(text)")
    }

    @Test(arguments: [
        "", "Nov 1994 08:49:37", "6 1994 08:49:37", "6 Nov 08:49:37", "6 Nov 1994", "6 Nov 1994 24:00:00",
        "6 Nov 1994 08:60:00", "6 Nov 1994 08:49:60", "6 Nov 1994 08:49", "6 Nov 1994 8.49.37", "0 Nov 1994 08:49:37",
        "31 Nov 1994 08:49:37", "32 Dec 1994 08:49:37", "6 Nov 1600 08:49:37", "6 Nov 19940 08:49:37",
        "6 Nov 199 08:49:37", "6 Nev 1994 08:49:37", "6 No 1994 08:49:37", "006 Nov 1994 08:49:37",
        "6 Nov 1994 008:49:37", "٦ Nov 1994 08:49:37", "6 Nov 1994 x08:49:37",
    ])
    func `A cookie's date is invalid if a part is missing or impossible`(text: String) {
        expectNil(date(text))
    }

    @Test(arguments: [(70, 1970), (99, 1999), (0, 2000), (69, 2069), (38, 2038)])
    func `A cookie's date with a year of two digits lies between 1970 and 2069`(short: Int, year: Int) {
        let two = short < 10 ? "0\(short)" : "\(short)"
        expectEqual(date("06 Nov \(two) 08:49:37"), date("06 Nov \(year) 08:49:37"))
        #expect(date("06 Nov \(two) 08:49:37") != nil)
    }

    @Test(arguments: [(2_023, nil), (2_024, 29), (2_100, nil), (2_000, 29)] as [(Int, Int?)])
    func `A cookie's date knows the leap years`(year: Int, day: Int?) {
        expectEqual(date("29 Feb \(year) 00:00:00") != nil, day != nil)
    }

    @Test func `A cookie's date reads back any second that is written in the preferred form`() {
        var random = SeededGenerator(seed: 6_265)
        for _ in 0..<2_000 {
            let second = HTTPDate(
                Date(timeIntervalSince1970: Double.random(in: -11_000_000_000...250_000_000_000, using: &random)))
            expectEqual(date(second.description), second.date, "seed 6265: \(second)")
        }
    }
}
