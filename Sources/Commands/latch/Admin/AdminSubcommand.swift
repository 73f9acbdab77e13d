// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCommand
import LatchCore
import LatchHTTP
import LatchIdentity
import LatchRPC
import PortableFoundation

/// `latch admin`: administers the accounts of a server.
enum AdminSubcommand {
    static let subcommand = Subcommand(
        name: "admin", summary: "shows and changes the accounts of a server",
        discussion: """
            Without --url it works on the store itself, as the operator of the server, who may do
            everything except remove the last administrator. With --url it calls a server as the
            account that is signed in on this device, with the permissions of that account's role.
            Each change is recorded in the store's audit log.
            """,
        examples: [
            .init(
                command: "latch admin user set-role ada@example.com super_admin --store sqlite:latch.sqlite",
                purpose: "appoint the first administrator"),
            .init(
                command: "latch admin user list --url https://id.example.com --unverified",
                purpose: "ask a server, as an administrator"),
        ],
        subcommands: [user])

    private static let user = Subcommand(
        name: "user", summary: "accounts: list, show, roles, statuses, sessions, second factors",
        examples: [.init(command: "latch admin user list", purpose: "the newest accounts of the store here")],
        subcommands: [AdminListSubcommand.subcommand, show, setRole] + AdminStatusSubcommands.all + [
            signOut, removeFactor, delete,
        ])

    private static let show = Subcommand(
        name: "show", summary: "shows an account", options: AdminCall.options, arguments: [AdminCall.who],
        examples: [.init(command: "latch admin user show ada@example.com", purpose: "her role, status and sign-ins")],
        body: { invocation, environment in
            try await AdminCall.changing(invocation, environment) { _, account in account }
        })

    private static let setRole = Subcommand(
        name: "set-role", summary: "gives an account another role",
        discussion: """
            Roles are user, moderator, admin and super_admin. Devices get the new one with their next
            renewal; what the server itself allows changes at once.
            """,
        options: AdminCall.options,
        arguments: [AdminCall.who, .init(name: "ROLE", summary: "user, moderator, admin or super_admin")],
        examples: [
            .init(command: "latch admin user set-role ada@example.com moderator", purpose: "let her keep order")
        ],
        body: { invocation, environment in
            let role = try role(invocation.arguments[1])
            return try await AdminCall.changing(invocation, environment) { administration, account in
                try await administration.setRole(role, of: account.id)
            }
        })

    private static let signOut = Subcommand(
        name: "sign-out", summary: "ends all sessions of an account", options: AdminCall.options,
        arguments: [AdminCall.who],
        examples: [.init(command: "latch admin user sign-out ada@example.com", purpose: "after a theft")],
        body: { invocation, environment in
            try await AdminCall.with(invocation, environment) { administration in
                let account = try await administration.account(invocation.arguments[0])
                let count = try await administration.endSessions(of: account.id)
                if invocation.has(AdminCall.json) {
                    environment.json(["id": .string(account.id), "ended_sessions": .integer(Int64(count))])
                } else {
                    environment.output.line(
                        "Signed \(account.email) out of \(count) session\(count == 1 ? "" : "s").".printable)
                }
            }
        })

    private static let removeFactor = Subcommand(
        name: "remove-factor", summary: "takes a second factor away, and ends all sessions",
        discussion: """
            For users who have lost their phone and recovery codes and have proved their identity in
            another way. They are informed by mail.
            """,
        options: AdminCall.options, arguments: [AdminCall.who],
        examples: [.init(command: "latch admin user remove-factor ada@example.com", purpose: "her phone is lost")],
        body: { invocation, environment in
            try await AdminCall.with(invocation, environment) { administration in
                let account = try await administration.account(invocation.arguments[0])
                let found = try await administration.removeFactor(of: account.id)
                guard found else {
                    throw CommandError.failed("\(account.email) has no second factor.", hint: "Nothing was changed.")
                }
                if invocation.has(AdminCall.json) {
                    environment.json(["id": .string(account.id), "removed": true])
                } else {
                    environment.output.line("Removed the second factor of \(account.email).".printable)
                }
            }
        })

    private static let final = Option.flag("final", "keeps nothing, and frees the address")

    private static let delete = Subcommand(
        name: "delete", summary: "deletes an account",
        discussion: """
            Without --final the account is shut and kept, and its address stays taken; 'enable' with its
            id opens it again.
            """,
        options: AdminCall.options + [final, AdminCall.reason], arguments: [AdminCall.who],
        examples: [
            .init(
                command: "latch admin user delete ada@example.com --reason \"asked for it\"",
                purpose: "shut it, and keep it for the case of an error")
        ],
        body: { invocation, environment in
            try await AdminCall.with(invocation, environment) { administration in
                let account = try await administration.account(invocation.arguments[0])
                try await administration.delete(
                    account.id, isFinal: invocation.has(final), because: invocation[AdminCall.reason] ?? "")
                if invocation.has(AdminCall.json) {
                    environment.json(["id": .string(account.id), "final": .bool(invocation.has(final))])
                } else {
                    environment.output.line("Deleted \(account.email) (\(account.id)).".printable)
                }
            }
        })

