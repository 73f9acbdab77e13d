// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// Errors of operations on a whole store, and of backups; no page shows them.
extension IdentityError {
    /// An earlier version wrote the store.
    package static let olderSchema = IdentityError.olderSchema(found: 0, known: 0)

    /// The store that is to be filled already has content.
    package static let storeNotEmpty = IdentityError.storeNotEmpty("The store")

    /// A server or another command has opened the store that is to be filled.
    package static let storeInUse = IdentityError.storeInUse("The store")

    /// No server has used the store so far.
    package static let storeUnused = IdentityError(
        code: "storeUnused", message: "The store has no keys: no server has used it.",
        hint: "Check the location of the store.")

    /// The written content differs from the content that was read; nothing of it remains.
    package static let unequalCopy = IdentityError(
        code: "unequalCopy", message: "The new store did not match its source and was discarded.",
        hint: "Report this as a defect. The source is unchanged.")

    /// The file is not a backup.
    package static let notABackup = IdentityError(
        code: "notABackup", message: "The file is not a backup of a store.",
        hint: "Give a file that 'latch admin backup' has written.")

    /// A later version wrote the backup.
    package static let newerBackup = IdentityError(
        code: "newerBackup", message: "A later version of this program has written the backup.",
        hint: "Restore it with that version.")

    /// The backup has another key.
    package static let wrongBackupKey = IdentityError(
        code: "wrongBackupKey", message: "The backup was written with another key or passphrase.",
        hint: "Use the key of this backup; the backup cannot be read without it.")

    /// The end of the backup is missing.
    package static let truncatedBackup = IdentityError(
        code: "truncatedBackup", message: "The end of the backup is missing.",
        hint: "Copy the file again from where it was written, or use another backup.")

    /// A byte of the backup was changed, or a part was moved or removed.
    package static let damagedBackup = IdentityError(
        code: "damagedBackup", message: "The backup is damaged.",
        hint: "Copy the file again from where it was written, or use another backup.")

    /// A file cannot be read or written.
    package static let fileFailed = IdentityError(
        code: "fileFailed", message: "A file cannot be read or written.", hint: "Check its folder and its permissions.")

    /// Returns an ``olderSchema`` error.
    package static func olderSchema(found: Int, known: Int) -> IdentityError {
        IdentityError(
            code: "olderSchema", message: "The store has schema \(found), and this version has schema \(known).",
            hint:
                "Start the new server, or run latch admin migrate; servers of the earlier version cannot start again after either."
        )
    }

    /// Returns a ``storeNotEmpty`` error with the file or database.
    package static func storeNotEmpty(_ name: String) -> IdentityError {
        IdentityError(
            code: "storeNotEmpty", message: "\(name) already exists and is not empty.",
            hint: "Give the location of a new store, or remove this one.")
    }

    /// Returns a ``storeInUse`` error with the file.
    package static func storeInUse(_ name: String) -> IdentityError {
        IdentityError(
            code: "storeInUse", message: "\(name) is in use by a server or another command.",
            hint: "End it first, for instance by: systemctl stop latch.socket latch.service")
    }

    /// Returns a ``storeInUse`` error with the server process IDs of the database's other connections.
    package static func storeInUse(connections: [Int64]) -> IdentityError {
        let list = connections.map(String.init).joined(separator: ", ")
        let (noun, verb) = connections.count == 1 ? ("connection", "has") : ("connections", "have")
        return storeInUse.with(
            message:
                "\(connections.count) \(noun) of a server, or of another command, \(verb) the database open: \(list).",
            hint: "End the server on each machine first. If a machine is gone, end its remaining connection: "
                + "SELECT pg_terminate_backend(\(connections.first ?? 0)).")
    }

    /// Returns a ``wrongBackupKey`` error that names the kind of key that is needed.
    package static func wrongBackupKey(needs kind: String) -> IdentityError {
        wrongBackupKey.with(
            message: "The backup was written with \(kind).", hint: "Use the key or passphrase of this backup.")
    }

    /// Returns the error for a text that the other database cannot store.
    static func unstorableText(_ column: String) -> IdentityError {
        IdentityError(
            code: "unstorableText", message: "A text in \(column) contains a NUL, which PostgreSQL does not store.",
            hint: "Correct that row in the source.")
    }

    /// Returns the result of `body`, and maps its error to one of this module.
    static func mapping<Result>(_ body: () throws(FileError) -> Result) throws(IdentityError) -> Result {
        do throws(FileError) { return try body() } catch { throw IdentityError(error) }
    }

    private init(_ error: FileError) {
        self =
            switch error.reason {
            case .full: .fileFailed.with(message: "The disk is full: \(error.path)", hint: "Free space, and try again.")
            case _ where error.isExisting: .storeNotEmpty(error.path)
            default: .fileFailed.with(message: "\(error)", hint: Self.fileFailed.hint)
            }
    }
}
