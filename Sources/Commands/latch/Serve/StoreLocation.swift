// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchFoundation
import LatchIdentity

/// The location of the account store.
struct StoreLocation: Sendable, Hashable {
    /// The path of the SQLite file, or the URI of a PostgreSQL database, which may contain a password.
    let path: String
    /// Whether the store is a file on this machine.
    let isFile: Bool

    /// The store of a server whose settings name none.
    static let standard = StoreLocation(file: "latch.sqlite")

    /// Creates the location of a file.
    private init(file path: String) { (self.path, isFile) = (path, true) }

    /// Whether the store is a file that does not exist yet.
    var isMissingFile: Bool { isFile && !FileManager.default.fileExists(atPath: path) }

    /// The location as the setting has it.
    var text: String { isFile ? "sqlite:" + path : path }

    /// Parses `sqlite:PATH` or `postgres://…`.
    ///
    /// In a path, `~` and `%20` have no special meaning. libpq receives a URI unchanged.
    ///
    /// - Throws: `CommandError.failed`, without the password that a URL may contain.
    init(_ text: String) throws(CommandError) {
        isFile = !IdentityStore.isDatabase(text)
        guard isFile else {
            path = text
            return
        }
        guard text.hasPrefix("sqlite:"), text.utf8.count > 7 else {
            throw .failed(
                "'\(Self.redacted(text))' is not a store.",
                hint: "Write 'sqlite:PATH', such as sqlite:latch.sqlite, or 'postgres://USER@HOST/DATABASE'.")
        }
        path = String(text.dropFirst(7))
    }

    /// Returns the text without the parts that may contain a password.
    ///
    /// In a URL, these are the userinfo (RFC 3986 §3.2.1) and the query, because libpq also reads passwords from there.
    /// Any other text with `=` or `@` is redacted completely.
    static func redacted(_ text: String) -> String {
        guard !text.hasPrefix("sqlite:") else { return text }
        guard let scheme = text.firstRange(of: "://") else {
            return text.contains { "=@".contains($0) } ? "(redacted)" : text
        }
        let parts = text[scheme.upperBound...].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        // An '@' after a '?' may end a password that contains '?', or belong to a password in the query.
        guard parts.count == 1 || !parts[1].contains("@") else { return text[..<scheme.upperBound] + "(redacted)" }
        let query = parts.count == 1 ? "" : "?(redacted)"
        guard let at = parts[0].lastIndex(of: "@") else { return text[..<scheme.upperBound] + parts[0] + query }
        return text[..<scheme.upperBound] + "(redacted)" + parts[0][at...] + query
    }
}
