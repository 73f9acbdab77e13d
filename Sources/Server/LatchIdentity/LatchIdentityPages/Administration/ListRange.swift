// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchHTTP
import LatchIdentityStorage
import LatchServer

/// The part of a list that a request asks for.
///
/// All lists of the administration have the same parameters: `limit`, and `after` with the `next` of the page before.
struct ListRange {
    static let limits = 1...500
    private static let usualLimit = 50

    /// The greatest number of rows in the response.
    let limit: Int
    /// The position after which the page begins; nil for the first page.
    let after: String?

    /// - Throws: `IdentityError.invalidInput`.
    init(_ query: FormFields) throws(IdentityError) {
        limit =
            try query["limit"].map { text throws(IdentityError) in
                guard let limit = Int(text), Self.limits.contains(limit) else {
                    throw .invalid(
                        "limit", "is not a number from \(Self.limits.lowerBound) to \(Self.limits.upperBound)")
                }
                return limit
            } ?? Self.usualLimit
        after = query["after"]
    }

    /// The number of rows to read: one more, which tells whether a page follows.
    var readLimit: Int { limit + 1 }

    /// Returns the page of the rows that were read.
    ///
    /// - Parameter position: Returns the position after the rows of the page.
    func response<Row>(
        _ name: String, _ rows: [Row], adding members: JSONObject = [:], after position: ([Row]) -> String,
        json: (Row) -> JSONValue
    ) -> HTTPResponse {
        let shown = Array(rows.prefix(limit))
        var object: JSONObject = [name: .array(shown.map(json))]
        for (name, value) in members { object[name] = value }
        object["next"] = rows.count > limit ? .string(position(shown)) : .null
        return .json(object)
    }
}

/// A position in a list by dates, and within those of one date.
struct DatedPosition {
    let date: Date
    let rest: String

    init(_ date: Date, _ rest: String) { (self.date, self.rest) = (date, rest) }

    /// - Throws: `IdentityError.invalidInput` for a text that ``text`` did not return.
    init(_ text: String) throws(IdentityError) {
        guard let dot = text.utf8.firstIndex(of: UInt8(ascii: ".")), let milliseconds = Int64(text[..<dot]) else {
            throw .invalidCursor
        }
        self.init(Date(storedMilliseconds: milliseconds), String(text[text.utf8.index(after: dot)...]))
    }

    /// The text that the next request sends.
    var text: String { "\(date.storedMilliseconds).\(rest)" }
}
