// SPDX-License-Identifier: Apache-2.0

import Expectations
import Testing

@testable import LatchCommand
@testable import latch

@Suite struct StoreLocationTests {
    @Test(
        arguments: [
            ("sqlite:a", "a"), ("sqlite::memory:", ":memory:"), ("sqlite:./a b.sqlite", "./a b.sqlite"),
            ("sqlite:~/a", "~/a"), ("sqlite:a%20b", "a%20b"), ("sqlite:é", "é"), ("sqlite:sqlite:a", "sqlite:a"),
            ("sqlite:/", "/"),
        ])
    func `The text of a store's location is taken as a literal path`(text: String, path: String) throws {
        try expectEqual(StoreLocation(text).path, path)
    }

    @Test(arguments: [
        "SQLITE:a", "sqlite", " sqlite:a", "sqlite3:a", "file:a", "postgres:a", "Postgres://h/d", "mysql://u:p@h/d",
    ])
    func `The text of a store's location is refused with the correct form`(text: String) throws {
        let error = try #require(throws: CommandError.self) { try StoreLocation(text) }
        expectEqual(error.hint?.contains("sqlite:"), true)
        expectEqual(error.exitCode, .failure)
    }

    @Test(
        arguments: [
            ("mysql://ada:pw@h/d", "mysql://(redacted)@h/d"), ("x://a:p@w@h", "x://(redacted)@h"),
            ("x://@h", "x://(redacted)@h"), ("sqlite:a@b", "sqlite:a@b"), ("a@b://c", "a@b://c"), ("", ""),
            ("x://h/d", "x://h/d"), ("postgres://u:p@h?q=a@b", "postgres://(redacted)"),
            ("postgres://h/d?user=u&password=pw", "postgres://h/d?(redacted)"),
            ("postgres://u@h?sslpassword=pw", "postgres://(redacted)@h?(redacted)"),
            ("host=h password=pw", "(redacted)"), ("postgres:u:pw@h", "(redacted)"),
        ])
    func `The text of a store's location is shown without a possible password`(text: String, shown: String) {
        expectEqual(StoreLocation.redacted(text), shown)
        expectEqual(StoreLocation.redacted(shown), shown)
    }
}
