// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchIdentity

/// `latch admin`: accounts of others.
enum AdminVerb {
    static let verb = Verb(
        name: "admin", summary: "shows and changes the accounts of a server",
        discussion: """
            Without --url it works on the store itself, as whoever runs the server: it may do
            everything but leave nobody who administers. With --url it asks a server, as the
            account that is signed in on this device, and may do what that account's role allows.
            Each change is noted in the store's audit log.
            """,
        examples: [
            .init(
                command: "latch admin user set-role ada@example.com super_admin --store sqlite:latch.sqlite",
                purpose: "appoint the first administrator"),
            .init(
                command: "latch admin user list --url https://id.example.com --unverified",
                purpose: "ask a server, as an administrator"),
        ],
        verbs: [user])

    private static let user = Verb(
        name: "user", summary: "accounts: list, show, roles, statuses, sessions, second factors",
        examples: [.init(command: "latch admin user list", purpose: "the newest accounts of the store here")],
        verbs: [AdminListVerb.verb, show, setRole] + AdminStatusVerbs.all + [signOut, removeFactor, delete])

    private static let show = Verb(
        name: "show", summary: "shows an account", options: AdminCall.options, operands: [AdminCall.who],
        examples: [.init(command: "latch admin user show ada@example.com", purpose: "her role, status and sign-ins")],
        body: { invocation, shell in
            try await AdminCall.changing(invocation, shell) { _, account in account }
        })

    private static let setRole = Verb(
        name: "set-role", summary: "gives an account another role",
        discussion: """
            Roles are user, moderator, admin and super_admin. Devices get the new one with their next
            renewal; what the server itself allows changes at once.
            """,
        options: AdminCall.options,
        operands: [AdminCall.who, .init(name: "ROLE", summary: "user, moderator, admin or super_admin")],
        examples: [
            .init(command: "latch admin user set-role ada@example.com moderator", purpose: "let her keep order")
        ],
        body: { invocation, shell in
            let role = try role(invocation.operands[1])
            return try await AdminCall.changing(invocation, shell) { office, account in
                try await office.setRole(role, of: account.id)
            }
        })

    private static let signOut = Verb(
        name: "sign-out", summary: "ends all sessions of an account", options: AdminCall.options,
        operands: [AdminCall.who],
        examples: [.init(command: "latch admin user sign-out ada@example.com", purpose: "after a theft")],
        body: { invocation, shell in
            try await AdminCall.with(invocation, shell) { office in
                let account = try await office.account(invocation.operands[0])
                let count = try await office.endSessions(of: account.id)
                if invocation.has(AdminCall.json) {
                    shell.json(["id": .string(account.id), "ended_sessions": .integer(Int64(count))])
                } else {
                    shell.output.line(
                        "Signed \(account.email) out of \(count) session\(count == 1 ? "" : "s").".printable)
                }
            }
        })

    private static let removeFactor = Verb(
        name: "remove-factor", summary: "takes a second factor away, and ends all sessions",
        discussion: """
            For somebody whose phone and recovery codes are lost, and who has shown otherwise who they
            are. They get a mail about it.
            """,
        options: AdminCall.options, operands: [AdminCall.who],
        examples: [.init(command: "latch admin user remove-factor ada@example.com", purpose: "her phone is lost")],
        body: { invocation, shell in
            try await AdminCall.with(invocation, shell) { office in
                let account = try await office.account(invocation.operands[0])
                let found = try await office.removeFactor(of: account.id)
                guard found else {
                    throw CommandError.failed("\(account.email) has no second factor.", hint: "Nothing was changed.")
                }
                if invocation.has(AdminCall.json) {
                    shell.json(["id": .string(account.id), "removed": true])
                } else {
                    shell.output.line("Removed the second factor of \(account.email).".printable)
                }
            }
        })

    private static let final = Option.flag("final", "keeps nothing, and frees the address")

    private static let delete = Verb(
        name: "delete", summary: "deletes an account",
        discussion: """
            Without --final the account is shut and kept, and its address stays taken; 'enable' with its
            id opens it again.
            """,
        options: AdminCall.options + [final, AdminCall.reason], operands: [AdminCall.who],
        examples: [
            .init(
                command: "latch admin user delete ada@example.com --reason \"asked for it\"",
                purpose: "shut it, and keep it for the case of an error")
        ],
        body: { invocation, shell in
            try await AdminCall.with(invocation, shell) { office in
                let account = try await office.account(invocation.operands[0])
                try await office.delete(
                    account.id, isFinal: invocation.has(final), because: invocation[AdminCall.reason] ?? "")
                if invocation.has(AdminCall.json) {
                    shell.json(["id": .string(account.id), "final": .bool(invocation.has(final))])
                } else {
                    shell.output.line("Deleted \(account.email) (\(account.id)).".printable)
                }
            }
        })

    /// - Throws: `CommandError.usage`, with what may have been meant.
    static func role(_ text: String) throws(CommandError) -> Role {
        if let role = Role(named: text) { return role }
        let names = Role.allCases.map(\.name)
        throw .usage(
            "'\(text)' is no role.",
            hint: Suggestion.sentence(for: text, among: names) { "'\($0)'" }
                + "Roles are \(names.joined(separator: ", ")).")
    }
}
