// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// An error of a PostgreSQL database, of the connection to it, or of the pool of connections.
///
/// It never carries the connection string, a value of a statement or a value of a row. The server's DETAIL is not read,
/// and its message only for errors that cannot quote a value.
package struct PostgresError: CodedError {
    /// What the caller of a failed call can do next.
    enum Recovery: Sendable {
        /// Nothing: the same statements would fail again.
        case none
        /// Repeat the transaction: it was rolled back, and may succeed the next time.
        case repetition
        /// Repeat it on another connection: this one is lost, or its server cannot write.
        case reconnection
    }

    /// The stable name of the error.
    package let code: String
    /// A sentence that describes the error.
    package let message: String
    /// A sentence that suggests a remedy.
    package let hint: String?
    /// The server's code (https://www.postgresql.org/docs/current/errcodes-appendix.html); nil if the error is not from
    /// the server.
    package private(set) var sqlState: String?
    /// The name of the violated constraint.
    package private(set) var constraint: String?
    /// What the caller can do next.
    private(set) var recovery: Recovery

    /// Whether the pool has waited for a connection for this call, and none could be made.
    private(set) var endsWait = false
    /// Whether this applies to all waiting calls: the pool has no open connection.
    private(set) var endsAllWaits = false

    /// Whether the transaction was certainly rolled back, and may succeed when repeated.
    package var isRepeatable: Bool { recovery != .none }

    init(code: String, message: String, hint: String? = nil, recovery: Recovery = .none) {
        self.code = code
        self.message = message
        self.hint = hint
        self.recovery = recovery
    }

    /// The connection error for a caller that has already waited: its call is not repeated.
    ///
    /// - Parameter isForAll: Whether the pool has no open connection, so that no other call gets one either.
    func concluding(forAll isForAll: Bool) -> PostgresError {
        var error = self
        error.recovery = .none
        (error.endsWait, error.endsAllWaits) = (true, isForAll)
        return error
    }

    /// The error for a caller that only reads: a read cannot have an unknown outcome.
    var ofReading: PostgresError { self == .outcomeUnknown ? .connectionLost : self }

    /// Returns the error with the server's code and the name of the violated constraint.
    func reported(as sqlState: String, constraint: String? = nil) -> PostgresError {
        var error = self
        error.sqlState = sqlState
        error.constraint = constraint
        return error
    }
}

extension PostgresError {
    /// libpq is missing, or older than version 14.
    package static let libraryMissing = PostgresError(
        code: "libraryMissing", message: "PostgreSQL's client library libpq (14 or later) is not installed.",
        hint: "On Debian: sudo apt-get install libpq5")

    /// The connection string is malformed; the error does not quote it, because a part of it may be the password.
    package static let malformedConnectionString = PostgresError(
        code: "malformedConnectionString", message: "The connection string of the database is malformed.",
        hint: "Write postgres://user@host/database?sslmode=verify-full with reserved characters percent-encoded.")

    /// The server refused the connection and will refuse it again, for instance because the database does not exist.
    package static let connectionRejected = PostgresError.connectionRejected("there is no such database", "3D000")

    /// TLS cannot prove the server's identity, or cannot be used.
    package static let untrustedServer = PostgresError.untrustedServer("its certificate cannot be verified")

    /// The user lacks a right.
    package static let permissionDenied = PostgresError.permissionDenied("the user may not do this")

    /// The server rejected the user or the password.
    package static let authenticationFailed = PostgresError.authenticationFailed("the password is wrong or missing")

    /// No server accepted a connection.
    package static let connectionFailed = PostgresError.connectionFailed("no server answers")

    /// The connection ended while a statement ran; no change of an open transaction remains.
    package static let connectionLost = PostgresError(
        code: "connectionLost", message: "The connection to the database was lost.",
        hint: "The transaction was rolled back and can be repeated.", recovery: .reconnection)

    /// The session's prepared statements no longer fit the database, for instance after a migration.
    package static let staleSession = PostgresError(
        code: "staleSession", message: "The prepared statements of the connection are outdated.",
        hint: "The transaction was rolled back and can be repeated.", recovery: .reconnection)

    /// Returns the error for a database whose encoding is not UTF-8.
    package static func unsupportedEncoding(_ name: String) -> PostgresError {
        PostgresError(
            code: "unsupportedEncoding",
            message: "The database has the encoding \(name), which cannot represent all Unicode text.",
            hint: "Create it anew: createdb --encoding=UTF8 --template=template0 NAME")
    }

    /// The session contains statements that another client has prepared.
    package static let sharedSession = PostgresError(
        code: "sharedSession", message: "The session of the database is shared with other clients.",
        hint: "A pooler must keep a session for each connection (pool_mode = session); or connect to the server itself."
    )

    /// The connection ended after the commit was sent, so the transaction may or may not be in the database.
    package static let outcomeUnknown = PostgresError(
        code: "outcomeUnknown",
        message: "The connection to the database was lost during the commit, whose outcome is unknown.",
        hint: "Read what the transaction would have changed before it is repeated.")

    /// A statement took longer than allowed.
    package static let statementTimeout = PostgresError(
        code: "statementTimeout", message: "A statement took longer than the time limit and was canceled.",
        hint: "Look for a missing index or a blocked table, or raise the time limit of statements.")

    /// The transaction conflicted with a concurrent one and was rolled back, even after the permitted repetitions.
    package static let conflict = PostgresError(
        code: "conflict", message: "The transaction conflicts with concurrent ones.",
        hint: "It was rolled back and can be repeated.", recovery: .repetition)

