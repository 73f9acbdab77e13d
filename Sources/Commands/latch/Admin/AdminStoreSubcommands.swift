// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchFoundation
import LatchIdentity

/// `latch admin migrate`, `copy`, `backup` and `restore`: operations on a whole store.
enum AdminStoreSubcommands {
    static let all = [migrate, copy, backup, restore]

    /// The exit code of `migrate --check` if the store needs a migration.
    private static let isDue = ExitCode(rawValue: 3)

    private static let check = Option.flag("check", "changes nothing, and exits with 3 if the store is to be migrated")

    private static let migrate = Subcommand(
        name: "migrate", summary: "migrates a store to the schema of this version",
        discussion: """
            Servers may run in the meantime: migrations add, and remove no rows. Those of an earlier version
            continue on the migrated store, without the sample routes, and do not start again. There is
            no way back but a backup.
            """,
        options: [check, ServeSubcommand.store, ServeSubcommand.config, .json("one JSON object, for a script")],
        examples: [
            "latch admin migrate --store sqlite:latch.sqlite --check": "what the first start would do"
        ],
        body: { invocation, environment in
            let location = try existing(try settings(invocation, environment).configuration.store)
            let isCheck = invocation.has(check)
            let schema = try await StartupWarning.awaitingDatabase(by: environment.warn) {
                try await isCheck
                    ? StoreAdministration.schema(of: location) : StoreAdministration.migrate(location)
            }
            let json: JSONValue = [
                "schema": .integer(Int64(isCheck ? schema.found : schema.latest)),
                "found": .integer(Int64(schema.found)), "latest": .integer(Int64(schema.latest)),
                "due": .bool(isCheck && schema.due != nil),
            ]
            environment.write(text(schema, isCheck: isCheck), orJSON: json, for: invocation)
            return isCheck && schema.due != nil ? isDue : .success
        })

    private static func text(_ schema: StoreSchema, isCheck: Bool) -> String {
        guard let due = schema.due else { return "The store has schema \(schema.found), the newest." }
        guard isCheck else { return "Migrated the store from schema \(schema.found) to \(schema.latest)." }
        let migrations =
            due.count == 1
            ? "migration \(due.lowerBound) is" : "migrations \(due.lowerBound) to \(due.upperBound) are"
        return "The store has schema \(schema.found); \(migrations) due."
    }

    private static let source = Option.value("from", "STORE", "the store to read: sqlite:PATH or postgres://…")
    private static let target = Option.value(
        "to", "STORE", "the new store: a file that does not exist, or an empty database")

    private static let copy = Subcommand(
        name: "copy", summary: "copies a store into an empty one, also into another database",
        discussion: """
            Reads the store as it is at one moment. A server may run on it, and what it writes afterwards
            is not in the copy: end it before, if the copy is to take its place. No server may have the
            target open. Sessions, passkeys and keys stay valid, and encrypted keys encrypted. The audit
            log is verified, and chained anew.
            """,
        options: [source, target, ServeSubcommand.config, .json("one JSON object, for a script")],
        examples: [
            "latch admin copy --from sqlite:latch.sqlite --to postgres://latch@db.example.com/latch":
                "move to a database that several servers share"
        ],
        body: { invocation, environment in
            let from = try existing(StoreLocation(try required(source, invocation)))
            let to = try StoreLocation(try required(target, invocation)).path
            let administration = try administration(try settings(invocation, environment), environment)
            let content = try await StartupWarning.awaitingDatabase(by: environment.warn) {
                try await administration.copy(from: from, to: to)
            }
            environment.write(content.text("Copied"), orJSON: content.json, for: invocation)
            return .success
        })

    private static let output = Option.value("output", "FILE", "the new file")
    private static let verified = Option.value("verify", "FILE", "reads a backup to its end instead of writing one")
    private static let keyFile = Option.value("key-file", "FILE", "a file with 64 hexadecimal digits")
    private static let passphrase = Option.flag("passphrase-stdin", "reads a passphrase from standard input")

    private static let backup = Subcommand(
        name: "backup", summary: "writes a store into an encrypted file, or verifies one",
        discussion: """
            Reads the store as it is at one moment, while servers run. The file holds everything that is in
            the store, for both databases. Keep its key, and the store key, somewhere else.
            """,
        options: [
            output, verified, keyFile, passphrase, ServeSubcommand.store, ServeSubcommand.config,
            .json("one JSON object, for a script"),
        ],
        examples: [
            "latch admin backup --output latch.backup --key-file backup.key": "back up the store in this folder",
            "latch admin backup --verify latch.backup --key-file backup.key": "check that the file is complete",
        ],
        body: { invocation, environment in
            guard invocation.has(output) != invocation.has(verified) else {
                throw CommandError.usage(
                    "Either '--output' or '--verify' is needed.", hint: "Write '--output FILE' for a new backup.")
            }
            guard invocation[output] != "-" else {
                throw CommandError.usage(
                    "A backup is written to a file, and not to standard output.",
                    hint: "Write '--output FILE', and copy the file, which appears complete.")
            }
            let settings = try settings(invocation, environment)
            let key = try await key(invocation, environment)
            let administration = try administration(settings, environment)
            let (content, word) =
                if let path = invocation[verified] {
                    (try await administration.verify(path, key: key), "Verified")
                } else {
                    (
                        try await StartupWarning.awaitingDatabase(by: environment.warn) {
                            try await administration.backUp(
                                try existing(settings.configuration.store), to: invocation[output] ?? "", key: key)
                        }, "Backed up"
                    )
                }
            environment.write(content.text(word), orJSON: content.json, for: invocation)
            return .success
        })

