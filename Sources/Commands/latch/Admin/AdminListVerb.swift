// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchIdentity

/// `latch admin user list`: the newest accounts, or those that something is looked for in.
enum AdminListVerb {
    private static let search = Option.value("search", "TEXT", "looked for in addresses, usernames and names")
    private static let role = Option.value("role", "ROLE", "of this role alone")
    private static let status = Option.value("status", "STATUS", "of this status alone")
    private static let verified = Option.flag("verified", "whose address is verified")
    private static let unverified = Option.flag("unverified", "whose address is not verified")
    private static let limit = Option.value("limit", "N", "how many at most (50)")

    static let verb = Verb(
        name: "list", summary: "lists accounts, the newest first",
        discussion: """
            A search of one or two letters looks where an address, a username or a word of a name
            begins, a longer one anywhere in them. Statuses are active, inactive, suspended, banned and
            pending_verification.
            """,
        options: [search, role, status, verified, unverified, limit] + AdminCall.options,
        examples: [
            .init(
                command: "latch admin user list --search example.org --limit 10", purpose: "whom that domain brought"),
            .init(command: "latch admin user list --role admin --json", purpose: "who administers, for a script"),
        ],
        body: { invocation, shell in
            let wish = try wish(invocation)
            return try await AdminCall.with(invocation, shell) { office in
                let (accounts, total, isMinimum) = try await office.list(wish)
                if invocation.has(AdminCall.json) {
                    shell.json([
                        "accounts": .array(accounts.map { .object($0.facts) }), "total": .integer(Int64(total)),
                        "total_is_minimum": .bool(isMinimum),
                    ])
                    return
                }
                shell.output.write(table(accounts))
                let all = isMinimum ? "more than \(total)" : "\(total)"
                shell.output.line("\(accounts.count) of \(all) account\(total == 1 ? "" : "s")")
            }
        })

    private static func wish(_ invocation: Invocation) throws(CommandError) -> ListWish {
        var wish = ListWish()
        wish.search = invocation[search] ?? ""
        if let text = invocation[role] { wish.role = try AdminVerb.role(text) }
        if let text = invocation[status] {
            guard let standing = Standing(rawValue: text) else {
                let names = Standing.allCases.map(\.rawValue)
                throw .usage(
                    "'\(text)' is no status.",
                    hint: Suggestion.sentence(for: text, among: names) { "'\($0)'" }
                        + "Statuses are \(names.joined(separator: ", ")).")
            }
            wish.standing = standing
        }
        guard !invocation.has(verified) || !invocation.has(unverified) else {
            throw .usage("--verified and --unverified exclude each other.", hint: "Give one of them, or neither.")
        }
        if invocation.has(verified) { wish.isVerified = true }
        if invocation.has(unverified) { wish.isVerified = false }
        if let text = invocation[limit] {
            guard let number = Int(text), (1...100_000).contains(number) else {
                throw .usage("--limit must be a whole number from 1 to 100000.", hint: "Leave it out for 50.")
            }
            wish.limit = number
        }
        return wish
    }

    /// Four columns; the last is ragged.
    private static func table(_ accounts: [AdministeredAccount]) -> String {
        let rows = accounts.map { ($0.email.printable, $0.role, $0.status, $0.id) }
        let widths = (
            rows.map(\.0.count).max() ?? 0, rows.map(\.1.count).max() ?? 0, rows.map(\.2.count).max() ?? 0
        )
        return rows.map { email, role, status, id in
            "\(padded(email, widths.0))  \(padded(role, widths.1))  \(padded(status, widths.2))  \(id)\n"
        }.joined()
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: width - text.count)
    }
}
