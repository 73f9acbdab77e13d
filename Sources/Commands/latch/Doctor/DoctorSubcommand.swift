// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCommand
import LatchCore
import LatchFoundation
import LatchGeneratorCommands
import LatchHTTP

/// `latch doctor`: checks all dependencies of the client subcommands.
enum DoctorSubcommand {
    fileprivate static let issuer = Option.value("issuer", "URL", "the issuer to check (those of the accounts)")

    static let subcommand = Subcommand(
        name: "doctor", summary: "checks the secret store, the accounts, their issuers and the tools",
        discussion: """
            It changes nothing. Exit 1 if a check fails: the secret store, the modes of its files, the
            accounts, the connections to their issuers, this machine's clock, the folder for temporary
            files, the Swift compiler that checks generated code. 'latch admin doctor' checks a server.
            """,
        options: [issuer, IssuerTransport.authorities, .json("one JSON object with all findings")],
        examples: [
            "latch doctor": "show the environment of a sign-in",
            "latch doctor --issuer https://id.example.com --json": "check an issuer too, for a script",
        ],
        body: { invocation, environment in
            let accounts = try ClientAccounts(invocation, environment)
            return try await Doctor(invocation: invocation, environment: environment, accounts: accounts).run()
        })
}

/// One run of all checks.
private struct Doctor {
    let invocation: Invocation
    let environment: Environment
    let accounts: ClientAccounts

    /// Runs all checks, even after one has failed.
    func run() async throws -> ExitCode {
        let requested = try invocation[DoctorSubcommand.issuer].map { text throws(CommandError) in try IssuerURL(text) }
        var found = [await secretStore(), SecretFiles.check(in: environment.variables)]
        var issuers = Set(requested.map { [$0] } ?? [])
        do {
            let content = try await accounts.list.content()
            found.append(contentsOf: await list(content))
            if requested == nil { for entry in content.entries { issuers.insert(try IssuerURL(entry.issuer)) } }
        } catch {
            found.append(.wrong("accounts", error))
        }
        found += await GeneratorDoctor(environment: environment.variables, needsSwift: false).diagnose()
        for issuer in issuers.sorted(by: { $0.text < $1.text }) {
            found += await IssuerCheck(issuer: issuer, transport: accounts.transport).run()
        }
        environment.write(
            found.text(environment.style(of: environment.output)),
            orJSON: [
                "fine": .bool(found.allSatisfy(\.isFine)), "version": .string(Program.version),
                "findings": .array(found.map(\.json)),
            ], for: invocation)
        return found.allSatisfy(\.isFine) ? .success : .failure
    }

    /// Reports the secret store, the reason for its choice and the alternatives.
    private func secretStore() async -> Diagnosis {
        do {
            let choice = try await SecretStoreChoice.current(service: ClientAccounts.service)
            let others = choice.candidates.dropLast().map { "not \($0.kind): \($0.explanation)" }
            let state =
                choice.isRecorded ? "all processes of this user follow it" : "to be chosen at the first sign-in"
            return Diagnosis(
                subject: "secret store", isFine: true,
                lines: ["\(choice.kind) at \(choice.location)", "why: \(choice.reason); \(state)"] + others,
                facts: [
                    "store": .string(choice.kind.rawValue), "place": .string(choice.location),
                    "reason": .string(choice.reason), "recorded": .bool(choice.isRecorded),
                    "considered": .array(
                        choice.candidates.map {
                            ["store": .string($0.kind.rawValue), "verdict": .string($0.explanation)]
                        }),
                ])
        } catch {
            return .wrong("secret store", error)
        }
    }

    /// Reports the accounts and their sessions.
    private func list(_ content: AccountList.Content) async -> [Diagnosis] {
        let facts: JSONObject = ["count": .integer(Int64(content.entries.count))]
        guard !content.entries.isEmpty else { return [.fine("accounts", "none; sign in: latch login", facts: facts)] }
        var lines: [String] = []
        for entry in content.entries {
            do {
                let session = try await accounts.list.session(for: entry.id)
                try await session.restore()
                let state = session.currentState.isSignedIn ? "signed in" : "signed out"
                let mark = entry.id == content.currentID ? ", current" : ""
                lines.append("\(entry.name) at \(entry.issuer): \(state)\(mark)")
            } catch {
                return [.wrong("accounts", error)]
            }
        }
        return [Diagnosis(subject: "accounts", isFine: true, lines: lines, facts: facts)]
    }
}

/// A check of the account files, which only their owner may read.
private enum SecretFiles {
    /// Checks the folder and every file of this command in it.
    static func check(in environment: [String: String]) -> Diagnosis {
        let folder = secretsFolder(in: environment)
        let facts: JSONObject = ["folder": .string(folder)]
        guard FileManager.default.fileExists(atPath: folder) else {
            return .fine("files", "none yet; they will be in \(folder)", facts: facts)
        }
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
                .filter { $0.hasPrefix(ClientAccounts.service + ".") }
            let open = ([folder] + names.map { "\(folder)/\($0)" })
                .compactMap { path in FileStatus(of: path).map { (path, $0) } }
                .filter { $0.1.permissions & 0o077 != 0 }
            guard open.isEmpty else {
                let modes = open.prefix(5).map { "\($0.0) has mode \($0.1.mode)" }
                return Diagnosis(
                    subject: "files", isFine: false, lines: ["Other users can access these files."] + modes,
                    hint: "chmod -R go= '\(folder)'", facts: facts)
            }
            return .fine("files", "\(names.count) in \(folder), readable only by this user", facts: facts)
        } catch {
            return .wrong("files", error)
        }
    }
}

extension FileStatus {
    /// The octal digits of the permissions, such as `640`.
    var mode: String { String(permissions, radix: 8) }
}
