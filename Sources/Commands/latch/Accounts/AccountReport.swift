// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchAuth
import LatchCommand
import LatchCore

/// An account as scripts and people see it.
enum AccountReport {
    /// What the list knows, for a script.
    static func facts(of entry: AccountEntry) -> JSONObject {
        var object: JSONObject = ["account": .string(entry.name), "issuer": .string(entry.issuer)]
        object["username"] = entry.username.map { .string($0) }
        object["user_id"] = entry.userID.map { .string($0) }
        object["scopes"] = .array((entry.scopes?.elements ?? []).map { .string($0.rawValue) })
        return object
    }

    /// A date as scripts read it; null where it is not known.
    static func date(_ date: Date?) -> JSONValue { date.map { .string($0.formatted(.iso8601)) } ?? .null }

    /// A date as people read it.
    static func text(_ date: Date, now: Date) -> String {
        "\(date.formatted(.iso8601)), \(Span.text(date.timeIntervalSince(now)))"
    }

    /// Rows of two columns, indented; rows without a value are left out.
    static func table(_ rows: [(String, String?)]) -> String {
        let shown = rows.compactMap { name, value in value.map { (name, $0.printable) } }
        let width = shown.map(\.0.count).max() ?? 0
        return shown.map { "  \($0)" + String(repeating: " ", count: width - $0.count + 2) + "\($1)\n" }.joined()
    }
}
