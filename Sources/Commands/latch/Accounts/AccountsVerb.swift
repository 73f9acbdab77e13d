// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCommand
import LatchCore
import LatchOAuth

/// `latch accounts`: the accounts of this device.
enum AccountsVerb {
    private static let json = Option.flag("json", "a JSON array of the accounts")
    private static let name = Verb.Operand(name: "NAME", summary: "an account of the list")

    static let verb = Verb(
        name: "accounts", summary: "lists the accounts of this device, and chooses among them",
        discussion: """
            Each account has a session of its own: what happens to one touches no other. The current
            one, with the star, is meant where no account is named.
            """,
        options: [json],
        examples: [
            .init(command: "latch accounts", purpose: "which accounts there are"),
            .init(command: "latch accounts use ada@example.com", purpose: "act as somebody else from now on"),
        ],
        verbs: [use, rename, remove],
        body: { invocation, shell in
            let accounts = try ClientAccounts(shell)
            let content = try await accounts.list.content()
            var rows: [Row] = []
            for entry in content.entries {
                rows.append(try await Row(entry, isCurrent: entry.id == content.currentID, in: accounts.list))
            }
            if invocation.has(json) {
                shell.json(.array(rows.map { .object($0.facts) }))
            } else if rows.isEmpty {
                shell.error.line("There are no accounts on this device.")
                shell.error.line("hint: Sign in: latch login --issuer URL")
            } else {
                shell.output.write(text(rows))
            }
            return .success
        })

    private static let use = Verb(
        name: "use", summary: "makes an account the current one", operands: [name],
        examples: [.init(command: "latch accounts use ada@example.com", purpose: "act as somebody else from now on")],
        body: { invocation, shell in
            let accounts = try ClientAccounts(shell)
            let entry = try await accounts.list.content().entry(called: invocation.operands[0])
            try await accounts.list.use(entry.id)
            shell.output.line("\(entry.name) at \(entry.issuer) is the current account.".printable)
            return .success
        })

    private static let rename = Verb(
        name: "rename", summary: "gives an account another name",
        operands: [name, .init(name: "NEW", summary: "what it is to be called")],
        examples: [.init(command: "latch accounts rename ada@example.com work", purpose: "a shorter name")],
        body: { invocation, shell in
            let accounts = try ClientAccounts(shell)
            let entry = try await accounts.list.content().entry(called: invocation.operands[0])
            let new = invocation.operands[1]
            guard !new.isEmpty, new == new.printable else {
                throw CommandError.usage("That is no name for an account.", hint: "Write one that can be printed.")
            }
            try await accounts.list.rename(entry.id, to: new)
            shell.output.line("\(entry.name) is now \(new).".printable)
            return .success
        })

    private static let remove = Verb(
        name: "remove", summary: "signs an account out and takes it out of the list", operands: [name],
        examples: [.init(command: "latch accounts remove ada@example.com", purpose: "forget an account")],
        body: { invocation, shell in
            let accounts = try ClientAccounts(shell)
            let entry = try await accounts.list.content().entry(called: invocation.operands[0])
            if let last = try await accounts.list.remove(entry.id) {
                do {
                    try await ClientAccounts.endpoint(of: entry.issuer).revoke(last)
                } catch {
                    shell.warn(
                        "The issuer did not confirm the end of the session.",
                        hint: "This device has forgotten the tokens; at the issuer they end by their expiry.")
                }
            }
            shell.output.line("Removed \(entry.name).".printable)
            return .success
        })
}

extension AccountsVerb {
    /// An account as the list shows it.
    private struct Row {
        let entry: AccountEntry
        let isCurrent: Bool
        let state: String

        init(_ entry: AccountEntry, isCurrent: Bool, in list: AccountList) async throws {
            self.entry = entry
            self.isCurrent = isCurrent
            let session = try await list.session(for: entry.id)
            try await session.restore()
            state =
                switch session.currentState {
                case .signedIn, .expired: "signed in"
                case .signedOut(.issuer): "ended by the issuer"
                default: "signed out"
                }
        }

        var facts: JSONObject {
            var object = AccountReport.facts(of: entry)
            object["current"] = .bool(isCurrent)
            object["state"] = .string(state)
            return object
        }
    }

    /// Three columns, the current account with a star.
    private static func text(_ rows: [Row]) -> String {
        let cells = rows.map {
            ($0.isCurrent ? "* " : "  ", $0.entry.name.printable, $0.entry.issuer.printable, $0.state)
        }
        let widths = (cells.map(\.1.count).max() ?? 0, cells.map(\.2.count).max() ?? 0)
        return cells.map { star, name, issuer, state in
            star + padded(name, widths.0) + "  " + padded(issuer, widths.1) + "  " + state + "\n"
        }.joined()
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: width - text.count)
    }
}
