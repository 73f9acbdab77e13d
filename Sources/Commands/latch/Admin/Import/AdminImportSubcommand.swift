// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchIdentity
import LatchIdentityPages

/// `latch admin user import` and `export`: the accounts of other systems, with the hashes of their passwords.
enum AdminImportSubcommand {
    private static let from = Option.value(
        "from", "SYSTEM", ImportSource.all.map(\.name).joined(separator: ", ") + " (latchwork)")
    private static let with = Option.value(
        "with", "FILE",
        "the second file of "
            + ImportSource.all.filter { $0.secondFileKey != nil }.map(\.name).joined(separator: ", "))
    private static let hashConfig = Option.value("hash-config", "FILE", "the hash parameters of firebase")
    private static let dryRun = Option.flag("dry-run", "checks everything and changes nothing")
    private static let skipLinks = Option.flag("skip-links", "leaves out links to identity providers")
    private static let skipFactors = Option.flag("skip-factors", "leaves out second factors that cannot be imported")
    private static let skipHashes = Option.flag("skip-hashes", "leaves out password hashes that cannot be imported")
    private static let prefix = Option.value("prefix", "TEXT", "a text before each identifier of the other system")
    private static let verified = Option.flag("verified", "all addresses are known to be the owners'")

    static let importing = AdminCall.subcommand(
        "import", "imports accounts of another system, with the hashes of their passwords",
        discussion: """
            Users sign in with their passwords. The first sign-in replaces the hash by argon2id. No email is
            sent. A record that cannot be imported is reported, and the others are imported. The same file
            can be imported again, after a stop or with corrections: an account whose 'foreign_id' is in the
            store stays as it is. FILE is JSON lines, JSON or CSV; - is the standard input.
            Documentation/Moving.md says how each system makes its file.
            """,
        options: [from, with, hashConfig, dryRun, skipLinks, skipFactors, skipHashes, prefix, verified],
        arguments: [.init(name: "FILE", summary: "the export of the other system")],
        examples: [
            "latch admin user import users.json --from keycloak --dry-run": "what would be imported",
            "latch admin user import users.jsonl --from auth0 --with hashes.jsonl": "users, with their passwords",
            "latch admin user import users.csv --url https://id.example.com": "through a server",
        ],
        routes: AdminCall.server,
        readingInput: { invocation, environment in
            let source = try Suggestion.value(
                named: invocation[from] ?? "latchwork", among: ImportSource.all, kind: "system", name: \.name)
            guard invocation[with] == nil || source.secondFileKey != nil else {
                throw CommandError.usage("'\(source.name)' has no second file.", hint: "Leave out --with.")
            }
            guard source.name != "better-auth" || invocation[with] != nil else {
                throw CommandError.usage(
                    "The passwords of better-auth are in its table account.", hint: "Name it: --with FILE")
            }
            guard invocation[hashConfig] == nil || source.name == "firebase" else {
                throw CommandError.usage("'\(source.name)' has no hash parameters.", hint: "Leave out --hash-config.")
            }
            let configuration = try invocation[hashConfig].map { path throws(CommandError) in
                try FirebaseHashConfiguration(String(decoding: try InputFile.bytes(path), as: UTF8.self))
            }
            return { server in
                var context = ImportSource.Context(
                    hashConfiguration: configuration, now: Date(), skipsFactors: invocation.has(skipFactors),
                    skipsHashes: invocation.has(skipHashes))
                if let path = invocation[with], let key = source.secondFileKey {
                    context.secondFile = try await objects(of: path, by: key, source, environment)
                }
                let options = ImportRun.Options(
                    isDryRun: invocation.has(dryRun), skipsLinks: invocation.has(skipLinks),
                    isVerified: invocation.has(verified), prefix: invocation[prefix] ?? "")
                var run = ImportRun(
                    server: server, source: source, context: context, options: options, environment: environment)
                return try await run.insert(invocation.arguments[0])
            }
        })

    private static func objects(
        of path: String, by key: (JSONObject) -> String?, _ source: ImportSource, _ environment: Environment
    ) async throws -> [String: [JSONObject]] {
        var file = try await RecordFile(path, list: source.listMembers, environment)
        var objects: [String: [JSONObject]] = [:]
        while let entry = try await file.next() {
            let object = try entry.record.get()
            if let id = key(object) { objects[id, default: []].append(object) }
        }
        return objects
    }

    static let export = AdminCall.subcommand(
        "export", "writes all accounts of a store to a file, as 'import' reads them",
        discussion: """
            One JSON object in a line. The file contains the hashes of passwords and the secrets of
            authenticator apps: only its owner can read it. Recovery codes, sessions, consents and deleted
            accounts are not in it. It works on a store only, since a server never sends hashes.
            """,
        arguments: [.init(name: "FILE", summary: "a new file")],
        examples: ["latch admin user export users.jsonl --store sqlite:latch.sqlite": "all accounts"],
        routes: AdminCall.server
    ) { invocation in
        { server in
            guard server.isStore else {
                throw CommandError.usage(
                    "A server does not export the hashes of passwords.", hint: "Name its store: --store LOCATION")
            }
            let file = try newFile(invocation.arguments[0])
            var count = 0
            var position: String?
            repeat {
                var query = [("limit", "\(UserTransferRoutes.maximumRecords)")]
                if let position { query.append(("after", position)) }
                let page = try await server.call(.get, "api/admin/users/export", query: query)
                let records = page["records"]?.arrayValue ?? []
                try file.write(records.flatMap { $0.serialized() + [0x0A] })
                count += records.count
                position = page["next"]?.stringValue
            } while position != nil
            try file.publish()
            return (
                "Exported \(count.counted("account")) to \(invocation.arguments[0]).".printable,
                ["exported": .integer(Int64(count)), "file": .string(invocation.arguments[0])]
            )
        }
    }
}

extension AdminImportSubcommand {
    private static func newFile(_ path: String) throws(CommandError) -> NewFile {
        do { return try NewFile(path) } catch {
            throw .failed(
                error.isExisting ? "'\(path)' is there already." : "'\(path)' cannot be written: \(error)",
                hint: "Choose another name, in a folder that this user may write to.")
        }
    }
}
