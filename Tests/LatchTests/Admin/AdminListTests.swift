// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchFoundation
import Testing

@testable import LatchCommand
@testable import latch

@Suite struct AdminListTests {
    private let list = ListText(
        headings: ["id", "state"], rows: [["longer", "new"], ["b", "old"]], footer: "2 of 2 keys")

    @Test func `A list of the operator's commands has headings on a terminal, and never in a file`() {
        expectEqual(list.text(width: 80, style: .plain), "ID      STATE\nlonger  new\nb       old\n2 of 2 keys")
        expectEqual(list.text(width: nil, style: .plain), "longer  new\nb       old\n2 of 2 keys")
    }

    @Test func `A list of the operator's commands has no headings without rows`() {
        let empty = ListText(headings: ["id"], rows: [], footer: "none")
        expectEqual(empty.text(width: 80, style: .plain), "none")
        expectEqual(empty.text(width: nil, style: .plain), "none")
    }

    @Test func `A list of the operator's commands fits the terminal, and keeps what the next command needs`() {
        let id = "lR5a0VxN2kyGm1Qb7cZtWg"
        let row: [ListText.Cell] = [
            .init(id), "a very long name of a device that some program has chosen", "192.0.2.1",
        ]
        let list = ListText(headings: ["id", "device", "address"], whole: ["id"], rows: [row])
        for width in [50, 60, 80] {
            let lines = list.text(width: width, style: .plain).split(separator: "\n").map(String.init)
            #expect(lines.allSatisfy { $0.displayWidth <= width }, "\(lines)")
            #expect(lines[1].hasPrefix(id) && lines[1].contains("…") && lines[1].hasSuffix("192.0.2.1"), "\(lines)")
        }
        // The id stays whole where nothing fits.
        #expect(list.text(width: 20, style: .plain).contains(id))
        #expect(list.text(width: nil, style: .plain).contains("that some program has chosen"))
    }

    @Test func `A date of a list is relative on a terminal, and ISO 8601 in a file`() throws {
        let date = try Date("2020-01-02T03:04:05Z", strategy: .iso8601)
        let cell = ListText.Cell(date, after: "since")
        expectEqual(cell.plain, "since 2020-01-02T03:04:05Z")
        #expect(cell.shown.hasSuffix(" days ago"))
    }

    @Test func `A list of the operator's commands selects by a date, or by the time since`() throws {
        let now = try Date("2026-11-23T07:30:00Z", strategy: .iso8601)
        for (text, seconds) in [
            ("30m", 1800.0), ("24h", 86_400), ("7d", 604_800), ("0m", 0), ("2026-11-23", 27_000),
            ("2026-11-23T07:00:00Z", 1800),
        ] {
            try expectEqual(now.timeIntervalSince(PastDate.parsed(text, now: now)), seconds, "\(text)")
        }
        for text in ["", "h", "-1h", "1.5h", "99999999999d", "yesterday", "2026-13-01", "23.11.2026", "7w"] {
            #expect(throws: CommandError.self, "\(text)") { try PastDate.parsed(text, now: now) }
        }
    }
}
