// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchFoundation
import LatchJOSE

/// The printed form of a token: header, claims and verification.
struct TokenReport {
    /// The names of the claims that are times (RFC 7519 §4.1, OpenID Connect Core §2).
    private static let times: Set<String> = ["exp", "nbf", "iat", "auth_time", "updated_at"]

    let token: JWT
    /// Whether signature, times and parties were verified.
    let isVerified: Bool

    /// The report for a script.
    var json: JSONValue {
        [
            "header": .object(token.header.members), "claims": .object(token.claims.members),
            "verified": .bool(isVerified),
        ]
    }

    /// The report for a user.
    var text: String {
        let header = token.header.members.map { [$0.key, Self.shown($0.value)] }
        let claims = token.claims.members.map { [$0.key, Self.shown($0.value) + remark($0.key)] }
        return
            "header\n\(TextTable.text(header, indentation: "  "))claims\n\(TextTable.text(claims, indentation: "  "))"
            + (isVerified
                ? "The signature, the times, the issuer and the audience are valid.\n"
                : "The signature was not verified.\n")
    }

    /// Returns text without quotation marks, and any other value as JSON.
    private static func shown(_ value: JSONValue) -> String {
        value.stringValue ?? String(decoding: value.serialized(), as: UTF8.self)
    }

    /// Returns a time in ISO 8601 with its distance from now.
    private func remark(_ name: String) -> String {
        guard Self.times.contains(name), let date = token.claims.date(name) else { return "" }
        // So distant a date has no text form.
        guard abs(date.timeIntervalSince1970) < 1e11 else { return "" }
        return "  \(AccountReport.text(date))"
    }
}
