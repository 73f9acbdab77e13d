// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchHTTP
import LatchIdentity
import LatchIdentityPages

/// The import of one file, in batches, and its report.
struct ImportRun {
    let server: AdministeredServer
    let source: ImportSource
    let context: ImportSource.Context
    let isDryRun: Bool
    let skipsLinks: Bool
    /// Whether each address counts as verified.
    let isVerified: Bool
    let environment: Environment

    private static let batchBytes = 512 << 10
    /// The greatest number of refusals in the text, so that a wrong file does not fill the screen.
    private static let shownRefusals = 20

    private var (imported, known, skipped) = (0, 0, 0)
    private var (withoutPassword, withoutUsername) = (0, 0)
    private var refused: [JSONObject] = []
    private var batch: [(number: Int, record: JSONObject)] = []
    private var bytes = 0
    /// The numbers of the records by what only one may have: a dry run stores none that the server could compare.
    private var numbers: [String: Int] = [:]

    init(
        server: AdministeredServer, source: ImportSource, context: ImportSource.Context, isDryRun: Bool,
        skipsLinks: Bool, isVerified: Bool, environment: Environment
    ) {
        (self.server, self.source, self.context, self.environment) = (server, source, context, environment)
        (self.isDryRun, self.skipsLinks, self.isVerified) = (isDryRun, skipsLinks, isVerified)
    }

    /// Imports the file at a path, and returns the report.
    mutating func insert(_ path: String) async throws -> AdminCall.Output {
        var file = try await RecordFile(path, list: source.listMembers, environment)
        while let entry = try await file.next() {
            var record: JSONObject?
            var pending: (number: Int, record: JSONObject, size: Int)?
            var isFull = batch.count == UserTransferRoutes.maximumRecords
            do throws(CommandError) {
                record = try source.record(try entry.record.get(), context)
                guard var accepted = record else {
                    skipped += 1
                    continue
                }
                adapt(&accepted)
                try note(accepted, entry.number)
                let size = JSONValue.object(accepted).serialized().count
                guard size < Self.batchBytes else {
                    throw CommandError.failed("The record is larger than \(Self.batchBytes >> 10) KiB.", hint: nil)
                }
                if bytes + size > Self.batchBytes { isFull = true }
                pending = (entry.number, accepted, size)
            } catch {
                refuse(entry.number, record, error.message, error.hint)
            }
            if isFull { try await send() }
            guard let pending else { continue }
            batch.append((pending.number, pending.record))
            bytes += pending.size
        }
        try await send()
        return report
    }

    /// Applies the options, and leaves out a name of another system that no account here can have.
    private mutating func adapt(_ record: inout JSONObject) {
        if skipsLinks { record["links"] = nil }
        if isVerified { record["email_verified"] = true }
        if source.name != ImportSource.latchwork.name, let name = record["username"]?.stringValue,
            (try? Username(choosing: name)) == nil
        {
            record["username"] = nil
            withoutUsername += 1
        }
        if record["password_hash"]?.stringValue?.isEmpty ?? true { withoutPassword += 1 }
    }

    /// Notes what only one record may have.
    private mutating func note(_ record: JSONObject, _ number: Int) throws(CommandError) {
        guard isDryRun else { return }
        let values = ["email", "username", "foreign_id"].compactMap { member in
            record[member]?.stringValue.map { (member: member, key: "\(member) \($0.lowercasedASCII())") }
        }
        for value in values {
            guard let earlier = numbers[value.key] else { continue }
            throw .failed("'\(value.member)' is the same as in record \(earlier).", hint: nil)
        }
        for value in values { numbers[value.key] = number }
    }

    private mutating func send() async throws {
        guard !batch.isEmpty else { return }
        let sent = batch
        (batch, bytes) = ([], 0)
        let found: JSONObject
        do {
            found = try await server.call(
                .post, "api/admin/users/import",
                ["records": .array(sent.map { .object($0.record) }), "dry_run": .bool(isDryRun)])
        } catch {
            if !isDryRun {
                environment.error.line(
                    "latch: \(imported.counted("account")) imported so far. The same command continues.")
            }
            throw error
        }
        imported += found["imported"]?.intValue ?? 0
        known += found["known"]?.intValue ?? 0
        for refusal in found["refused"]?.arrayValue ?? [] {
            guard let index = refusal["record"]?.intValue, sent.indices.contains(index - 1) else { continue }
            let (number, record) = sent[index - 1]
            refuse(number, record, refusal["message"]?.stringValue ?? "", refusal["hint"]?.stringValue)
        }
    }

    private mutating func refuse(_ number: Int, _ record: JSONObject?, _ message: String, _ hint: String?) {
        var json: JSONObject = ["record": .integer(Int64(number)), "message": .string(message)]
        json["hint"] = hint.map { .string($0) }
        for member in ["email", "foreign_id"] { json[member] = record?[member]?.stringValue.map { .string($0) } }
        refused.append(json)
    }

    private var report: AdminCall.Output {
        let refused = refused.sorted { ($0["record"]?.intValue ?? 0) < ($1["record"]?.intValue ?? 0) }
        var lines = [
            "\(isDryRun ? "Would import" : "Imported") \(imported.counted("account")); \(known) already in the store, "
                + "\(refused.count) refused."
        ]
        let notes = [
            (withoutPassword, "without a password: give --with or --hash-config if the system has them"),
            (withoutUsername, "without its user name, which is not possible here"),
            (skipped, "skipped: not an account"),
        ]
        lines += notes.filter { $0.0 > 0 }.map { "\($0.0.counted("record")) \($0.1)." }
        for refusal in refused.prefix(Self.shownRefusals) {
            let who = (refusal["email"] ?? refusal["foreign_id"])?.stringValue.map { " (\($0))" } ?? ""
            let hint = refusal["hint"]?.stringValue.map { " \($0)" } ?? ""
            lines.append(
                "record \(refusal["record"]?.intValue ?? 0)\(who): \(refusal["message"]?.stringValue ?? "")\(hint)")
        }
        if refused.count > Self.shownRefusals {
            lines.append("\(refused.count - Self.shownRefusals) more are refused: --json shows all.")
        }
        return (
            lines.map(\.printable).joined(separator: "\n"),
            [
                "imported": .integer(Int64(imported)), "known": .integer(Int64(known)),
                "skipped": .integer(Int64(skipped)), "without_password": .integer(Int64(withoutPassword)),
                "without_username": .integer(Int64(withoutUsername)),
                "refused": .array(refused.map { .object($0) }), "dry_run": .bool(isDryRun),
            ]
        )
    }
}
