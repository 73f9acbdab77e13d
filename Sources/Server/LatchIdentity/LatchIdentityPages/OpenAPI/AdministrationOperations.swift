// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchIdentityAccounts
import LatchIdentityStorage

/// The operations of administrators and their programs on accounts and on the server.
extension APIOperation {
    /// Returns an operation that needs a scope.
    static func administration(
        _ id: String, _ summary: String, for scope: AdministrationScope, query: [JSONSchema.Member] = [],
        takes content: Content? = nil, returns answer: Answer = .noContent, refuses errors: [IdentityError] = []
    ) -> APIOperation {
        APIOperation(
            id, summary, in: .administration, for: .administrator(scope), query: query,
            takes: content.map { [$0] } ?? [], returns: [answer], refuses: errors)
    }

    // MARK: Accounts

    static let listUsersOfAuthPackage = APIOperation(
        "listUsersOfAuthPackage", "Returns accounts in the order of their IDs, with AuthPackage's members.",
        in: .administration, for: .administratorInSession,
        query: [
            .optional("after", .text(), "The last ID of the page before."), .optional("limit", .integer(1...500)),
        ],
        returns: .json(
            .object([
                .required(
                    "users", .list(.object(JSONSchema.Model.account.members + [.required("status", .text())]))),
                .optional("next", .text(), "The value of 'after' for the next page."),
            ])))

    static let inviteUser = APIOperation(
        "inviteUser", "Creates an account for another person, who gets a link that sets a password.",
        in: .administration, for: .administratorInSession,
        takes: .json(.required("email", .email), .optional("name", .text()), .optional("roles", .words)),
        returns: .json(.model(.account), .created),
        refuses: [.signInWayOff, .alreadyExists, .invalidEmail, .signUpClosed])

    static let listUsers = administration(
        "listUsers", "Returns accounts, the newest first.", for: .readUsers,
        query: [
            .optional("search", .text(), "A part of an address or a name."),
            .optional("role", .choice(Role.allCases.map(\.name))),
            .optional("status", .choice(AccountStatus.allCases.map(\.rawValue))),
            .optional("verified", .flag),
            .optional("email", .text(), "The whole address of one account, in place of the others."),
            .optional("username", .text(), "The whole user name of one account, in place of the others."),
        ] + .range,
        returns: .json(
            .page(
                "users", of: .user,
                adding: [
                    .required("total", .integer()),
                    .required("total_is_minimum", .flag, "Whether there are more than 'total'."),
                ])), refuses: [.invalidEmail])

    static let createUser = administration(
        "createUser", "Creates an account: with a password, or with an invitation by email.", for: .writeUsers,
        takes: .json(
            .required("email", .email),
            .optional("password", .text(), "Without it, the owner gets a link that sets one."),
            .optional("name", .text()), .optional("roles", .words),
            .optional("email_verified", .flag, "Whether the address is known to be the owner's.")),
        returns: .created(.model(.userDetails)),
        refuses: [.signInWayOff, .alreadyExists, .invalidEmail, .weakPassword, .signUpClosed])

    static let importUsers = administration(
        "importUsers", "Imports accounts of another system, with the hashes of their passwords.", for: .writeUsers,
        takes: .json(
            .required(
                "records", .list(.open([.required("email", .email)])),
                "At most 500 accounts, each as 'latch admin user export' writes it."),
            .optional("dry_run", .flag, "Whether everything is checked and nothing is changed.")),
        returns: .json(.model(.importReport)))

    static let getUser = administration(
        "getUser", "Returns an account with the ways in which its owner signs in, and its devices.", for: .readUsers,
        returns: .json(.model(.userDetails)), refuses: [.noSuchAccount])

    static let updateUser = administration(
        "updateUser",
        "Sets the role, all role words, the status, attributes or the names; any status but active signs out the devices.",
        for: .writeUsers,
        takes: .json(
            .optional("role", .choice(Role.allCases.map(\.name)), "The administrative role; other words stay."),
            .optional("roles", .words, "All role words, those of the administrative role included."),
            .optional(
                "status", .choice(Account.Status.settable.map { AccountStatus($0, isVerified: true).rawValue })),
            .optional("attributes", .map(.any), "Values by name, of all attributes; null removes one."),
            .optional("name", .text(), "The name that apps show; the empty text removes it."),
            .optional("username", .text(), "The empty text removes it."),
            .optional("reason", .text(), "A note for the audit log.")),
        returns: .json(.model(.userDetails)), refuses: [.noSuchAccount, .lastAdministrator, .usernameTaken])

