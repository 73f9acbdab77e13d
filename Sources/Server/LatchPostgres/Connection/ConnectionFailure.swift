// SPDX-License-Identifier: Apache-2.0

/// The description by libpq of a connection that could not be made.
///
/// libpq reports no code for it. Its own sentences are English, since this program sets no locale; those of a server are in the
/// server's language, so that only their SQLSTATE tells what waiting changes.
struct ConnectionFailure: Sendable {
    /// libpq's sentences, without the password.
    private let text: String
    /// The sentences about each address that was tried; empty if libpq did not get so far.
    private let attempts: [String]
    /// The first sentence.
    private let first: String
    /// The server's code; nil if no server answered.
    private let sqlState: String?

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - message: The text of `PQerrorMessage`.
    ///   - sqlState: The code that ``sqlState(inBrief:)`` has found.
    init(_ message: String, sqlState: String?, string: ConnectionString) {
        let lines = message.utf8.split(separator: UInt8(ascii: "\n")).map { String(Substring($0)) }
        first = lines.first ?? ""
        attempts = lines.filter { line in Self.attempts.contains { line.utf8.starts(with: $0.utf8) } }
        text = string.redacted(message) ?? "libpq says no more"
        self.sqlState = sqlState
    }

    /// The beginnings of a sentence about an address.
    private static let attempts = ["connection to server", "could not translate host name"]
    /// The classes of codes that say the same at each attempt: unknown databases and users, options, missing rights.
    private static let lasting = ["0A", "22", "28", "3D", "42"]
    /// The parts of sentences about TLS that say the same at each attempt.
    private static let untrusted = ["certificate", "private key", "server does not support SSL"]

    /// The error for the calls that need the connection; ``PostgresError/connectionFailed`` if waiting may help.
    var error: PostgresError {
        if let sqlState {
            guard !sqlState.utf8.starts(with: "28".utf8) else { return .authenticationFailed(text) }
            let isLasting = Self.lasting.contains { sqlState.utf8.starts(with: $0.utf8) }
            return isLasting ? .connectionRejected(text, sqlState) : .connectionFailed(text, sqlState)
        }
        // Nothing was tried: an option has a value that libpq does not take.
        guard !attempts.isEmpty || first.has("out of memory") else { return .malformedConnectionString(option) }
        if text.has("authentication failed") { return .authenticationFailed(text) }
        let isUntrusted =
            !attempts.isEmpty
            && attempts.allSatisfy { attempt in
                // The name of the host comes before.
                guard let reason = attempt.utf8.firstRange(of: "failed: ".utf8) else { return false }
                let said = String(attempt.unicodeScalars[reason.upperBound...])
                return Self.untrusted.contains { said.has($0) }
            }
        return isUntrusted ? .untrustedServer(text) : .connectionFailed(text)
    }

    /// The name of the option that libpq complains about; nil if it names none.
    ///
    /// Its value is not read: it may be a misplaced password.
    private var option: String? {
        if first.utf8.starts(with: "invalid port number".utf8) { return "port" }
        let words = first.unicodeScalars.split(separator: " ").map { String($0) }
        if words.count > 2, words[0] == "invalid", words[2] == "value:" { return words[1] }
        guard let mark = first.utf8.firstRange(of: "connection option \"".utf8) else { return nil }
        return String(first.unicodeScalars[mark.upperBound...].prefix { $0 != "\"" })
    }

    /// Whether a message of libpq has one of a server in it, whose severity is followed by a colon and two spaces.
    static func isByServer(_ message: String) -> Bool { message.has(":  ") }

    /// Returns the code in a message of libpq's briefest verbosity, which ends with it.
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
    /// Whether a text is a part of this one, byte by byte.
    func has(_ part: String) -> Bool { utf8.firstRange(of: part.utf8) != nil }
}
