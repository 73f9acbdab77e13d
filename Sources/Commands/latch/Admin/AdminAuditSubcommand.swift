// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchIdentity

/// `latch admin audit`: the audit log of a store.
enum AdminAuditSubcommand {
    static let subcommand = Subcommand(
        name: "audit", summary: "the audit log: list, verify",
        examples: ["latch admin audit verify": "check the log of the store in this folder"],
        subcommands: [list, verify])

    private static let limit = Option.value("limit", "COUNT", "at most so many entries (50)")
    private static let before = Option.value("before", "ID", "the entries before this one")

    private static let list = AdminKeysSubcommand.storeSubcommand(
        "list", "shows entries, the newest first", options: [limit, before],
        examples: ["latch admin audit list --limit 20 --json": "the last twenty entries, for a script"]
    ) { invocation in
        let limit = try number(limit, invocation, in: 1...100_000).map { Int($0) } ?? 50
        let before = try number(before, invocation, in: 1...Int64.max)
        return { identity in
            let records = try await identity.audit.records(before: before, limit: limit)
            let rows = records.map { record in
                [
                    String(record.id), AccountReport.text(record.at), record.event, record.accountID ?? "-",
                    record.detail ?? "",
                ]
            }
            let json = records.map { record -> JSONValue in
                [
                    "id": .integer(record.id), "at": AccountReport.date(record.at), "event": .string(record.event),
                    "account_id": record.accountID.map { .string($0) } ?? .null,
                    "detail": record.detail.map { .string($0) } ?? .null,
                ]
            }
            return (TextTable.text(rows), ["entries": .array(json)])
        }
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
