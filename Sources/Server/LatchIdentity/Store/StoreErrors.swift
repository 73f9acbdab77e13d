// SPDX-License-Identifier: Apache-2.0

extension IdentityError {
    /// The store's content is damaged; it is never deleted or replaced by us.
    public static let corruptStore = IdentityError.corruptStore("its content does not fit together")

    /// The file is something else than a store of ours.
    public static let notADatabase = IdentityError.notADatabase("the file")

    /// A later version of this software wrote the store.
    public static let newerSchema = IdentityError.newerSchema(found: 0, known: 0)

    /// The file, its folder or its file system cannot be written.
    public static let readOnlyStore = IdentityError.readOnlyStore("the store")

    /// The disk, or the space allowed to the store, is full; what was asked for did not happen.
    public static let storeFull = IdentityError(
        code: "storeFull", message: "The store cannot grow: the disk is full.",
        hint: "Free space on the store's file system; nothing that was committed is lost.")

    /// Another process holds the store's lock for too long.
    public static let storeBusy = IdentityError(
        code: "storeBusy", message: "The store is in use by another process for too long.",
        hint: "End the other process, or try again.", retryAfter: .seconds(1))

    /// The store's file cannot be opened or created.
    public static let storeUnavailable = IdentityError.storeUnavailable("it cannot be opened")

    /// The store's file was moved, replaced or removed under the running server; nothing is read or written any more.
    public static let storeMoved = IdentityError(
        code: "storeMoved", message: "The store's file was moved, replaced or removed while the server runs.",
        hint: "Put the file back, or start the server again to use the one that is there now.")

    /// The store has been closed.
    public static let storeClosed = IdentityError(
        code: "storeClosed", message: "The server is shutting down.", retryAfter: .seconds(1))
}

extension IdentityError {
    /// What does not fit, in SQLite's words or ours, which name pages, tables and columns and never a value.
    package static func corruptStore(_ why: String) -> IdentityError {
        IdentityError(
            code: "corruptStore", message: "The store is damaged: \(why).",
            hint: "Keep the file as it is, and restore a backup beside it with 'latch admin restore'.")
    }

    /// By path: an operator who mistyped it sees which file was met instead.
    package static func notADatabase(_ path: String) -> IdentityError {
        IdentityError(
            code: "notADatabase", message: "\(path) is not a store of this server.",
            hint: "Give the path of a store, or of a file that does not exist yet. The file was left as it is.")
    }

    /// A newer version may have given columns another meaning; reading them as before would damage what it wrote.
    package static func newerSchema(found: Int, known: Int) -> IdentityError {
        IdentityError(
            code: "newerSchema",
            message: "The store has schema \(found), and this version knows schemas up to \(known).",
            hint: "Run the newer version, or restore a backup from before its upgrade. The file was left as it is.")
    }

    /// The file or the folder: SQLite needs to write both, for its log stands beside the file.
    package static func readOnlyStore(_ path: String) -> IdentityError {
        IdentityError(
            code: "readOnlyStore", message: "\(path) cannot be written.",
            hint: "Give the server's user write access to the file and to its folder.")
    }

    /// Everything else that keeps the store from working, with the reason in words.
    package static func storeUnavailable(_ why: String) -> IdentityError {
        IdentityError(
            code: "storeUnavailable", message: "The store is not available: \(why).",
            hint: "Check the path, its folder and its permissions.")
    }
}
