// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchIdentity

/// `latch admin`: administers and checks a server's accounts, keys, audit log and store.
enum AdminSubcommand {
    static let subcommand = Subcommand(
        name: "admin", summary: "administers accounts, clients, keys, audit log and store of a server",
        discussion: """
            Without --url it works on the store itself, as the server's operator: everything is
            allowed except to remove the last administrator. With --url it calls a server as the
            account that is signed in on this device, with the permissions of that account's role, or with
            the API key of LATCH_API_KEY. Each change is recorded in the store's audit log.
            """,
        examples: [
            "latch admin user set-role ada@example.com super_admin --store sqlite:latch.sqlite":
                "appoint the first administrator",
            "latch admin user list --url https://id.example.com --unverified": "list accounts of a server",
        ],
        subcommands: [
            user, AdminClientSubcommand.subcommand, AdminDevicesSubcommand.subcommand, AdminLinksSubcommand.subcommand,
            AdminPasskeysSubcommand.subcommand, AdminProviderSubcommand.subcommand, AdminHookSubcommand.subcommand,
            AdminAPIKeySubcommand.subcommand,
            AdminKeysSubcommand.subcommand, AdminMailSubcommand.subcommand, AdminAuditSubcommand.subcommand,
            AdminClockSubcommand.subcommand, AdminFirstLinkSubcommand.subcommand,
        ] + AdminStoreSubcommands.all + [AdminDoctorSubcommand.subcommand])

    private static let user = Subcommand(
        name: "user", summary: "accounts: list, show, create, invite, roles, statuses, sign-outs, second factors",
        examples: ["latch admin user list": "the newest accounts of the store in this folder"],
        subcommands: [
            AdminListSubcommand.subcommand, show, create, invite, AdminUserChanges.rename, AdminUserChanges.setEmail,
            resetPassword, setRole, AdminUserChanges.setRoles, AdminUserChanges.setAttribute,
        ] + statuses + [
            unlock, signOut, removeFactor, delete, AdminImportSubcommand.importing, AdminImportSubcommand.export,
        ])

    private static let show = AdminCall.subcommand(
        "show", "shows an account", examples: ["latch admin user show ada@example.com": "her role, status and sign-ins"]
    ) { invocation in
        { administration in try await administration.account(invocation.arguments[0]).result }
    }

    private static let name = Option.value("name", "NAME", "the name of the user")
    private static let roles = Option.values(
        "role", "ROLE", "moderator, admin, super_admin, or a role of your apps; repeatable")

    private static let passwordStdin = Option.flag("password-stdin", "reads the password from standard input")
    private static let verified = Option.flag("verified", "the address is known to be the owner's")

    private static let create = AdminCall.subcommand(
        "create", "creates an account with a password",
        discussion: """
            Asks for the password at a terminal. Without --verified, the owner gets a link that verifies the
            address. 'latch admin user invite' lets the owner choose the password instead.
            """,
        options: [name, roles, passwordStdin, verified],
        arguments: [.init(name: "EMAIL", summary: "the user's address")],
        examples: [
            "latch admin user create ada@example.com --verified": "ask for the password",
            "latch admin user create bot@example.com --password-stdin < password": "for a script",
        ],
        routes: AdminCall.accounts,
        readingInput: { invocation, environment in
            let email = invocation.arguments[0]
            guard invocation.has(passwordStdin) || environment.input.isTerminal else {
                throw CommandError.usage(
                    "There is no terminal to prompt for the password.", hint: "Pipe it in, with '--password-stdin'.")
            }
            return { administration in
                let password: String
                if invocation.has(passwordStdin) {
                    environment.warnOfShownInput()
                    password = try await SecretInput.piped("password", environment)
                } else {
                    password = try await SecretInput.typed(
                        "password", prompt: "Password of \(email.printable): ", environment)
                }
                let account = try await administration.create(
                    email, password: password, name: invocation[name], roles: invocation.all(roles),
                    isVerified: invocation.has(verified))
                return ("Created \(account.email) (\(account.id)).".printable, account.result.json)
            }
        })

