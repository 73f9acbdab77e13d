// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchHTTP
import LatchIdentity
import LatchIdentityAccounts
import LatchIdentityPages

/// The import of one file, in batches, and its report.
struct ImportRun {
    struct Options {
        var isDryRun = false
        var skipsLinks = false
        /// Whether each address counts as verified.
        var isVerified = false
        /// The text before each `foreign_id`.
        var prefix = ""
    }

    let server: AdministeredServer
    let source: ImportSource
    let context: ImportSource.Context
    let options: Options
    let environment: Environment

    private static let batchBytes = 512 << 10
    /// The greatest number of refusals in the text, so that a wrong file does not fill the screen.
    private static let shownRefusals = 20

    private var (imported, known, skipped) = (0, 0, 0)
    private var (withoutPassword, withoutHash, withoutUsername) = (0, 0, 0)
    /// The refused records whose hash cannot be imported.
    private var withForeignHash = 0
    private var refused: [JSONObject] = []
    private var batch: [(number: Int, record: JSONObject)] = []
    private var bytes = 0
    /// The numbers of the records by what only one may have: a dry run stores none that the server could compare.
    private var numbers: [String: Int] = [:]

    init(
        server: AdministeredServer, source: ImportSource, context: ImportSource.Context, options: Options,
        environment: Environment
    ) {
        (self.server, self.source, self.context, self.environment) = (server, source, context, environment)
        self.options = options
    }

    /// Imports the file at a path, and returns the report.
    mutating func insert(_ path: String) async throws -> AdminCall.Output {
        var file = try await RecordFile(path, list: source.listMembers, environment)
        while let entry = try await file.next() {
            var record: JSONObject?
            var pending: (number: Int, record: JSONObject, size: Int)?
            var isFull = batch.count == UserTransferRoutes.maximumRecords
            do throws(CommandError) {
                let object = try entry.record.get()
                // Its address is in the report if it cannot be converted.
                record = object
                guard var accepted = try source.record(object, context) else {
                    skipped += 1
                    continue
                }
                adapt(&accepted)
                record = accepted
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
        if options.skipsLinks { record["links"] = nil }
        if options.isVerified { record["email_verified"] = true }
        if let id = record["foreign_id"]?.stringValue, !id.isEmpty { record.set("foreign_id", options.prefix + id) }
        if source.name != ImportSource.latchwork.name, let name = record["username"]?.stringValue,
            (try? Username(choosing: name)) == nil
        {
            record["username"] = nil
            withoutUsername += 1
        }
        guard let hash = record.filled("password_hash") else { return withoutPassword += 1 }
        if context.skipsHashes, !ImportedPasswordHash.canImport(hash) {
            record["password_hash"] = nil
            withoutHash += 1
        }
    }

    /// Notes what only one record may have.
    private mutating func note(_ record: JSONObject, _ number: Int) throws(CommandError) {
        guard options.isDryRun else { return }
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
                ["records": .array(sent.map { .object($0.record) }), "dry_run": .bool(options.isDryRun)])
        } catch {
            if !options.isDryRun {
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
            if let hash = record.filled("password_hash"), !ImportedPasswordHash.canImport(hash) { withForeignHash += 1 }
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
            "\(options.isDryRun ? "Would import" : "Imported") \(imported.counted("account")); "
                + "\(known) already in the store, \(refused.count) refused."
        ]
        let passwordHint = context.secondFile.isEmpty ? source.passwordHint.map { ". \($0)" } ?? "." : "."
        let notes = [
            (withoutPassword, "without a password\(passwordHint)"),
            (withoutHash, "without the password, whose hash cannot be imported."),
            (withoutUsername, "without the user name, which is not possible here."),
            (skipped, "skipped: not an account."),
        ]
        lines += notes.filter { $0.0 > 0 }.map { "\($0.0.counted("record")) \($0.1)" }
        var hints: [String] = []
        for refusal in refused.prefix(Self.shownRefusals) {
            let who = (refusal["email"] ?? refusal["foreign_id"])?.stringValue.map { " (\($0))" } ?? ""
            lines.append("record \(refusal["record"]?.intValue ?? 0)\(who): \(refusal["message"]?.stringValue ?? "")")
            if let hint = refusal["hint"]?.stringValue, !hints.contains(hint) { hints.append(hint) }
        }
        if refused.count > Self.shownRefusals {
            lines.append("\(refused.count - Self.shownRefusals) more are refused: --json shows all.")
        }
        if withForeignHash > 0 { hints.append("--skip-hashes imports accounts without such a hash.") }
        lines += hints.map { "hint: \($0)" }
        return (
            lines.map(\.printable).joined(separator: "\n"),
            [
                "imported": .integer(Int64(imported)), "known": .integer(Int64(known)),
                "skipped": .integer(Int64(skipped)),
                "without_password": .integer(Int64(withoutPassword + withoutHash)),
                "without_username": .integer(Int64(withoutUsername)),
                "refused": .array(refused.map { .object($0) }), "dry_run": .bool(options.isDryRun),
            ]
        )
    }
}
