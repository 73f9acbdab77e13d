// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchIdentity
import LatchJOSE

/// `latch admin passkeys`: the passkeys of the accounts of a store.
enum AdminPasskeysSubcommand {
    static let subcommand = Subcommand(
        name: "passkeys", summary: "passkeys of accounts: list, remove",
        discussion: """
            Works on the store itself. A running server sees a change with its next request.
            """,
        examples: ["latch admin passkeys list ada@example.com": "which passkeys sign her in"],
        subcommands: [list, remove])

    private static let list = AdminKeysSubcommand.storeSubcommand(
        "list", "shows the passkeys of an account", arguments: [AdminCall.who],
        examples: ["latch admin passkeys list ada@example.com --json": "for a script"]
    ) { invocation in
        let who = invocation.arguments[0]
        return { identity in
            let account = try await AdminLinksSubcommand.account(who, identity)
            let passkeys = try await identity.administration.passkeys(of: account.id)
            let rows = passkeys.map { passkey -> [ListText.Cell] in
                [
                    .init(passkey.name), .init(passkey.createdAt, after: "since"),
                    passkey.lastUsedAt.map { .init($0, after: "used") } ?? .init(shown: "never", plain: "never used"),
                ]
            }
            let list = ListText(
                headings: ["name", "created", "used"], rows: rows,
                footer: passkeys.isEmpty ? "\(account.email.text) has no passkeys.".printable : "")
            return (list, ["id": .string(account.id), "passkeys": .array(passkeys.map(\.administrationJSON))])
        }
    }

    private static let remove = AdminKeysSubcommand.confirmedSubcommand(
        "remove", "removes all passkeys of an account, and ends all sessions",
        discussion: """
            For passkeys that their owner did not make, or cannot remove. The owner is informed by email. They
            may be the last way to sign in: the owner then sets a password through 'Forgot your password?'.
            """,
        options: [AdminCall.reason], arguments: [AdminCall.who],
        examples: ["latch admin passkeys remove ada@example.com --reason \"case 12\"": "she did not make it"]
    ) { invocation, confirmation in
        let who = invocation.arguments[0]
        let reason = invocation[AdminCall.reason] ?? ""
        return { identity in
            let account = try await AdminLinksSubcommand.account(who, identity)
            let count = try await identity.administration.passkeys(of: account.id).count
            if count > 0 {
                let passkeys = count == 1 ? "the passkey" : "all \(count) passkeys"
                try await confirmation.agree(
                    to: "This removes \(passkeys) of \(account.email.text), and signs the account out on all devices. "
                        + "The owner gets an email.")
            }
            guard try await identity.administration.removePasskeys(of: account.id, because: reason) == true else {
                throw CommandError.failed(
                    "\(account.email.text) has no passkeys.",
                    hint: "'latch admin passkeys list \(account.email.text)' shows them.")
            }
            return (
                "Removed the passkeys of \(account.email.text).".printable,
                ["id": .string(account.id), "removed": true]
            )
        }
    }
}
