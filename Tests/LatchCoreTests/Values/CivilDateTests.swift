// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import Testing

@Suite struct CivilDateTests {
    @Test(arguments: [
        (1970, 1, 1, 0), (1969, 12, 31, -1), (2000, 2, 29, 11_016), (2000, 3, 1, 11_017), (0, 1, 1, -719_528),
        (9999, 12, 31, 2_932_896), (1601, 1, 1, -134_774),
    ])
    func `A day of the calendar is converted to the days since 1970 and back`(
        year: Int, month: Int, day: Int, days: Int
    ) throws {
        let date = try #require(CivilDate(year: year, month: month, day: day))
        expectEqual(date.daysSince1970, days)
        expectEqual(CivilDate(daysSince1970: days), date)
    }

    @Test(
        arguments: [
            (1970, 1, 1, 59, 59), (2038, 1, 19, 11_648, 2_147_483_648), (9999, 12, 31, 86_399, 253_402_300_799),
            (0, 1, 1, 0, -62_167_219_200), (1901, 12, 13, 74_751, -2_147_483_649),
        ] as [(Int, Int, Int, Int, Int64)])
    func `A day of the calendar counts its seconds beyond 32 bits`(
        year: Int, month: Int, day: Int, second: Int, seconds: Int64
    ) throws {
        try expectEqual(#require(CivilDate(year: year, month: month, day: day)).secondsSince1970(at: second), seconds)
    }

    @Test(arguments: [
        (2023, 2, 29), (1900, 2, 29), (2024, 2, 30), (2024, 4, 31), (2024, 0, 1), (2024, 13, 1), (2024, 1, 0),
        (2024, 1, 32), (2024, 12, 32), (2024, 1, -1),
    ])
    func `A day of the calendar must exist`(year: Int, month: Int, day: Int) {
        expectNil(CivilDate(year: year, month: month, day: day))
    }
}

@Suite struct HexadecimalTests {
    @Test func `Hexadecimal digits are read in either case and written in lower case`() {
        expectEqual("0aF9g/:@G`".utf8.map(Hex.value), [0, 10, 15, 9, nil, nil, nil, nil, nil, nil])
        expectEqual(Hex.encode([0x00, 0x1F, 0xA0, 0xFF]), "001fa0ff")
    }

    @Test func `Hexadecimal digits are decoded to the expected number of bytes or to none`() {
        expectEqual(Hex.decode("001fA0Ff", count: 4), [0x00, 0x1F, 0xA0, 0xFF])
        expectEqual(Hex.decode("", count: 0), [])
        for text in ["001fa0", "001fa0ff0", "001fa0ff00", "001fa0fg", "001fa0f ", "0x1fa0ff", "001fa0é", ""] {
            expectNil(Hex.decode(text, count: 4), "\(text)")
        }
    }
}
