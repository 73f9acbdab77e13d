// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchCrypto
package import LatchFoundation

/// Errors of the store.
extension IdentityError {
    /// The store's content is damaged; the server never deletes or replaces it.
    public static let corruptStore = IdentityError.corruptStore("its content does not fit together")

    /// The file is not a store of this server.
    public static let notADatabase = IdentityError.notADatabase("the file")

    /// A later version of this software wrote the store.
    public static let newerSchema = IdentityError.newerSchema(found: 0, known: 0)

    /// The file, its folder or its file system is read-only.
    public static let readOnlyStore = IdentityError.readOnlyStore("the store")

    /// The disk is full, or the space allowed to the store; the change did not happen.
    public static let storeFull = IdentityError(
        code: "storeFull", message: "The store cannot grow: the disk is full.",
        hint: "Free space on the store's file system; nothing that was committed is lost.",
        form: .temporarilyUnavailable)

    /// Another process has held the store's lock for too long.
    public static let storeBusy = IdentityError(
        code: "storeBusy", message: "The store was busy with other requests for too long.",
        hint: "Try again. If that goes on, another process may have locked the store.", retryAfter: .seconds(1),
        form: .temporarilyUnavailable)

    /// A concurrent request has changed the account's credentials, which this request relied on.
    ///
    /// The session is still valid; a repeated request decides with the new credentials.
    package static let accountChanged = IdentityError(
        code: "accountChanged", message: "The account was changed by another request at the same time.",
        hint: "Try again.", retryAfter: .seconds(1), form: .temporarilyUnavailable)

    /// The store's file cannot be opened or created.
    public static let storeUnavailable = IdentityError.storeUnavailable("it cannot be opened")

    /// The store's file or its log was moved, replaced or removed while the server runs; nothing more is committed.
    public static let storeMoved = IdentityError(
        code: "storeMoved",
        message: "The store's file, or its log beside it, was moved, replaced or removed while the server was running.",
        hint: "Put the file back, or start the server again to use the one that is there now.")

    /// The store has been closed.
    public static let storeClosed = IdentityError(
        code: "storeClosed", message: "The server is shutting down.", retryAfter: .seconds(1),
        form: .temporarilyUnavailable)

    /// Returns a ``corruptStore`` error; the reason may name pages, tables and columns, but never a value.
    package static func corruptStore(_ reason: String) -> IdentityError {
        IdentityError(
            code: "corruptStore", message: "The store is damaged: \(reason).",
            hint: "Keep the file as it is, and restore a backup to a new file.")
    }

    /// Returns a ``notADatabase`` error with the path, which shows an operator a mistyped path.
    package static func notADatabase(_ path: String) -> IdentityError {
        IdentityError(
            code: "notADatabase", message: "\(path) is not a store of this server.",
            hint: "Give the path of a store, or of a file that does not exist yet. The file was left as it is.")
    }

    /// Returns a ``newerSchema`` error.
    ///
    /// A newer version may have changed the meaning of columns; an older one would damage the data.
    package static func newerSchema(found: Int, known: Int) -> IdentityError {
        IdentityError(
            code: "newerSchema",
            message: "The store has schema \(found), and this version supports schemas up to \(known).",
            hint: "Run the newer version, or restore a backup from before its upgrade. The file was left as it is.")
    }

    /// Returns a ``readOnlyStore`` error for the file or its folder; SQLite writes to both.
    package static func readOnlyStore(_ path: String) -> IdentityError {
        IdentityError(
            code: "readOnlyStore", message: "\(path) cannot be written.",
            hint: "Give the server's user write access to the file and to its folder.")
    }

    /// Returns a ``storeUnavailable`` error for a file that other users can access, and that this user cannot protect.
    package static func publicStore(_ path: String) -> IdentityError {
        IdentityError(
            code: "storeUnavailable", message: "Other users can access \(path), and this user cannot change that.",
            hint: "Give it to the server's user with chown, and then: chmod go= '\(path)'")
    }

