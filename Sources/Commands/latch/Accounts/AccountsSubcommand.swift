// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCommand
import LatchCore
import LatchOAuth

/// `latch accounts`: lists and manages the accounts of this device.
enum AccountsSubcommand {
    private static let name = Subcommand.Argument(name: "NAME", summary: "an account of the list")

    static let subcommand = Subcommand(
        name: "accounts", summary: "lists and manages the accounts of this device",
        discussion: """
            Each account has an independent session. Commands use the current account, which has a star,
            unless they name another one.
            """,
        options: [.json("a JSON array of the accounts")],
        examples: [
            "latch accounts": "which accounts there are",
            "latch accounts use ada@example.com": "switch to another account",
        ],
        subcommands: [list, use, rename, remove], body: show)

    private static let list = Subcommand(
        name: "list", summary: "lists the accounts, as 'latch accounts' does",
        options: [.json("a JSON array of the accounts")],
        examples: ["latch accounts list": "which accounts there are"], body: show)

    private static let show: Subcommand.Body = { invocation, environment in
        let accounts = try ClientAccounts(invocation, environment).list
        let content = try await accounts.content()
        if content.entries.isEmpty, !invocation.wantsJSON {
            environment.error.line("There are no accounts on this device.")
            environment.error.line("hint: Sign in: latch login --issuer URL")
            return .success
        }
        var (rows, objects): ([[ListText.Cell]], [JSONValue]) = ([], [])
        for entry in content.entries {
            let isCurrent = entry.id == content.currentID
            let state = try await state(of: accounts.session(for: entry.id))
            rows.append([.init((isCurrent ? "* " : "  ") + entry.name), .init(entry.issuer), .init(state)])
            var object = AccountReport.facts(of: entry)
            object["current"] = .bool(isCurrent)
            object["state"] = .string(state)
            objects.append(.object(object))
        }
        let headings = ["  account", "issuer", "state"]
        let list = ListText(headings: headings, whole: [headings[0]], rows: rows)
        environment.write((list, .array(objects)), for: invocation)
        return .success
    }

    private static let use = Subcommand(
        name: "use", summary: "makes an account the current one", arguments: [name],
        examples: ["latch accounts use ada@example.com": "switch to another account"],
        body: { invocation, environment in
            let accounts = try ClientAccounts(invocation, environment).list
            let entry = try await accounts.content().entry(called: invocation.arguments[0])
            try await accounts.use(entry.id)
            environment.output.line("\(entry.name) at \(entry.issuer) is the current account.".printable)
            return .success
        })

    private static let rename = Subcommand(
        name: "rename", summary: "gives an account another name",
        arguments: [name, .init(name: "NEW", summary: "the new name")],
        examples: ["latch accounts rename ada@example.com work": "a shorter name"],
        body: { invocation, environment in
            let accounts = try ClientAccounts(invocation, environment).list
            let entry = try await accounts.content().entry(called: invocation.arguments[0])
            let new = invocation.arguments[1]
            guard !new.isEmpty, new == new.printable else {
                throw CommandError.usage("The name is empty or not printable.", hint: "Choose another name.")
            }
            try await accounts.rename(entry.id, to: new)
            environment.output.line("\(entry.name) is now \(new).".printable)
            return .success
        })

    private static let remove = Subcommand(
        name: "remove", summary: "signs an account out and removes it from the list",
        options: [IssuerTransport.authorities], arguments: [name],
        examples: ["latch accounts remove ada@example.com": "sign out and remove an account"],
        body: { invocation, environment in
            let accounts = try ClientAccounts(invocation, environment)
            let entry = try await accounts.list.content().entry(called: invocation.arguments[0])
            // Removing the account also discards tokens that an earlier sign-out without a network could not revoke.
            var (last, isConfirmed) = try await accounts.list.removing(entry.id)
            if let last {
                do { try await accounts.revoke(last, of: entry) } catch { isConfirmed = false }
            }
            if !isConfirmed { environment.warnOfUnconfirmedRevocation() }
            environment.output.line("Removed \(entry.name).".printable)
            return .success
        })

    private static func state(of session: Session<Tokens>) async throws -> String {
        try await session.restore()
        return switch session.currentState {
        case .signedIn, .expired: "signed in"
        case .signedOut(.issuer): "ended by the issuer"
        default: "signed out"
        }
    }
}
