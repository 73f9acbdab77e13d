// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore

/// `latch admin links`: the identity providers through which users sign in to their accounts.
enum AdminLinksSubcommand {
    static let subcommand = Subcommand(
        name: "links", summary: "links of accounts to identity providers: list, remove",
        discussion: """
            Works on the store itself, or with --url on a running server. A server sees a change of its store
            with its next request.
            """,
        examples: ["latch admin links list ada@example.com": "which providers sign her in"],
        subcommands: [list, remove])

    private static let list = AdminCall.subcommand(
        "list", "shows the links of an account",
        examples: ["latch admin links list ada@example.com --json": "for a script"]
    ) { invocation in
        { administration in
            let account = try await administration.account(invocation.arguments[0])
            let links = account.list("links")
            let rows = links.map { link -> [ListText.Cell] in
                [
                    .init(link.string("provider")), .init(link.string("email")), .init(link.string("subject")),
                    .init(link.string("issuer")), link.dateCell("linked_at", after: "since"),
                ]
            }
            let list = ListText(
                headings: ["provider", "address", "subject", "issuer", "linked"], whole: ["provider"],
                rows: rows, footer: links.isEmpty ? "\(account.email) has no links.".printable : "")
            return (
                list,
                [
                    "id": .string(account.id), "has_password": .bool(account.hasPassword),
                    "links": .array(links.map { .object($0) }),
                ]
            )
        }
    }

    private static let remove = AdminCall.confirmedSubcommand(
        "remove", "removes a link, and ends all sessions",
        discussion: """
            For a link that its owner did not make, or cannot remove. The owner is informed by email. It may
            be the last way to sign in: the owner then sets a password through 'Forgot your password?'.
            """,
        options: [AdminCall.reason],
        arguments: [AdminCall.who, .init(name: "PROVIDER", summary: "a name that 'list' shows")],
        examples: ["latch admin links remove ada@example.com google --reason \"case 12\"": "she did not make it"]
    ) { invocation, confirmation in
        let provider = invocation.arguments[1]
        return { administration in
            let account = try await administration.account(invocation.arguments[0])
            let providers = account.list("links").map { $0.string("provider") }
            let isLast = providers == [provider] && !account.hasPassword
            // A mistyped provider is reported without a question.
            if providers.contains(provider) {
                let note = isLast ? " It is the last way to sign in: a password can then be set by email." : ""
                try await confirmation.agree(
                    to: "This removes the link of \(account.email) to \(provider), and signs the account out "
                        + "on all devices. The owner gets an email.\(note)")
            }
            let reason = invocation[AdminCall.reason] ?? ""
            guard try await administration.removeLink(to: provider, of: account.id, because: reason) else {
                throw CommandError.failed(
                    "\(account.email) has no link to '\(provider)'.".printable,
                    hint: "'latch admin links list \(account.email)' shows the links.".printable)
            }
            let note = isLast ? " It was the last way to sign in: a password can be set by email." : ""
            return (
                "Removed the link of \(account.email) to \(provider).\(note)".printable,
                [
                    "id": .string(account.id), "provider": .string(provider), "removed": true,
                    "was_last": .bool(isLast),
                ]
            )
        }
    }
}
