// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchAuth
import LatchCommand
import LatchCore
import LatchHTTP
import LatchIdentity
import LatchRPC

/// What the verbs of `latch admin` have in common: where they do it, and how they tell it.
enum AdminCall {
    /// A server by its issuer; without it a store is opened.
    static let url = Option.value("url", "URL", "the server, with an administrator's session on this device")
    static let json = Option.flag("json", "one JSON object, for a script")
    static let reason = Option.value("reason", "TEXT", "why, for the audit log")
    static let who = Verb.Operand(name: "WHO", summary: "an address, a username or an id")

    /// Of all verbs.
    static let options = [ServeVerb.store, ServeVerb.config, url, ClientAccounts.account, json]

    /// Does something at the store or the server that the call names.
    static func with(
        _ invocation: Invocation, _ shell: Shell, _ body: (any AccountOffice) async throws -> Void
    ) async throws -> ExitCode {
        if invocation.has(url) || invocation.has(ClientAccounts.account) {
            guard !invocation.has(ServeVerb.store), !invocation.has(ServeVerb.config) else {
                throw CommandError.usage("A server and a store exclude each other.", hint: "Name one of them.")
            }
            try await atServer(invocation, shell, body)
        } else {
            let settings = try SettingsSource(invocation, environment: shell.environment).read()
            try await StoreOffice.with(settings) { try await body($0) }
        }
        return .success
    }

    /// The verb's changes show the account as it is then.
    static func changing(
        _ invocation: Invocation, _ shell: Shell,
        _ body: (any AccountOffice, AdministeredAccount) async throws -> AdministeredAccount
    ) async throws -> ExitCode {
        try await with(invocation, shell) { office in
            let account = try await body(office, try await office.account(invocation.operands[0]))
            show(account, invocation, shell)
        }
    }

    static func show(_ account: AdministeredAccount, _ invocation: Invocation, _ shell: Shell) {
        if invocation.has(json) {
            shell.json(.object(account.facts))
        } else {
            shell.output.write(account.text(now: Date()))
        }
    }

    /// With the session of the account that is named, or of the one at that server.
    private static func atServer(
        _ invocation: Invocation, _ shell: Shell, _ body: (any AccountOffice) async throws -> Void
    ) async throws {
        let accounts = try ClientAccounts(shell)
        var entry = try await accounts.chosen(invocation)
        if let text = invocation[url] {
            let issuer = try IssuerURL(text).text
            if entry.issuer != issuer {
                let others = try await accounts.list.content().entries.filter { $0.issuer == issuer }
                guard !invocation.has(ClientAccounts.account), let only = others.first, others.count == 1 else {
                    throw CommandError.failed(
                        others.isEmpty
                            ? "Nobody is signed in at \(issuer)." : "Several accounts are signed in at \(issuer).",
                        hint: others.isEmpty
                            ? "Sign in as an administrator: latch login --issuer \(issuer)" : "Name one by --account.")
                }
                entry = only
            }
        }
        let name = entry.name
        try await accounts.with(entry) { [entry] session in
            do {
                try await body(try ServerOffice(IssuerURL(entry.issuer), session))
            } catch let error as RPCError where error.status == .permissionDenied {
                // The code that the server gives beside the word of the call.
                let isStale = error.metadata["latch-code"] == IdentityError.signInAgain.code
                throw CommandError.failed(
                    isStale
                        ? "This needs a sign-in of the last minutes." : "'\(name)' may not do that at \(entry.issuer).",
                    hint: isStale
                        ? "Sign in again: latch login --account \(name)"
                        : "It takes a higher role than that account has.")
            }
        }
    }
}
