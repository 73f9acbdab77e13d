// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchFoundation
import LatchHTTP

/// `latch admin audit`: the audit log of a store, or of a server.
enum AdminAuditSubcommand {
    static let subcommand = Subcommand(
        name: "audit", summary: "the audit log: list, verify",
        examples: [
            "latch admin audit verify": "check the log of the store in this folder",
            "latch admin audit list --since 24h --url https://id.example.com": "the last day of a server",
        ],
        subcommands: [list, verify])

    private static let account = Option.value("account", "WHO", "those of one account: its address, username or id")
    private static let event = Option.value("event", "NAME", "those of one event, such as login.failed")
    private static let since = Option.value("since", "TIME", "those since a date, or 30m, 24h or 7d ago")
    private static let limit = Option.value("limit", "COUNT", "at most so many entries (50)")
    private static let before = Option.value("before", "ID", "the entries before this one")

    private static let list = AdminCall.subcommand(
        "list", "shows entries, the newest first",
        discussion: """
            A date is 2026-11-23, in UTC, or 2026-11-23T07:00:00Z. Entries of a deleted account are found by its
            id.
            """,
        options: [account, event, since, limit, before], arguments: [],
        examples: [
            "latch admin audit list --event login.failed --since 24h": "the failed logins of a day",
            "latch admin audit list --limit 20 --json": "the last twenty entries, for a script",
        ], routes: routes,
        readingInput: { invocation, environment in
            let limit = try number(limit, invocation, in: 1...100_000).map { Int($0) } ?? 50
            let start = try number(before, invocation, in: 1...Int64.max).map { "\($0)" }
            var query: [(String, String)] = []
            if let event = invocation[event] { query.append(("event", event)) }
            if let text = invocation[since] {
                query.append(("since", try PastDate.parsed(text, now: Date()).formatted(.iso8601)))
            }
            let who = invocation[account]
            let isOnTerminal = environment.output.isTerminal
            return { [query] administration in
                var query = query
                if let who { query.append(("account_id", try await accountID(of: who, administration))) }
                let entries = try await administration.server.list(
                    "entries", at: "api/admin/audit", query: query, limit: limit, after: start
                ).rows
                let addresses = isOnTerminal ? await addresses(of: entries, administration) : [:]
                let rows = entries.map { entry -> [ListText.Cell] in
                    let id = entry.string("account_id") ?? "-"
                    return [
                        "\(entry["id"]?.intValue ?? 0)", entry.dateCell("at"), .init(entry.string("event")),
                        .init(shown: addresses[id] ?? id, plain: id), .init(entry.string("detail") ?? ""),
                    ]
                }
                return (
                    ListText(
                        headings: ["id", "time", "event", "account", "detail"], whole: ["id", "event"], rows: rows,
                        footer: rows.isEmpty ? nothing(of: invocation[event], who) : ""),
                    ["entries": .array(entries.map { .object($0) })]
                )
            }
        })

    /// `--account` selects entries, as it does on a store; LATCH_ACCOUNT selects the session.
    private static let routes = AdminCall.Routes(make: { AccountAdministration(server: $0) }, takesAccount: false)

    /// Returns the addresses of the accounts in entries; deleted accounts have none.
    ///
    /// A key that reads the audit log may not read accounts. Then the list has their IDs.
    private static func addresses(
        of entries: [JSONObject], _ administration: AccountAdministration
    ) async -> [String: String] {
        var addresses: [String: String] = [:]
        for id in Set(entries.compactMap { $0.string("account_id") }) {
            do { addresses[id] = try await administration.find(id)?.email } catch { break }
        }
        return addresses
    }

    /// Returns the text for an empty result, with the names that the call used unchanged.
    private static func nothing(of event: String?, _ who: String?) -> String {
        let names = [event.map { "the event '\($0)'" }, who.map { "the account '\($0)'" }].compactMap(\.self)
        return "No entries\(names.isEmpty ? "" : " of " + names.joined(separator: " and ")).".printable
    }

    /// Returns the ID of an account; for a deleted account, the text of the call is its ID.
    private static func accountID(of who: String, _ administration: AccountAdministration) async throws -> String {
        if let found = try await administration.find(who) { return found.id }
        guard !who.utf8.contains(UInt8(ascii: "@")) else { throw CommandError.noAccount(who) }
        return who
    }

    private static let verify = AdminCall.subcommand(
        "verify", "checks that no entry was changed, removed or added",
        discussion: """
            Each entry's keyed digest covers the one before. The digest of the last entry is printed: kept
            elsewhere, it shows later whether an older copy of the whole store was put in place. Fails
            if an entry does not fit.
            """,
        arguments: [],
        examples: ["latch admin audit verify --store sqlite:latch.sqlite": "check the whole log"],
        routes: AdminCall.server
    ) { _ in
        { server in
            let result = try await server.call(.get, "api/admin/audit/verification")
            guard result["intact"] == true else {
                let (id, reason) = (result["damaged_at"]?.intValue ?? 0, result.string("reason") ?? "")
                throw CommandError.failed(
                    "The audit log is damaged at entry \(id): \(reason).".printable,
                    hint: "Keep a copy of the store as evidence, and compare it with backups.")
            }
            let count = Int(result["entries"]?.intValue ?? 0)
            let text = "The audit log is intact: \(count) \(count == 1 ? "entry" : "entries"), the last with "
            return ("\(text)\(result.string("digest") ?? "").".printable, .object(result))
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
