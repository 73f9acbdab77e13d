// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore

/// `latch admin passkeys`: the passkeys of accounts.
enum AdminPasskeysSubcommand {
    static let subcommand = Subcommand(
        name: "passkeys", summary: "passkeys of accounts: list, remove",
        discussion: """
            Works on the store itself, or with --url on a running server. A server sees a change of its store
            with its next request.
            """,
        examples: ["latch admin passkeys list ada@example.com": "which passkeys sign her in"],
        subcommands: [list, remove])

    private static let list = AdminCall.subcommand(
        "list", "shows the passkeys of an account",
        examples: ["latch admin passkeys list ada@example.com --json": "for a script"]
    ) { invocation in
        { administration in
            let account = try await administration.account(invocation.arguments[0])
            let passkeys = account.list("passkeys")
            let rows = passkeys.map { passkey -> [ListText.Cell] in
                let isUsed = passkey.string("last_used_at") != nil
                return [
                    .init(passkey.string("id")), .init(passkey.string("name")),
                    passkey.dateCell("created_at", after: "since"),
                    isUsed
                        ? passkey.dateCell("last_used_at", after: "used") : .init(shown: "never", plain: "never used"),
                ]
            }
            let list = ListText(
                headings: ["id", "name", "created", "used"], whole: ["id"], rows: rows,
                footer: passkeys.isEmpty ? "\(account.email) has no passkeys.".printable : "")
            return (list, ["id": .string(account.id), "passkeys": .array(passkeys.map { .object($0) })])
        }
    }

    private static let remove = AdminCall.confirmedSubcommand(
        "remove", "removes a passkey of an account, or all, and ends all sessions",
        discussion: """
            For passkeys that their owner did not make, or cannot remove. The owner is informed by email. They
            may be the last way to sign in: the owner then sets a password through 'Forgot your password?'.
            """,
        options: [AdminCall.reason],
        arguments: [
            AdminCall.who,
            .init(name: "ID", summary: "an id that 'list' shows; without it all", isOptional: true, isIdentifier: true),
        ],
        examples: [
            "latch admin passkeys remove ada@example.com --reason \"case 12\"": "she made none of them",
            "latch admin passkeys remove ada@example.com lR5a0VxN2kyGm1Qb7cZtWg": "the one on her old phone",
        ]
    ) { invocation, confirmation in
        let id = invocation.arguments.dropFirst().first
        return { administration in
            let account = try await administration.account(invocation.arguments[0])
            let passkeys = account.list("passkeys")
            let chosen = passkeys.filter { id == nil || $0.string("id") == id }
            // A mistyped ID is reported without a question.
            if !chosen.isEmpty {
                let words =
                    chosen.count > 1
                    ? "all \(chosen.count) passkeys" : "the passkey '\(chosen.first?.string("name") ?? "")'"
                try await confirmation.agree(
                    to: "This removes \(words) of \(account.email), and signs the account out on all devices. "
                        + "The owner gets an email.")
            }
            let reason = invocation[AdminCall.reason] ?? ""
            guard try await administration.removePasskeys(id, of: account.id, because: reason) else {
                throw CommandError.failed(
                    (id.map { "\(account.email) has no passkey '\($0)'." } ?? "\(account.email) has no passkeys.")
                        .printable,
                    hint: "'latch admin passkeys list \(account.email)' shows them.".printable)
            }
            var json: JSONObject = ["id": .string(account.id), "removed": true]
            json["passkey"] = id.map { .string($0) }
            let words = id == nil ? "the passkeys" : "the passkey '\(chosen.first?.string("name") ?? "")'"
            return ("Removed \(words) of \(account.email).".printable, .object(json))
        }
    }
}
