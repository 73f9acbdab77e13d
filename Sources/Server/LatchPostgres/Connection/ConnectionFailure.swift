// SPDX-License-Identifier: Apache-2.0

/// libpq's description of a failed connection attempt.
///
/// libpq reports no error code. Its own messages are in English because this program sets no locale. A server's message
/// is in the server's language, so only its SQLSTATE tells whether a retry can help.
struct ConnectionFailure: Sendable {
    /// libpq's message, without the password.
    private let text: String
    /// The message for each address that was tried; empty if libpq failed before the first attempt.
    private let attempts: [String]
    /// The first sentence.
    private let first: String
    /// The server's error code; nil if no server answered.
    private let sqlState: String?

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - message: The text of `PQerrorMessage`.
    ///   - sqlState: The code that ``sqlState(inBrief:)`` found.
    init(_ message: String, sqlState: String?, string: ConnectionString) {
        let lines = message.utf8.split(separator: UInt8(ascii: "\n")).map { String(Substring($0)) }
        first = lines.first ?? ""
        attempts = lines.filter { line in Self.attempts.contains { line.utf8.starts(with: $0.utf8) } }
        text = string.redacted(message) ?? "libpq says no more"
        self.sqlState = sqlState
    }

    /// How libpq begins the message for an address.
    private static let attempts = ["connection to server", "could not translate host name"]
    /// The classes of error codes that a retry does not change: unknown databases and users, options, missing rights.
    private static let lasting = ["0A", "22", "28", "3D", "42"]
    /// The parts of TLS messages that a retry does not change.
    private static let untrusted = ["certificate", "private key", "server does not support SSL"]

    /// The error for the calls that need the connection; ``PostgresError/connectionFailed`` if a retry may help.
    var error: PostgresError {
        if let sqlState {
            guard !sqlState.utf8.starts(with: "28".utf8) else { return .authenticationFailed(text) }
            let isLasting = Self.lasting.contains { sqlState.utf8.starts(with: $0.utf8) }
            return isLasting ? .connectionRejected(text, sqlState) : .connectionFailed(text, sqlState)
        }
        // No address was tried: libpq rejects the value of an option.
        guard !attempts.isEmpty || first.has("out of memory") else { return .malformedConnectionString(option) }
        if text.has("authentication failed") { return .authenticationFailed(text) }
        let isUntrusted =
            !attempts.isEmpty
            && attempts.allSatisfy { attempt in
                // The host name comes before this text.
                guard let reason = attempt.utf8.firstRange(of: "failed: ".utf8) else { return false }
                let said = String(attempt.unicodeScalars[reason.upperBound...])
                return Self.untrusted.contains { said.has($0) }
            }
        return isUntrusted ? .untrustedServer(text) : .connectionFailed(text)
    }

    /// The name of the option that libpq rejects; nil if it names none.
    ///
    /// The option's value is not read, because it may be a misplaced password.
    private var option: String? {
        if first.utf8.starts(with: "invalid port number".utf8) { return "port" }
        let words = first.unicodeScalars.split(separator: " ").map { String($0) }
        if words.count > 2, words[0] == "invalid", words[2] == "value:" { return words[1] }
        guard let mark = first.utf8.firstRange(of: "connection option \"".utf8) else { return nil }
        return String(first.unicodeScalars[mark.upperBound...].prefix { $0 != "\"" })
    }

    /// Whether libpq's message quotes a server, which writes its severity followed by a colon and two spaces.
    static func isByServer(_ message: String) -> Bool { message.has(":  ") }

    /// Returns the error code at the end of a message that libpq wrote at its briefest verbosity.
    static func sqlState(inBrief message: String) -> String? {
        let bytes = message.utf8.filter { $0 != UInt8(ascii: "\n") }
        let code = bytes.suffix(5)
        guard bytes.suffix(8).starts(with: Array(":  ".utf8)), code.count == 5,
            code.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) })
        else { return nil }
        return String(decoding: code, as: UTF8.self)
    }
}

extension String {
    /// Whether `part` occurs in this text, compared byte by byte.
    func has(_ part: String) -> Bool { utf8.firstRange(of: part.utf8) != nil }
}
