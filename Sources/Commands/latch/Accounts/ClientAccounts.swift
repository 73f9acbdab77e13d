// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchAuth
import LatchCommand
import LatchCore
import LatchHTTP
import LatchOAuth

/// The accounts of the person at this terminal, which all their processes share.
struct ClientAccounts: Sendable {
    /// Which account a verb is about, where it is not the current one.
    static let account = Option.value(
        "account", "NAME", letter: "a", "which account (LATCH_ACCOUNT, or the current one)")

    /// What the secrets of this command are kept under.
    static let service = "latch"

    let list: AccountList
    private let environment: [String: String]

    /// - Throws: `CommandError.failed` where LATCH_HOME is no place.
    init(_ shell: Shell) throws(CommandError) {
        // The library ignores a relative one, which would mean another home in each folder; here somebody meant it.
        if let home = shell.environment["LATCH_HOME"], !home.hasPrefix("/") {
            throw .failed("LATCH_HOME is no absolute path.", hint: "Write it from the root: LATCH_HOME=\"$PWD/latch\".")
        }
        environment = shell.environment
        list = AccountList(service: Self.service) { entry, store in
            Session(tokenEndpoint: try Self.endpoint(of: entry.issuer), store: store)
        }
    }

    /// Where an issuer exchanges grants for tokens, and takes them back.
    static func endpoint(of issuer: String) throws(CommandError) -> TokenEndpoint {
        TokenEndpoint(provider: .latchwork(at: try IssuerURL(issuer).url), timeout: .seconds(60))
    }

    /// The account that the call is about.
    ///
    /// - Throws: `CommandError.failed` where there is none, or none of that name.
    func chosen(_ invocation: Invocation) async throws -> AccountEntry {
        let content = try await list.content()
        if let name = invocation[Self.account] ?? environment["LATCH_ACCOUNT"] {
            return try content.entry(called: name)
        }
        if let current = content.current { return current }
        guard content.entries.isEmpty else {
            throw CommandError.failed("No account is the current one.", hint: "Choose one: latch accounts use NAME")
        }
        throw CommandError.failed("Nobody is signed in.", hint: "Sign in: latch login --issuer URL")
    }

    /// Runs `body` with the account's session, and tells its end in words that lead on from here.
    func with<Result>(_ entry: AccountEntry, _ body: (Session<Tokens>) async throws -> Result) async throws -> Result {
        let session = try await list.session(for: entry.id)
        let hint = "Sign in again: latch login --account \(entry.name)"
        do {
            return try await body(session)
        } catch AuthError.missingToken {
            throw CommandError.failed("'\(entry.name)' is signed out.", hint: hint)
        } catch AuthError.reauthenticationRequired {
            throw CommandError.failed("The issuer has ended the session of '\(entry.name)'.", hint: hint)
        }
    }
}

extension AccountList.Content {
    /// The account of that name, or the only one that signs in with it.
    ///
    /// - Throws: `CommandError.failed`, with what may have been meant.
    func entry(called name: String) throws(CommandError) -> AccountEntry {
        if let entry = entry(named: name) { return entry }
        let others = entries.filter { $0.username == name }
        if others.count == 1, let only = others.first { return only }
        let suggestion = Suggestion.sentence(for: name, among: entries.map(\.name)) { "'\($0)'" }
        throw .failed("There is no account '\(name)'.", hint: suggestion + "'latch accounts' lists them.")
    }
}