    /// Returns a ``storeUnavailable`` error with the reason.
    package static func storeUnavailable(_ reason: String) -> IdentityError {
        IdentityError(
            code: "storeUnavailable", message: "The store is not available: \(reason).",
            hint: "Check the path, its folder and its permissions.")
    }

    /// Returns a ``storeUnavailable`` error of a database, with its client's message.
    static func databaseUnavailable(_ message: String, hint: String?) -> IdentityError {
        IdentityError(code: "storeUnavailable", message: message, hint: hint)
    }
}

/// Errors of the running server.
extension IdentityError {
    /// A setting has an invalid value, or does not exist.
    public static let invalidSetting = IdentityError.invalidSetting("?", "another value")

    /// Returns an ``invalidSetting`` error with the key and the expected value.
    ///
    /// It never holds the given value, which may be a secret under the wrong key.
    package static func invalidSetting(_ key: String, _ expected: String) -> IdentityError {
        IdentityError(
            code: "invalidSetting", message: "The setting '\(key)' must be \(expected).",
            hint: "See 'latch serve --print-config' for all settings and their values.")
    }

    /// Returns an ``invalidSetting`` error with the problem of the value.
    ///
    /// - Parameter problem: A sentence without its period, which quotes nothing that may be a secret.
    package static func unusableSetting(_ key: String, _ problem: String) -> IdentityError {
        invalidSetting.with(message: "The setting '\(key)' cannot be used: \(problem).", hint: invalidSetting.hint)
    }

    /// A program of the operator, which decides about the request, has not answered.
    package static let hookUnavailable = IdentityError(
        code: "hookUnavailable", message: "A program that decides about this request did not answer.",
        hint: "Try again in a moment.", retryAfter: .seconds(5), form: .temporarilyUnavailable)

    /// The configuration has no such hook, or the hook is not told of events.
    package static let noSuchHook = IdentityError(
        code: "noSuchHook", message: "There is no such hook.",
        hint: "Hooks are in the server's configuration; only those on events can be replayed.", form: .notFound)

    /// Returns the error of a hook's failed call, for the log.
    ///
    /// - Parameter reason: A sentence without its full stop, which holds nothing that the program has sent.
    package static func hookFailed(_ name: String, _ reason: String) -> IdentityError {
        IdentityError(
            code: "hookFailed", message: "The hook '\(name)' cannot be used: \(reason).",
            hint: "Check the program and the setting hooks; 'latch admin hook test' sends a request.", detail: name)
    }

    /// Returns the error for stored keys that need a store key, or another one.
    static func storeKeyNeeded(_ id: String) -> IdentityError {
        IdentityError(
            code: "storeKeyNeeded", message: "The keys in the store are encrypted with the store key \(id).",
            hint: "Set store_key_file or LATCH_STORE_KEY to that key; without it the store cannot be used.")
    }

    /// The setting `token_pepper` differs from that of the store's other servers.
    package static let anotherPepper = IdentityError(
        code: "anotherPepper", message: "The setting 'token_pepper' differs from the store's pepper.",
        hint: """
            All servers of a store need the same pepper. A server with a different pepper would end each session that \
            refreshes there. To replace a stolen pepper, or a wrong one that the store's first server had, stop the \
            servers and run 'latch admin keys accept-pepper'. It ends the sessions that began with another pepper.
            """)

    /// The setting `token_pepper` ends with a line break and the store's pepper does not, or vice versa.
    static let pepperWithLineBreak = IdentityError(
        code: "anotherPepper",
        message: "The setting 'token_pepper' differs from that of the store by a line break at its end.",
        hint: """
            A variable and a setting keep it, a credential of the service manager does not. Pass the pepper as it was passed before, \
            or with printf instead of echo.
            """)

    /// A store key is set, but the keys in the store are not encrypted.
    static let storeNotEncrypted = IdentityError(
        code: "storeNotEncrypted", message: "A store key is set, but the keys in the store are not encrypted.",
        hint: """
            If the key is new, encrypt them once, without it in the settings: latch admin keys reseal --new-key-file FILE. \
            If it is not, somebody has replaced the keys: restore a backup.
            """)

