// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCommand
import LatchCore
import LatchOAuth

/// `latch accounts`: lists and manages the accounts of this device.
enum AccountsSubcommand {
    private static let json = Option.flag("json", "a JSON array of the accounts")
    private static let name = Subcommand.Argument(name: "NAME", summary: "an account of the list")

    static let subcommand = Subcommand(
        name: "accounts", summary: "lists the accounts of this device, and chooses among them",
        discussion: """
            Each account has an independent session. Commands use the current account, which has a star,
            unless they name another one.
            """,
        options: [json],
        examples: [
            .init(command: "latch accounts", purpose: "which accounts there are"),
            .init(command: "latch accounts use ada@example.com", purpose: "switch to another account"),
        ],
        subcommands: [use, rename, remove],
        body: { invocation, environment in
            let accounts = try ClientAccounts(environment)
            let content = try await accounts.list.content()
            var rows: [Row] = []
            for entry in content.entries {
                rows.append(try await Row(entry, isCurrent: entry.id == content.currentID, in: accounts.list))
            }
            if invocation.has(json) {
                environment.json(.array(rows.map { .object($0.facts) }))
            } else if rows.isEmpty {
                environment.error.line("There are no accounts on this device.")
                environment.error.line("hint: Sign in: latch login --issuer URL")
            } else {
                environment.output.write(text(rows))
            }
            return .success
        })

    private static let use = Subcommand(
        name: "use", summary: "makes an account the current one", arguments: [name],
        examples: [.init(command: "latch accounts use ada@example.com", purpose: "switch to another account")],
        body: { invocation, environment in
            let accounts = try ClientAccounts(environment)
            let entry = try await accounts.list.content().entry(called: invocation.arguments[0])
            try await accounts.list.use(entry.id)
            environment.output.line("\(entry.name) at \(entry.issuer) is the current account.".printable)
            return .success
        })

    private static let rename = Subcommand(
        name: "rename", summary: "gives an account another name",
        arguments: [name, .init(name: "NEW", summary: "the new name")],
        examples: [.init(command: "latch accounts rename ada@example.com work", purpose: "a shorter name")],
        body: { invocation, environment in
            let accounts = try ClientAccounts(environment)
            let entry = try await accounts.list.content().entry(called: invocation.arguments[0])
            let new = invocation.arguments[1]
            guard !new.isEmpty, new == new.printable else {
                throw CommandError.usage("The name is empty or not printable.", hint: "Choose another name.")
            }
            try await accounts.list.rename(entry.id, to: new)
            environment.output.line("\(entry.name) is now \(new).".printable)
            return .success
        })

    private static let remove = Subcommand(
        name: "remove", summary: "signs an account out and takes it out of the list", arguments: [name],
        examples: [.init(command: "latch accounts remove ada@example.com", purpose: "forget an account")],
        body: { invocation, environment in
            let accounts = try ClientAccounts(environment)
            let entry = try await accounts.list.content().entry(called: invocation.arguments[0])
            if let last = try await accounts.list.remove(entry.id) {
                do {
                    try await ClientAccounts.endpoint(of: entry.issuer).revoke(last)
                } catch {
                    environment.warn(
                        "The issuer did not confirm the end of the session.",
                        hint: "This device has forgotten the tokens; at the issuer they end by their expiry.")
                }
            }
            environment.output.line("Removed \(entry.name).".printable)
            return .success
        })
}

extension AccountsSubcommand {
    /// A row of the list.
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

    /// Returns the list in three columns, the current account with a star.
    private static func text(_ rows: [Row]) -> String {
        let cells = rows.map {
            ($0.isCurrent ? "* " : "  ", $0.entry.name.printable, $0.entry.issuer.printable, $0.state)
        }
        let widths = (cells.map(\.1.count).max() ?? 0, cells.map(\.2.count).max() ?? 0)
        return cells.map { star, name, issuer, state in
            "\(star)\(name.padded(to: widths.0))  \(issuer.padded(to: widths.1))  \(state)\n"
        }.joined()
    }
}