    /// The server does not accept writes, for instance a standby.
    package static let readOnlyServer = PostgresError(
        code: "readOnlyServer", message: "The database server does not accept writes.",
        hint: "Name all servers in the connection string with target_session_attrs=read-write.", recovery: .reconnection
    )

    /// A text contains a character that the database's encoding lacks, such as U+0000.
    package static let unstorableText = PostgresError(
        code: "unstorableText", message: "A text has a character that the database cannot keep.")

    /// A row with the same key exists.
    package static let uniqueViolation = PostgresError(
        code: "uniqueViolation", message: "A row with the same key exists already.")

    /// A constraint other than a unique key was violated.
    package static let constraintViolation = PostgresError(
        code: "constraintViolation", message: "A constraint of the database was violated.")

    /// The server has run out of disk space or memory.
    package static let serverExhausted = PostgresError(
        code: "serverExhausted", message: "The database server has run out of disk space or memory.",
        hint: "Free space on the server.")

    /// The statement failed for a reason that no other error describes.
    package static let statementFailed = PostgresError.statementFailed("it is invalid")

    /// A column contains a value of another type than expected.
    package static let mismatch = PostgresError.mismatch(column: "a column", wants: "another type")

    /// The transaction failed, but its body returned a result.
    package static let transactionFailed = PostgresError(
        code: "transactionFailed", message: "A statement of the transaction had failed, so nothing was committed.")

    /// No connection became free within the time limit.
    package static let poolTimeout = PostgresError(
        code: "poolTimeout", message: "No connection to the database became free within the time limit.",
        hint: "Raise the number of connections, or look for slow statements.")

    /// Too many calls wait for a connection.
    package static let overloaded = PostgresError(
        code: "overloaded", message: "Too many calls wait for a connection to the database.",
        hint: "Try again later, or raise the number of connections.")

    package static let poolClosed = PostgresError(
        code: "poolClosed", message: "The connections to the database are closed.")
}

extension PostgresError {
    static func authenticationFailed(_ why: String) -> PostgresError {
        PostgresError(
            code: "authenticationFailed", message: "The database server rejects the user: \(why).",
            hint: "Check the user and the password of the connection string, and pg_hba.conf on the server.")
    }

    /// - Parameter option: The name of the option whose value libpq rejects; nil if unknown.
    static func malformedConnectionString(_ option: String?) -> PostgresError {
        guard let option else { return malformedConnectionString }
        return PostgresError(
            code: malformedConnectionString.code,
            message: "The connection string of the database has an invalid value for '\(option)'.",
            hint: malformedConnectionString.hint)
    }

    /// - Parameters:
    ///   - why: libpq's message, which names hosts, ports and files.
    ///   - sqlState: The server's code; nil if no server has answered.
    static func connectionFailed(_ why: String, _ sqlState: String? = nil) -> PostgresError {
        let hint =
            if sqlState == "53300" {
                "Raise max_connections of the server, or end what else has connections: a node has up to 16."
            } else if why.utf8.firstRange(of: "session is read-only".utf8) != nil {
                // libpq's own words, for target_session_attrs.
                "Only a standby answers: promote it, or name the primary."
            } else {
                "Check that a server runs there, and that the network lets this machine reach it."
            }
        return PostgresError(
            code: "connectionFailed", message: "The database cannot be connected: \(why).", hint: hint,
            recovery: .reconnection)
    }

    /// - Parameters:
    ///   - why: As in ``connectionFailed(_:)``.
    ///   - sqlState: The server's code; nil if it was not requested, because the password may be wrong.
    static func connectionRejected(_ why: String, _ sqlState: String?) -> PostgresError {
        let hint =
            switch sqlState {
            case "3D000": "Create it, as a superuser of the server: createdb --owner USER NAME. Or correct its name."
            case "42501": "Let the user connect: GRANT CONNECT ON DATABASE name TO user."
            case nil: "Check the user, the password and the database of the connection string."
            default: "Correct the connection string, or the configuration of the server."
            }
        return PostgresError(
            code: "connectionRejected", message: "The database server refuses the connection: \(why).", hint: hint)
    }

    /// - Parameter why: As in ``connectionFailed(_:)``.
    static func untrustedServer(_ why: String) -> PostgresError {
        PostgresError(
            code: "untrustedServer", message: "The database server cannot be trusted: \(why).",
            hint: "sslrootcert names the file of its authority, such as /etc/ssl/certs/ca-certificates.crt; sslmode "
                + "says what is required.")
    }

    static func permissionDenied(_ why: String) -> PostgresError {
        PostgresError(
            code: "permissionDenied", message: "The database refuses a statement: \(why).",
            hint: "Make the user the owner of the database: ALTER DATABASE name OWNER TO user. "
                + "Or let it create tables: GRANT CREATE ON SCHEMA public TO user.")
    }

    /// - Parameter version: The version of the server, such as 130004.
    package static func serverTooOld(_ version: Int, minimum: Int) -> PostgresError {
        PostgresError(
            code: "serverTooOld",
            message:
                "The database server has version \(version / 10_000), and \(minimum / 10_000) or later is needed.",
            hint: "Upgrade the server, for instance by pg_upgrade.")
    }

    static func statementFailed(_ why: String) -> PostgresError {
        PostgresError(code: "statementFailed", message: "A statement failed: \(why).")
    }

    static func mismatch(column: String, wants type: String) -> PostgresError {
        PostgresError(code: "mismatch", message: "The column \(column) does not hold \(type).")
    }
}
