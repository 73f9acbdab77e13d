// SPDX-License-Identifier: Apache-2.0

import LatchCommand

/// Where accounts are kept.
struct StoreLocation: Sendable, Hashable {
    /// The SQLite file.
    let path: String

    /// Reads `sqlite:PATH`.
    ///
    /// The path is relative to the working directory, and taken as it is: neither `~` nor `%20` mean anything in it.
    ///
    /// - Throws: `CommandError.failed`, without the password that a URL may hold.
    init(_ text: String) throws(CommandError) {
        if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
            throw .failed(
                "PostgreSQL as the store comes in a later round.",
                hint: "Use 'sqlite:PATH', such as sqlite:latch.sqlite.")
        }
        guard text.hasPrefix("sqlite:"), text.utf8.count > 7 else {
            throw .failed(
                "'\(Self.redacted(text))' is not a store.", hint: "Write 'sqlite:PATH', such as sqlite:latch.sqlite.")
        }
        path = String(text.dropFirst(7))
    }

    /// The text without the password that a URL may hold.
    ///
    /// Everything between the scheme and the last @ is dropped (RFC 3986 §3.2.1 calls it userinfo).
    static func redacted(_ text: String) -> String {
        guard let scheme = text.range(of: "://"), let at = text.lastIndex(of: "@"), at >= scheme.upperBound else {
            return text
        }
        return text[..<scheme.upperBound] + "(redacted)" + text[at...]
    }
}

extension String {
    /// Where a text stands in this one for the first time.
    fileprivate func range(of text: String) -> Range<Index>? {
        indices.lazy.first { self[$0...].hasPrefix(text) }.map { $0..<index($0, offsetBy: text.count) }
    }
}
