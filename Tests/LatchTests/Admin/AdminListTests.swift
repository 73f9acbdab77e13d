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
        expectEqual(list.text(isTerminal: true), "ID      STATE\nlonger  new\nb       old\n2 of 2 keys")
        expectEqual(list.text(isTerminal: false), "longer  new\nb       old\n2 of 2 keys")
    }

    @Test func `A list of the operator's commands has no headings without rows`() {
        let empty = ListText(headings: ["id"], rows: [], footer: "none")
        #expect(empty.text(isTerminal: true) == "none" && empty.text(isTerminal: false) == "none")
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
