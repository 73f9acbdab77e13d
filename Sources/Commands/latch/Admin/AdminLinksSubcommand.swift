// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchIdentity

/// `latch admin links`: the identity providers through which users sign in to accounts of a store.
enum AdminLinksSubcommand {
    static let subcommand = Subcommand(
        name: "links", summary: "links of accounts to identity providers: list, remove",
        discussion: """
            Works on the store itself. A running server sees a change with its next request.
            """,
        examples: ["latch admin links list ada@example.com": "which providers sign her in"],
        subcommands: [list, remove])

    private static let list = AdminKeysSubcommand.storeSubcommand(
        "list", "shows the links of an account", arguments: [AdminCall.who],
        examples: ["latch admin links list ada@example.com --json": "for a script"]
    ) { invocation in
        let who = invocation.arguments[0]
        return { identity in
            let account = try await account(who, identity)
            let links = try await identity.administration.links(of: account.id)
            let rows = links.map { link -> [ListText.Cell] in
                [
                    .init(link.identity.provider), .init(link.identity.email?.text), .init(link.identity.subject),
                    .init(link.identity.issuer), .init(link.linkedAt, after: "since"),
                ]
            }
            let hasPassword = account.passwordHash != nil
            let list = ListText(
                headings: ["provider", "address", "subject", "issuer", "linked"], whole: ["provider"],
                rows: rows,
                footer: links.isEmpty ? "\(account.email.text) has no links.".printable : "")
            return (
                list,
                [
                    "id": .string(account.id), "has_password": .bool(hasPassword),
                    "links": .array(links.map(\.administrationJSON)),
                ]
            )
        }
    }

    private static let remove = AdminKeysSubcommand.confirmedSubcommand(
        "remove", "removes a link, and ends all sessions",
        discussion: """
            For a link that its owner did not make, or cannot remove. The owner is informed by email. It may
            be the last way to sign in: the owner then sets a password through 'Forgot your password?'.
            """,
        options: [AdminCall.reason],
        arguments: [AdminCall.who, .init(name: "PROVIDER", summary: "a name that 'list' shows")],
        examples: ["latch admin links remove ada@example.com google --reason \"case 12\"": "she did not make it"]
    ) { invocation, confirmation in
        let (who, provider) = (invocation.arguments[0], invocation.arguments[1])
        let reason = invocation[AdminCall.reason] ?? ""
        return { identity in
            let account = try await account(who, identity)
            // A mistyped provider is reported without a question.
            let links = try await identity.administration.links(of: account.id)
            if links.contains(where: { $0.identity.provider == provider }) {
                let note =
                    links.count == 1 && account.passwordHash == nil
                    ? " It is the last way to sign in: a password can then be set by email." : ""
                try await confirmation.agree(
                    to: "This removes the link of \(account.email.text) to \(provider), and signs the account out "
                        + "on all devices. The owner gets an email.\(note)")
            }
            let isRemoved = try await identity.administration.removeLink(to: provider, of: account.id, because: reason)
            guard isRemoved == true else {
                throw CommandError.failed(
                    "\(account.email.text) has no link to '\(provider)'.",
                    hint: "'latch admin links list \(account.email.text)' shows the links.")
            }
            let isLast = try await identity.administration.links(of: account.id).isEmpty && account.passwordHash == nil
            let note = isLast ? " It was the last way to sign in: a password can be set by email." : ""
            return (
                "Removed the link of \(account.email.text) to \(provider).\(note)".printable,
                [
                    "id": .string(account.id), "provider": .string(provider), "removed": true,
                    "was_last": .bool(isLast),
                ]
            )
        }
    }

    static func account(_ who: String, _ identity: Identity) async throws -> LatchIdentity.Account {
        guard let found = try await identity.administration.find(who) else { throw CommandError.noAccount(who) }
        return found.account
    }
}
