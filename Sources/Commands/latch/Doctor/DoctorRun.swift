// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import GeneratorCommands
import LatchAuth
import LatchCommand
import LatchCore
import LatchHTTP

/// One look at everything that the client verbs stand on.
struct DoctorRun {
    private let invocation: Invocation
    private let shell: Shell
    private let accounts: ClientAccounts

    init(_ invocation: Invocation, _ shell: Shell) throws(CommandError) {
        self.invocation = invocation
        self.shell = shell
        accounts = try ClientAccounts(shell)
    }

    /// Looks at one thing after another; each says what it found, whatever came of the others.
    func run() async throws -> ExitCode {
        let asked = try invocation[DoctorVerb.issuer].map { text throws(CommandError) in try IssuerURL(text) }
        var found = [await secretStore(), SecretFiles.look(in: shell.environment)]
        var issuers = Set(asked.map { [$0] } ?? [])
        do {
            let content = try await accounts.list.content()
            found.append(contentsOf: await list(content))
            if asked == nil { for entry in content.entries { issuers.insert(try IssuerURL(entry.issuer)) } }
        } catch {
            found.append(.wrong("accounts", error))
        }
        found += await GeneratorDoctor(environment: shell.environment, needsSwift: false).look()
        for issuer in issuers.sorted(by: { $0.text < $1.text }) { found += await IssuerCheck(issuer).look() }
        report(found)
        return found.allSatisfy(\.isFine) ? .success : .failure
    }

    /// Which store keeps the secrets, why that one, and what else was thought of.
    private func secretStore() async -> Diagnosis {
        do {
            let choice = try await SecretStoreChoice.current(service: ClientAccounts.service)
            let others = choice.considered.dropLast().map { "not \($0.kind): \($0.verdict)" }
            let state =
                choice.isRecorded ? "all processes of this person follow it" : "to be chosen at the first sign-in"
            return Diagnosis(
                subject: "secret store", isFine: true,
                lines: ["\(choice.kind) at \(choice.place)", "why: \(choice.reason); \(state)"] + others,
                facts: [
                    "store": .string(choice.kind.rawValue), "place": .string(choice.place),
                    "reason": .string(choice.reason), "recorded": .bool(choice.isRecorded),
                    "considered": .array(
                        choice.considered.map { ["store": .string($0.kind.rawValue), "verdict": .string($0.verdict)] }),
                ])
        } catch {
            return .wrong("secret store", error)
        }
    }

    /// Who is signed in, and whose tokens cannot be read.
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

    private func report(_ found: [Diagnosis]) {
        guard !invocation.has(DoctorVerb.json) else {
            return shell.json([
                "fine": .bool(found.allSatisfy(\.isFine)), "version": .string(Program.version),
                "findings": .array(found.map(\.json)),
            ])
        }
        shell.output.write(found.text)
    }
}