    private static let file = Option.value("from", "FILE", "the backup")

    private static let restore = Subcommand(
        name: "restore", summary: "puts a backup into an empty store",
        discussion: """
            The store is a file that does not exist, or an empty database, and no server has it open.
            Clients that have refreshed their sessions after the backup are signed out with the next refresh.
            """,
        options: [
            file, keyFile, passphrase, ServeSubcommand.store, ServeSubcommand.config,
            .json("one JSON object, for a script"),
        ],
        examples: [
            "latch admin restore --from latch.backup --key-file backup.key --store sqlite:new.sqlite":
                "into a new file"
        ],
        body: { invocation, environment in
            let path = try required(file, invocation)
            guard FileStatus(of: path)?.isFile ?? true else {
                throw CommandError.failed(
                    "'\(path)' is not a file, and a backup is read twice.", hint: "Write the backup to a file first.")
            }
            let settings = try settings(invocation, environment)
            let location = settings.configuration.store.path
            let key = try await key(invocation, environment)
            let administration = try administration(settings, environment)
            let content = try await StartupWarning.awaitingDatabase(by: environment.warn) {
                try await administration.restore(from: path, to: location, key: key)
            }
            environment.write(content.text("Restored"), orJSON: content.json, for: invocation)
            return .success
        })

    private static func settings(
        _ invocation: Invocation, _ environment: Environment
    ) throws(CommandError) -> Settings {
        try SettingsLoader(invocation, variables: environment.variables).load(forPages: false)
    }

    private static func required(_ option: Option, _ invocation: Invocation) throws(CommandError) -> String {
        guard let value = invocation[option], !value.isEmpty else {
            throw .usage("'--\(option.name)' is missing.", hint: "Write '\(option.spelling)'.")
        }
        return value
    }

    /// Returns the path or URI of a store, which must exist if it is a file: a misspelt path does not create one.
    private static func existing(_ location: StoreLocation) throws(CommandError) -> String {
        guard !location.isFile || FileManager.default.fileExists(atPath: location.path) else {
            throw .failed(
                "There is no store at '\(location.path)'.", hint: "Write 'sqlite:PATH' with the path of a store.")
        }
        return location.path
    }

    /// Returns the operations, which show their progress on a terminal.
    private static func administration(
        _ settings: Settings, _ environment: Environment
    ) throws -> StoreAdministration {
        try StoreAdministration(storeKey: try settings.identityConfigurationWithKey().storeKey) { table, rows in
            guard environment.error.isTerminal, rows > 0 else { return }
            environment.error.line("\(table): \(rows)")
        }
    }

    private static func key(_ invocation: Invocation, _ environment: Environment) async throws -> BackupKey {
        guard invocation.has(keyFile) != invocation.has(passphrase) else {
            throw CommandError.usage(
                "Either '--key-file' or '--passphrase-stdin' is needed.",
                hint: "Make a key: (umask 077; openssl rand -hex 32 > backup.key)")
        }
        guard let path = invocation[keyFile] else {
            return BackupKey(passphrase: try await SecretInput.piped("passphrase", environment))
        }
        if let exposed = StartupWarning(exposing: "backup's key", in: path) {
            environment.warn(exposed)
        }
        let text = String(decoding: try InputFile.bytes(path), as: UTF8.self).filter { !$0.isWhitespace }
        do { return try BackupKey(hex: text) } catch {
            throw CommandError.failed(
                "'\(path)' does not hold a key of 64 hexadecimal digits.",
                hint: "Give the file with the backup's key. To make one: (umask 077; openssl rand -hex 32 > backup.key)"
            )
        }
    }
}

extension StoreContent {
    /// The content as one line, and one line for each omitted table.
    fileprivate func text(_ word: String) -> String {
        let entries = log.count.counted("entry", plural: "entries")
        let digest = Hex.encode(log.digest)
        let line = "\(word) \(rows.counted("row")); the audit log is intact: \(entries), the last with \(digest)."
        return ([line] + leftOut.map { "Left out: \($0.table), a table of earlier versions (rows: \($0.rows))." })
            .joined(separator: "\n")
    }

    fileprivate var json: JSONValue {
        let numbers = { (counts: [(table: String, rows: Int)]) in
            JSONValue.object(JSONObject(counts.map { ($0.table, .integer(Int64($0.rows))) }))
        }
        return [
            "rows": .integer(Int64(rows)), "tables": numbers(counts), "left_out": numbers(leftOut),
            "audit": ["entries": .integer(Int64(log.count)), "digest": .string(Hex.encode(log.digest))],
            "verified_at": AccountReport.date(log.at),
        ]
    }
}