    static let updateUserEmail = administration(
        "updateUserEmail", "Replaces the address, and emails a notice to the earlier one.", for: .writeUsers,
        takes: .json(
            .required("email", .email),
            .optional(
                "email_verified", .flag,
                "Whether the address is known to be the owner's. Otherwise it gets a link, which ends passkeys, "
                    + "second factor, links and sessions."),
            .optional("reason", .text(), "A note for the audit log.")),
        returns: .json(.model(.userDetails)), refuses: [.noSuchAccount, .invalidEmail, .alreadyExists])

    static let closeUser = administration(
        "closeUser", "Closes an account: its address stays taken, and the operator can open it again.",
        for: .writeUsers, takes: reason, refuses: [.noSuchAccount, .lastAdministrator])

    static let deleteUser = administration(
        "deleteUser", "Deletes an account, which cannot be undone.", for: .writeUsers, takes: reason,
        refuses: [.noSuchAccount, .lastAdministrator])

    private static let reason = Content.json(
        .optional("reason", .text(), "A note for the audit log."), isRequired: false)

    static let unlockUser = administration(
        "unlockUser", "Ends the wait after wrong passwords and codes.", for: .writeUsers, refuses: [.noSuchAccount])

    static let mailPasswordReset = administration(
        "mailPasswordReset", "Emails the owner of an account a link that sets a new password.", for: .writeUsers,
        returns: .message, refuses: [.signInWayOff, .noSuchAccount, .accountSuspended])

    static let signOutUser = administration(
        "signOutUser", "Signs out all devices of an account.", for: .writeUsers,
        returns: .json(.object([.required("devices", .integer())])), refuses: [.noSuchAccount])

    static let signOutUserDevice = administration(
        "signOutUserDevice", "Signs out one device of an account.", for: .writeUsers,
        refuses: [.noSuchAccount, .noSuchDevice])

    static let deleteUserSecondFactor = administration(
        "deleteUserSecondFactor", "Removes the second factor, and signs out all devices.", for: .writeUsers,
        refuses: [.noSuchAccount, .noSecondFactor])

    static let deleteUserPasskeys = administration(
        "deleteUserPasskeys", "Removes all passkeys of an account, and signs out its devices.", for: .writeUsers,
        takes: reason, refuses: [.noSuchAccount, .noSuchPasskey, .lastSignIn])

    static let deleteUserPasskey = administration(
        "deleteUserPasskey", "Removes one passkey of an account, and signs out its devices.", for: .writeUsers,
        takes: reason, refuses: [.noSuchAccount, .noSuchPasskey, .lastSignIn])

    static let deleteUserLink = administration(
        "deleteUserLink", "Removes the link of an account to a provider, and signs out its devices.", for: .writeUsers,
        takes: reason, refuses: [.noSuchAccount, .notLinked, .lastSignIn])

    static let getStatistics = administration(
        "getStatistics", "Returns numbers of accounts and of sign-ups.", for: .readUsers,
        returns: .json(
            .object([
                .required("total", .integer(), "Without guests, as all others."),
                .required("guests", .integer()), .required("active", .integer()), .required("verified", .integer()),
                .required("new_today", .integer()), .required("new_this_week", .integer()),
                .required("new_this_month", .integer()),
                .required("new_by_day", .list(.integer()), "Thirty days in UTC, the last of which is today."),
            ])))

    // MARK: The server

    static let listAudit = administration(
        "listAudit", "Returns entries of the audit log, the newest first.", for: .readAudit,
        query: [
            .optional("account_id", .text()), .optional("event", .text(), "Such as login.failed."),
            .optional("since", .date),
        ] + .range, returns: .json(.page("entries", of: .auditEntry)))

