// SPDX-License-Identifier: Apache-2.0

package import LatchPostgres

extension IdentityError {
    /// Returns the result of `body`, or throws its error as an error of the store.
    static func mapping<Result>(
        _ body: () throws(PostgresError) -> Result
    ) throws(IdentityError) -> Result {
        do throws(PostgresError) { return try body() } catch { throw IdentityError(error) }
    }

    /// Creates the store's error from that of a call: an `IdentityError`, a database error, or a cancellation.
    package init(storing error: any Error) {
        self =
            switch error {
            case let error as IdentityError: error
            case let error as PostgresError: IdentityError(error)
            default: .cancelled
            }
    }

    /// Creates the store's error from an error of the database.
    package init(_ error: PostgresError) {
        self =
            switch error {
            case .uniqueViolation: .alreadyExists
            case .unstorableText: .invalidInput("a text has the character U+0000")
            case .overloaded, .poolTimeout: .overloaded
            case .conflict, .statementTimeout: .storeBusy
            case .poolClosed: .storeClosed
            case .serverExhausted: .storeFull
            case .readOnlyServer: .readOnlyStore("The database server")
            case .mismatch: .corruptStore(error.message)
            default: .databaseUnavailable(error.message, hint: error.hint)
            }
    }
}
