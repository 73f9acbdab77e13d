// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchFoundation
import LatchIdentity

/// `latch admin audit`: the audit log of a store.
enum AdminAuditSubcommand {
    static let subcommand = Subcommand(
        name: "audit", summary: "the audit log: list, verify",
        examples: ["latch admin audit verify": "check the log of the store in this folder"],
        subcommands: [list, verify])

    private static let account = Option.value("account", "WHO", "those of one account: its address, username or id")
    private static let event = Option.value("event", "NAME", "those of one event, such as login.failed")
    private static let since = Option.value("since", "TIME", "those since a date, or 30m, 24h or 7d ago")
    private static let limit = Option.value("limit", "COUNT", "at most so many entries (50)")
    private static let before = Option.value("before", "ID", "the entries before this one")

    private static let list = AdminKeysSubcommand.terminalSubcommand(
        "list", "shows entries, the newest first",
        discussion: """
            A date is 2026-11-23, in UTC, or 2026-11-23T07:00:00Z. Entries of a deleted account are found by its
            id.
            """,
        options: [account, event, since, limit, before],
        examples: [
            "latch admin audit list --event login.failed --since 24h": "the failed logins of a day",
            "latch admin audit list --limit 20 --json": "the last twenty entries, for a script",
        ]
    ) { invocation, environment in
        var query = AuditQuery(
            limit: try number(limit, invocation, in: 1...100_000).map { Int($0) } ?? 50)
        query.before = try number(before, invocation, in: 1...Int64.max)
        query.event = invocation[event]
        query.since = try invocation[since].map { text throws(CommandError) in try PastDate.parsed(text, now: Date()) }
        let who = invocation[account]
        let isOnTerminal = environment.output.isTerminal
        return { [query] identity in
            var query = query
            if let who { query.accountID = try await accountID(of: who, identity) }
            let records = try await identity.audit.records(query)
            let addresses = isOnTerminal ? try await addresses(of: records, identity) : [:]
            let rows = records.map { record -> [ListText.Cell] in
                let id = record.accountID ?? "-"
                return [
                    "\(record.id)", .init(record.at), .init(record.event),
                    .init(shown: addresses[id] ?? id, plain: id), .init(record.detail ?? ""),
                ]
            }
            return (
                ListText(
                    headings: ["id", "time", "event", "account", "detail"], whole: ["id", "event"], rows: rows,
                    footer: rows.isEmpty ? nothing(fits: query, who) : ""),
                ["entries": .array(records.map(\.administrationJSON))]
            )
        }
    }

    /// Returns the addresses of the accounts in entries; deleted accounts have none.
    private static func addresses(of records: [AuditRecord], _ identity: Identity) async throws -> [String: String] {
        var addresses: [String: String] = [:]
        for id in Set(records.compactMap(\.accountID)) {
            addresses[id] = try await identity.administration.find(id)?.account.email.text
        }
        return addresses
    }

    /// Returns the text for an empty result, with the names that the query used unchanged.
    private static func nothing(fits query: AuditQuery, _ who: String?) -> String {
        let names = [
            query.event.map { "the event '\($0)'" }, who.map { "the account '\($0)'" },
        ].compactMap(\.self)
        return "No entries\(names.isEmpty ? "" : " of " + names.joined(separator: " and ")).".printable
    }

    /// Returns the ID of an account; for a deleted account, the text of the call is its ID.
    private static func accountID(of who: String, _ identity: Identity) async throws -> String {
        if let found = try await identity.administration.find(who) { return found.account.id }
        guard !who.utf8.contains(UInt8(ascii: "@")) else { throw CommandError.noAccount(who) }
        return who
    }

    private static let verify = AdminKeysSubcommand.storeSubcommand(
        "verify", "checks that no entry was changed, removed or added",
        discussion: """
            Each entry's keyed digest covers the one before. The digest of the last entry is printed: kept
            elsewhere, it shows later whether an older copy of the whole store was put in place. Fails
            if an entry does not fit.
            """,
        examples: ["latch admin audit verify --store sqlite:latch.sqlite": "check the whole log"]
    ) { _ in
        { identity in
            switch try await identity.audit.verify() {
            case .intact(let count, let digest):
                let text = Hex.encode(digest)
                return (
                    "The audit log is intact: \(count) \(count == 1 ? "entry" : "entries"), the last with \(text).",
                    ["intact": true, "entries": .integer(Int64(count)), "digest": .string(text)]
                )
            case .damaged(let id, let reason):
                throw CommandError.failed(
                    "The audit log is damaged at entry \(id): \(reason).",
                    hint: "Keep a copy of the store as evidence, and compare it with backups.")
            }
        }
    }

    /// Parses the value of an option.
    private static func number(
        _ option: Option, _ invocation: Invocation, in range: ClosedRange<Int64>
    ) throws(CommandError) -> Int64? {
        guard let text = invocation[option] else { return nil }
        guard let number = Int64(text), range.contains(number) else {
            throw .usage(
                "--\(option.name) must be a whole number from \(range.lowerBound) to \(range.upperBound).",
                hint: "See 'latch admin audit list --help'.")
        }
        return number
    }
}