    /// Parses a role.
    ///
    /// - Throws: `CommandError.usage` with a suggestion.
    static func role(_ text: String) throws(CommandError) -> Role {
        if let role = Role(named: text) { return role }
        let names = Role.allCases.map(\.name)
        throw .usage(
            "'\(text)' is no role.",
            hint: Suggestion.sentence(for: text, among: names) { "'\($0)'" }
                + "Roles are \(names.joined(separator: ", ")).")
    }
}

/// `latch admin user enable|disable|suspend|ban`: changes the status of an account.
enum AdminStatusSubcommands {
    static let all = [
        subcommand("enable", .active, "opens an account again"),
        subcommand("disable", .disabled, "shuts an account, and ends its sessions"),
        subcommand("suspend", .suspended, "shuts an account for a while; a moderator may do it"),
        subcommand("ban", .banned, "shuts an account for what its owner did"),
    ]

    private static func subcommand(_ name: String, _ status: LatchIdentity.Account.Status, _ summary: String)
        -> Subcommand
    {
        Subcommand(
            name: name, summary: summary, options: AdminCall.options + [AdminCall.reason], arguments: [AdminCall.who],
            examples: [
                .init(command: "latch admin user \(name) ada@example.com --reason \"case 12\"", purpose: summary)
            ],
            body: { invocation, environment in
                try await AdminCall.with(invocation, environment) { administration in
                    let id = try await id(of: invocation.arguments[0], administration)
                    let account = try await administration.setStatus(
                        status, of: id, because: invocation[AdminCall.reason] ?? "")
                    AdminCall.show(account, invocation, environment)
                }
            })
    }

    /// Returns the id of an account; a deleted account is found by its id only.
    private static func id(of who: String, _ administration: any AccountAdministration) async throws -> String {
        do {
            return try await administration.account(who).id
        } catch let error as CommandError where error.message == CommandError.noAccount(who).message {
            return who
        }
    }
}

/// The common options, target and output of the subcommands of `latch admin`.
enum AdminCall {
    /// The option that selects a server by its issuer; without it a store is opened.
    static let url = Option.value("url", "URL", "the server, with an administrator's session on this device")
    static let json = Option.flag("json", "one JSON object, for a script")
    static let reason = Option.value("reason", "TEXT", "why, for the audit log")
    static let who = Subcommand.Argument(name: "WHO", summary: "an address, a username or an id")

    /// The options of all subcommands.
    static let options = [ServeSubcommand.store, ServeSubcommand.config, url, ClientAccounts.account, json]

    /// Runs `body` with the store or server that the call selects.
    static func with(
        _ invocation: Invocation, _ environment: Environment, _ body: (any AccountAdministration) async throws -> Void
    ) async throws -> ExitCode {
        if invocation.has(url) || invocation.has(ClientAccounts.account) {
            guard !invocation.has(ServeSubcommand.store), !invocation.has(ServeSubcommand.config) else {
                throw CommandError.usage("A server and a store exclude each other.", hint: "Name one of them.")
            }
            try await atServer(invocation, environment, body)
        } else {
            let settings = try SettingsLoader(invocation, variables: environment.variables).load()
            try await LocalAccountAdministration.with(settings) { try await body($0) }
        }
        return .success
    }

    /// Runs a change and prints the changed account.
    static func changing(
        _ invocation: Invocation, _ environment: Environment,
        _ body: (any AccountAdministration, AdministeredAccount) async throws -> AdministeredAccount
    ) async throws -> ExitCode {
        try await with(invocation, environment) { administration in
            let account = try await body(administration, try await administration.account(invocation.arguments[0]))
            show(account, invocation, environment)
        }
    }

    static func show(_ account: AdministeredAccount, _ invocation: Invocation, _ environment: Environment) {
        if invocation.has(json) {
            environment.json(.object(account.facts))
        } else {
            environment.output.write(account.text(now: Date()))
        }
    }

    /// Runs `body` with the session of the selected account, or of the only one at that server.
    private static func atServer(
        _ invocation: Invocation, _ environment: Environment, _ body: (any AccountAdministration) async throws -> Void
    ) async throws {
        let accounts = try ClientAccounts(environment)
        var entry = try await accounts.chosen(invocation)
        if let text = invocation[url] {
            let issuer = try IssuerURL(text).text
            if entry.issuer != issuer {
                let others = try await accounts.list.content().entries.filter { $0.issuer == issuer }
                guard !invocation.has(ClientAccounts.account), let only = others.first, others.count == 1 else {
                    throw CommandError.failed(
                        others.isEmpty
                            ? "No account is signed in at \(issuer)." : "Several accounts are signed in at \(issuer).",
                        hint: others.isEmpty
                            ? "Sign in as an administrator: latch login --issuer \(issuer)" : "Name one by --account.")
                }
                entry = only
            }
        }
        let name = entry.name
        try await accounts.with(entry) { [entry] session in
            do {
                try await body(try RemoteAccountAdministration(IssuerURL(entry.issuer), session))
            } catch let error as RPCError where error.status == .permissionDenied {
                // The server's own error code, more precise than the status of the call.
                let isStale = error.metadata["latch-code"] == IdentityError.signInAgain.code
                throw CommandError.failed(
                    isStale
                        ? "This needs a sign-in of the last minutes." : "'\(name)' may not do that at \(entry.issuer).",
                    hint: isStale
                        ? "Sign in again: latch login --account \(name)"
                        : "It takes a higher role than that account has.")
            }
        }
    }
}