    /// The server has no issuer yet.
    public static let notReady = IdentityError(
        code: "notReady", message: "The server is starting: its public URL is not known yet.",
        hint: "Try again in a moment, or set 'issuer'.", retryAfter: .seconds(1), form: .temporarilyUnavailable)

    /// The server's clock is days ahead of the last time that it used, and no time server confirms it.
    ///
    /// Nothing expires by such a date: sign-ins and refreshes are refused until it is correct or an operator accepts
    /// it.
    public static let doubtfulDate = IdentityError(
        code: "doubtfulDate", message: "The server does not trust its clock.",
        hint: "Try again later. The server's operator can see why.", retryAfter: .seconds(60),
        form: .temporarilyUnavailable)

    /// Returns a ``doubtfulDate`` error for the operator, with the date and the last believed date.
    package static func doubtfulDate(_ date: Date, after last: Date) -> IdentityError {
        doubtfulDate.with(
            message:
                "The clock shows \(date.formatted(.iso8601)), and was \(last.formatted(.iso8601)) when the store was last used.",
            hint: """
                Until the clock is correct, sign-ins and refreshes are refused, and no session ends. \
                If it is correct, run: latch admin clock accept. This is not needed if a time server sets the clock.
                """)
    }

    /// More work is waiting than the server accepts.
    public static let overloaded = IdentityError(
        code: "overloaded", message: "The server is overloaded.", hint: "Try again in a moment.",
        retryAfter: .seconds(2), form: .temporarilyUnavailable)

    /// The caller canceled the request.
    package static let cancelled = IdentityError(code: "cancelled", message: "The request was canceled.")

    /// An email could not be submitted.
    public static let mailNotSent = IdentityError.mailNotSent("the mail server did not accept it")

    /// The mail server refused an email permanently (RFC 5321 §4.2.1), for example since the address does not exist.
    ///
    /// After this error from a ``Mailer``, the email is tried again in hours instead of seconds.
    public static let mailRefused = IdentityError(
        code: "mailRefused", message: "The mail server permanently refused an email.",
        hint: "If it refuses all emails, check the settings smtp_url and mail_sender.")

    /// Returns a ``mailNotSent`` error; the reason never holds an SMTP URL, which may hold a password.
    package static func mailNotSent(_ reason: String) -> IdentityError {
        let end = reason.utf8.last == UInt8(ascii: ".") ? "" : "."
        return IdentityError(
            code: "mailNotSent", message: "An email could not be sent: \(reason)\(end)",
            hint: "Check the settings mail_directory or smtp_url.")
    }

    /// The signing key does not work.
    package static let signingFailed = IdentityError(code: "signingFailed", message: "The server cannot sign tokens.")

    /// The store key does not work.
    package static let encryptionFailed = IdentityError(code: "encryptionFailed", message: "A key cannot be encrypted.")

    /// Argon2 failed, or there is not enough memory for a hash.
    package static let hashingFailed = IdentityError(
        code: "hashingFailed", message: "The server cannot check passwords now.", retryAfter: .seconds(2))

    /// The library of argon2id is not installed, which is only possible where it is not linked (macOS).
    package static func hashingUnavailable(_ error: CryptoError) -> IdentityError {
        IdentityError(code: "hashingUnavailable", message: error.message, hint: error.hint)
    }

    /// The stored TOTP secret cannot be decrypted, because the pepper has changed; recovery codes still work.
    package static let factorUnreadable = IdentityError(
        code: "factorUnreadable", message: "The secret of a second factor cannot be read.",
        hint: "Start the server with the earlier token_pepper, or remove the second factor.")

    /// The replacement for errors whose details stay inside the server.
    package static let unavailable = IdentityError(
        code: "unavailable", message: "The server cannot do this now.",
        hint: "Try again later. The server's operator can see why.", form: .temporarilyUnavailable)
}