    private static let unlock = AdminCall.subcommand(
        "unlock", "ends the wait after wrong passwords and codes",
        discussion: """
            Without --url, only the wait after wrong codes ends. The wait after wrong passwords ends by itself
            within a minute.
            """,
        examples: ["latch admin user unlock ada@example.com": "after too many wrong codes"]
    ) { invocation in
        { administration in
            let account = try await administration.account(invocation.arguments[0])
            try await administration.unlock(account.id)
            return ("Unlocked \(account.email).".printable, ["id": .string(account.id), "unlocked": true])
        }
    }

    private static let invite = AdminCall.subcommand(
        "invite", "creates an account, and emails a link that sets its password",
        discussion: """
            The server sends the email. The link works once, for as long as a link that verifies an address.
            With --url you can give only roles below your own, and those of 'invitation_roles'.
            """,
        options: [name, roles], arguments: [.init(name: "EMAIL", summary: "the user's address")],
        examples: [
            "latch admin user invite ada@example.com --name \"Ada Lovelace\" --role admin": "a second administrator"
        ]
    ) { invocation in
        { administration in
            let account = try await administration.create(
                invocation.arguments[0], password: nil, name: invocation[name], roles: invocation.all(roles),
                isVerified: false)
            return ("Invited \(account.email) (\(account.id)).".printable, account.result.json)
        }
    }

    private static let resetPassword = AdminCall.subcommand(
        "reset-password", "emails the owner a link that sets a new password",
        discussion: "The current password stays valid until the owner opens the link and chooses a new one.",
        examples: ["latch admin user reset-password ada@example.com": "she has forgotten it"]
    ) { invocation in
        { administration in
            let account = try await administration.account(invocation.arguments[0])
            try await administration.mailReset(of: account.id)
            return (
                "The server emails \(account.email) a link.".printable,
                ["id": .string(account.id), "email": .string(account.email)]
            )
        }
    }

    private static let setRole = AdminCall.subcommand(
        "set-role", "gives an account another role",
        discussion: """
            Roles are user, moderator, admin and super_admin. Devices get the new one with their next
            refresh; the server's own permissions change immediately.
            """,
        arguments: [AdminCall.who, .init(name: "ROLE", summary: "user, moderator, admin or super_admin")],
        examples: ["latch admin user set-role ada@example.com moderator": "make her a moderator"]
    ) { invocation in
        let role = try role(invocation.arguments[1])
        return { administration in
            let account = try await administration.account(invocation.arguments[0])
            return try await administration.update(account.id, ["role": .string(role.name)]).result
        }
    }

    private static let signOut = AdminCall.confirmedSubcommand(
        "sign-out", "ends all sessions of an account",
        examples: ["latch admin user sign-out ada@example.com": "after a theft"]
    ) { invocation, confirmation in
        { administration in
            let account = try await administration.account(invocation.arguments[0])
            try await confirmation.agree(to: "This signs \(account.email) out on all devices.")
            let count = try await administration.endSessions(of: account.id)
            return (
                "Signed \(account.email) out of \(count) session\(count == 1 ? "" : "s").".printable,
                ["id": .string(account.id), "ended_sessions": .integer(Int64(count))]
            )
        }
    }

    private static let removeFactor = AdminCall.confirmedSubcommand(
        "remove-factor", "removes the second factor, and ends all sessions",
        discussion: """
            For users who have lost their phone and recovery codes and have proved their identity in
            another way. They are informed by email.
            """,
        examples: ["latch admin user remove-factor ada@example.com": "her phone is lost"]
    ) { invocation, confirmation in
        { administration in
            let account = try await administration.account(invocation.arguments[0])
            if account.hasSecondFactor != false {
                try await confirmation.agree(
                    to: "This removes the second factor and the recovery codes of \(account.email). The password "
                        + "is then enough, all devices are signed out, and the owner gets an email.")
            }
            guard try await administration.removeFactor(of: account.id) else {
                throw CommandError.failed("\(account.email) has no second factor.", hint: "Nothing was changed.")
            }
            return (
                "Removed the second factor of \(account.email).".printable,
                ["id": .string(account.id), "removed": true]
            )
        }
    }