    static let verifyAudit = administration(
        "verifyAudit", "Checks that the audit log was changed only by the server.", for: .readAudit,
        returns: .json(
            .object([
                .required("intact", .flag), .optional("entries", .integer()),
                .optional("digest", .text(), "The digest of the last entry, to compare with a later one."),
                .optional("damaged_at", .integer()), .optional("reason", .text()),
            ])))

    static let listMails = administration(
        "listMails", "Returns the emails that wait, those with the next attempt first.", for: .readServer,
        query: .range,
        returns: .json(
            .page(
                "mails", of: .waitingMail,
                adding: [
                    .required("total", .integer()),
                    .required("failing", .flag, "Whether the mail server accepts no emails."),
                ])))

    static let retryMails = administration(
        "retryMails", "Sends waiting emails now.", for: .writeServer)

    static let listKeys = administration(
        "listKeys", "Returns the signing keys, the latest first.", for: .readServer,
        returns: .json(.object([.required("keys", .list(.model(.signingKey)))])))

    static let rotateKeys = administration(
        "rotateKeys", "Adds a signing key, which signs after ten minutes.", for: .writeServer,
        takes: .json(
            .required("after", .text(), "The ID of the newest key, whose algorithm the new one has."),
            .optional(
                "compromised", .flag,
                "Whether the new key signs now, and the others of its algorithm end with all "
                    + "access tokens.")),
        returns: .created(.object([.required("id", .text())])), refuses: [.keyChanged])

    static let listProviders = administration(
        "listProviders", "Returns the identity providers, with the URL to register at each.", for: .readServer,
        returns: .json(.object([.required("providers", .list(.model(.provider)))])), refuses: [.notReady])

    static let testProvider = administration(
        "testProvider", "Requests the metadata and the keys of a provider, and checks the client's secret.",
        for: .writeServer,
        returns: .json(
            .object([
                .required("provider", .text()), .required("works", .flag),
                .required("part", .optional(.text()), "What does not work, such as discovery."),
                .required("problem", .optional(.text()), "The code of the reason."),
            ])), refuses: [.noSuchProvider])

    static let listSettings = administration(
        "listSettings", "Returns the settings without secrets, and the warnings of the start.", for: .readServer,
        returns: .json(
            .object([
                .required("settings", .list(.model(.setting))), .required("warnings", .list(.model(.warning))),
            ])))

    static let listHooks = administration(
        "listHooks", "Returns the hooks, with the events that wait for them.", for: .readServer,
        returns: .json(.object([.required("hooks", .list(.model(.hook)))])))

    static let testHook = administration(
        "testHook", "Sends a message of the type 'test' to a hook's program.", for: .writeServer,
        returns: .json(
            .object([
                .required("hook", .text()), .required("works", .flag),
                .required("problem", .optional(.text()), "The reason why the program has not accepted it."),
            ])), refuses: [.noSuchHook])

    static let replayHook = administration(
        "replayHook", "Tells a hook again what has happened, with the same identifiers.", for: .writeServer,
        takes: .json(
            .required("since", .date, "The time of the earliest event."),
            .optional("event", .text(), "A name, or the beginning of several with '*', such as account.*.")),
        returns: .json(.object([.required("events", .integer())])), refuses: [.noSuchHook])

    // MARK: API keys

    static let listAPIKeys = APIOperation(
        "listAPIKeys", "Returns your API keys; to a super administrator, those of all.", in: .administration,
        for: .administratorInSession, query: .range, returns: .json(.page("api_keys", of: .apiKey)))

    static let createAPIKey = APIOperation(
        "createAPIKey", "Makes an API key, which is shown once.", in: .administration, for: .administratorInSession,
        takes: .json(
            .required("name", .text(), "What the key is for."),
            .required("scopes", .list(.choice(AdministrationScope.allCases.map(\.rawValue)))),
            .optional("lifetime", .integer(APIKeyService.lifetimes), "In seconds; ninety days by default.")),
        returns: .created(.object(JSONSchema.Model.apiKey.members + [.required("api_key", .text())])),
        refuses: [.tooManyAPIKeys])

    static let deleteAPIKey = APIOperation(
        "deleteAPIKey", "Deletes an API key.", in: .administration, for: .administratorInSession, returns: .noContent,
        refuses: [.noSuchAPIKey])
}
