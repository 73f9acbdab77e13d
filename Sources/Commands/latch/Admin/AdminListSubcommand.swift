// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchIdentity

/// `latch admin user list`: lists the newest accounts, or those that match a search.
enum AdminListSubcommand {
    private static let search = Option.value("search", "TEXT", "a part of an address, username or name")
    private static let role = Option.value("role", "ROLE", "only accounts of this role")
    private static let status = Option.value("status", "STATUS", "only accounts of this status")
    private static let verified = Option.flag("verified", "only accounts with a verified address")
    private static let unverified = Option.flag("unverified", "only accounts without a verified address")
    private static let limit = Option.value("limit", "N", "the maximum number of accounts (50)")

    static let subcommand = AdminCall.subcommand(
        "list", "lists accounts, the newest first",
        discussion: """
            A search of one or two letters matches the beginning of an address, a username or a word of
            a name, a longer one any part of them. Statuses are active, inactive, suspended, banned and
            pending_verification.
            """,
        options: [search, role, status, verified, unverified, limit], arguments: [],
        examples: [
            "latch admin user list --search example.org --limit 10": "accounts of a domain",
            "latch admin user list --role admin --json": "administrators, for a script",
        ]
    ) { invocation in
        let query = try query(invocation)
        return { administration in
            let (accounts, total, isMinimum) = try await administration.list(query)
            let rows = accounts.map { account in
                [account.isGuest ? "Guest" : account.email, account.role, account.status, account.id].map(
                    ListText.Cell.init(stringLiteral:))
            }
            let all = isMinimum ? "more than \(total)" : "\(total)"
            return (
                ListText(
                    headings: ["address", "role", "status", "id"], whole: ["address", "id"], rows: rows,
                    footer: "\(accounts.count) of \(all) account\(total == 1 ? "" : "s")"),
                [
                    "accounts": .array(accounts.map { .object($0.json) }), "total": .integer(Int64(total)),
                    "total_is_minimum": .bool(isMinimum),
                ]
            )
        }
    }

    private static func query(_ invocation: Invocation) throws(CommandError) -> AccountQuery {
        var query = AccountQuery()
        query.search = invocation[search] ?? ""
        if let text = invocation[role] { query.role = try AdminSubcommand.role(text) }
        if let text = invocation[status] {
            query.status = try Suggestion.value(named: text, among: AccountStatus.allCases, kind: "status") {
                $0.rawValue
            }
        }
        guard !invocation.has(verified) || !invocation.has(unverified) else {
            throw .usage("--verified and --unverified exclude each other.", hint: "Give one of them, or neither.")
        }
        if invocation.has(verified) { query.isVerified = true }
        if invocation.has(unverified) { query.isVerified = false }
        if let text = invocation[limit] {
            guard let number = Int(text), (1...100_000).contains(number) else {
                throw .usage("--limit must be a whole number from 1 to 100000.", hint: "Leave it out for 50.")
            }
            query.limit = number
        }
        return query
    }
}