    private static let final = Option.flag("final", "keeps nothing, and frees the address")

    private static let delete = AdminCall.confirmedSubcommand(
        "delete", "closes an account for good, or deletes it with --final",
        discussion: """
            Without --final the account is closed and kept, and its address stays taken; 'enable' with its
            id opens it again.
            """,
        options: [final, AdminCall.reason],
        examples: [
            "latch admin user delete ada@example.com --reason \"her own request\"":
                "close it, and keep it in case of an error"
        ]
    ) { invocation, confirmation in
        { administration in
            let account = try await administration.account(invocation.arguments[0])
            let isFinal = invocation.has(final)
            try await confirm(account, isFinal: isFinal, confirmation)
            try await administration.delete(
                account.id, isFinal: isFinal, because: invocation[AdminCall.reason] ?? "")
            return (
                (isFinal
                    ? "Deleted \(account.email) (\(account.id))."
                    : "Closed \(account.email) (\(account.id)). Its address stays taken.").printable,
                ["id": .string(account.id), "final": .bool(isFinal)]
            )
        }
    }

    private static func confirm(
        _ account: AdministeredAccount, isFinal: Bool, _ confirmation: ConfirmationPrompt
    ) async throws {
        guard isFinal else {
            return try await confirmation.agree(
                to: "This closes the account \(account.email) and signs it out on all devices. "
                    + "'latch admin user enable \(account.id)' opens it again.")
        }
        try await confirmation.typing(
            account.email, to: "delete it",
            after: "This deletes the account \(account.email) (\(account.id)) with its sessions, passkeys and links, "
                + "and frees its address. It cannot be undone.")
    }

    /// `latch admin user enable|disable|suspend|ban`: the subcommands that change the status of an account.
    private static let statuses = [
        status("enable", .active, "opens an account again"),
        status("disable", .disabled, "closes an account, and ends its sessions", asksTo: "closes the account"),
        status(
            "suspend", .suspended, "closes an account for a while; a moderator may do it",
            asksTo: "suspends the account"),
        status("ban", .banned, "closes an account for its owner's conduct", asksTo: "bans the account"),
    ]

    /// - Parameter consequence: What happens to the account, for the question; nil for a change that needs none.
    private static func status(
        _ name: String, _ status: LatchIdentity.Account.Status, _ summary: String, asksTo consequence: String? = nil
    ) -> Subcommand {
        let run = { @Sendable (invocation: Invocation, confirmation: ConfirmationPrompt?) in
            { @Sendable (administration: AccountAdministration) async throws -> AdminCall.Output in
                let who = invocation.arguments[0]
                let account = try await administration.find(who)
                if let consequence {
                    guard let account else { throw CommandError.noAccount(who) }
                    try await confirmation?.agree(
                        to: "This \(consequence) \(account.email), and signs it out on all devices. "
                            + "'latch admin user enable \(account.id)' opens it again.")
                }
                // The operator opens a deleted account, which is found only by its ID.
                return try await administration.update(
                    account?.id ?? who,
                    [
                        "status": .string(AccountStatus(status, isVerified: true).rawValue),
                        "reason": .string(invocation[AdminCall.reason] ?? ""),
                    ]
                ).result
            }
        }
        let examples: KeyValuePairs = ["latch admin user \(name) ada@example.com --reason \"case 12\"": summary]
        guard consequence != nil else {
            return AdminCall.subcommand(name, summary, options: [AdminCall.reason], examples: examples) {
                run($0, nil)
            }
        }
        return AdminCall.confirmedSubcommand(
            name, summary, options: [AdminCall.reason], examples: examples
        ) { run($0, $1) }
    }

    /// Parses a role.
    ///
    /// - Throws: `CommandError.usage` with a suggestion.
    static func role(_ text: String) throws(CommandError) -> Role {
        try Suggestion.value(named: text, among: Role.allCases, kind: "role") { $0.name }
    }
}
