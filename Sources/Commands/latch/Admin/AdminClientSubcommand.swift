// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCommand
import LatchCore
import LatchFoundation
import LatchIdentity
import LatchIdentityAccounts
import LatchIdentityProvider
import LatchIdentityStorage

/// `latch admin client`: the OAuth clients in a store, or of a server.
enum AdminClientSubcommand {
    static let subcommand = Subcommand(
        name: "client", summary: "OAuth clients: create, list, show, update, rotate-secret, delete",
        discussion: """
            Works on the store itself, or with --url on a running server. Servers use a change of the store
            within \(seconds) seconds. Clients of the configuration, [[clients]], are changed there.
            """,
        examples: [
            "latch admin client list --store sqlite:latch.sqlite": "which apps are registered",
            "latch admin client list --url https://login.example.com": "the same, from an administrator's device",
        ],
        subcommands: [create, list, show, update, rotateSecret, delete, replaceRegistrationToken, initialToken])

    private static let seconds = StoredClients.maximumAge.components.seconds
    private static let id = Subcommand.Argument(name: "ID", summary: "the client_id")
    private static let members = Subcommand.Argument(
        name: "MEMBER", summary: "a member of [[clients]]: grants=a,b, confidential, trusted=false", isOptional: true,
        repeats: true)

    private static let create = call(
        "create", "registers a client",
        discussion: """
            Members are those of a table [[clients]], each as NAME=VALUE, with commas between the values of a
            list. A client with a secret gets one, which is shown now and never again.
            """,
        arguments: [id, members],
        examples: [
            "latch admin client create wiki confidential grants=authorization_code redirects=https://w.io/cb":
                "an app with a secret, which is shown once",
            "latch admin client create api confidential serves=https://api.example.com":
                "an API that introspects its tokens",
        ]
    ) { invocation in
        let client = try changed(
            try client(invocation.arguments[0]), by: Array(invocation.arguments.dropFirst()))
        return { clients in output(try await clients.create(client), "Registered") }
    }

    private static let list = call(
        "list", "shows the clients of the store, by their ids",
        examples: ["latch admin client list": "which apps are registered"]
    ) { _ in
        { clients in
            let found = try await clients.clients()
            let rows = found.map { client -> [ListText.Cell] in
                [
                    .init(client.string("id") ?? ""),
                    client["confidential"] == true ? "confidential" : "public",
                    .init(registrant(of: client)), client.dateCell("created_at"),
                    .init(client["redirects"]?.arrayValue?.first?.stringValue ?? ""),
                ]
            }
            return (
                ListText(
                    headings: ["id", "kind", "by", "since", "redirect"], whole: ["id"], rows: rows,
                    footer: rows.isEmpty ? "The store has no clients." : ""),
                ["clients": .array(found.map { .object($0) })]
            )
        }
    }

    private static let show = call(
        "show", "shows a client", arguments: [id], examples: ["latch admin client show wiki": "its members and secrets"]
    ) { invocation in
        let id = invocation.arguments[0]
        return { clients in output(try await clients.client(id), nil) }
    }

    private static let update = call(
        "update", "changes members of a client",
        discussion: """
            The other members stay. NAME= gives a member the value of a new client.
            """,
        arguments: [id, members],
        examples: [
            "latch admin client update wiki logout=https://wiki.example.com/bye trusted=false": "change two members"
        ]
    ) { invocation in
        let (id, parts) = (invocation.arguments[0], Array(invocation.arguments.dropFirst()))
        guard !parts.isEmpty else {
            throw CommandError.usage("Nothing is to be changed.", hint: "Name a member, as in 'trusted=false'.")
        }
        return { clients in
            let client = try changed(try read(try await clients.client(id)), by: parts)
            return output(try await clients.update(client), "Changed")
        }
    }

    private static let overlap = Option.value(
        "overlap", "SECONDS", "how long the secret before stays valid; by default a day, 0 ends it now")

    private static let rotateSecret = confirmedCall(
        "rotate-secret", "makes another secret, and keeps the one before for a day",
        options: [overlap], arguments: [id],
        examples: [
            "latch admin client rotate-secret wiki": "without an interruption",
            "latch admin client rotate-secret wiki --overlap 0": "after a theft",
        ]
    ) { invocation, confirmation in
        let id = invocation.arguments[0]
        let overlap = try number(invocation, overlap, 0...31_536_000)
        return { clients in
            if overlap == 0 {
                _ = try await clients.client(id)
                try await confirmation.agree(
                    to: "This ends the secret of the client \(id) now. The client cannot authenticate until it has the "
                        + "new one.")
            }
            return output(try await clients.rotateSecret(of: id, overlap: overlap), "Rotated the secret of")
        }
    }

    private static let delete = confirmedCall(
        "delete", "removes a client, its consents and its sessions", arguments: [id],
        examples: ["latch admin client delete wiki": "its users are signed out of it"]
    ) { invocation, confirmation in
        let id = invocation.arguments[0]
        return { clients in
            // A mistyped client is reported before the question.
            _ = try await clients.client(id)
            try await confirmation.typing(
                id, to: "delete it",
                after: "This deletes the client \(id) with its secrets and consents, and signs its users out of it. "
                    + "It cannot be undone.")
            try await clients.delete(id)
            return ("Removed the client \(id).".printable, ["id": .string(id), "removed": true])
        }
    }

    private static let uses = Option.value("uses", "N", "how many clients may register with it; 1 by default")
    private static let lifetime = Option.value("lifetime", "SECONDS", "how long it is valid; by default a day")

    private static let replaceRegistrationToken = confirmedCall(
        "replace-registration-token", "another token for its registration",
        discussion: """
            For a client that registered itself and has lost its token, or whose token was stolen (RFC 7592).
            The token before ends. The new one is shown once.
            """,
        arguments: [id],
        examples: ["latch admin client replace-registration-token rc1.mZQ2b8yfT4nVdK7cX0aLpg": "after a theft"]
    ) { invocation, confirmation in
        let id = invocation.arguments[0]
        return { clients in
            _ = try await clients.client(id)
            try await confirmation.agree(to: "This ends the registration token of the client \(id).")
            var made = try await clients.replaceRegistrationToken(of: id)
            made["id"] = .string(id)
            let token = (made.string("registration_access_token") ?? "").printable
            return ("registration_access_token: \(token)\nIt is not shown again.", .object(made))
        }
    }

    /// The group makes a token if it is called by itself.
    private static let initialToken: Subcommand = {
        var group = makeInitialToken
        group.subcommands = [listInitialTokens, revokeInitialToken]
        return group
    }()

    private static let listInitialTokens = call(
        "list", "shows the tokens that clients could register with",
        examples: ["latch admin client initial-token list": "which tokens still work"]
    ) { _ in
        { clients in
            let tokens = try await clients.initialTokens()
            let rows = tokens.map { token -> [ListText.Cell] in
                [
                    .init(token.string("id") ?? ""), .init(token["uses"]?.intValue.map { "\($0)" } ?? ""),
                    token.dateCell("created_at"), token.dateCell("expires_at"),
                ]
            }
            return (
                ListText(
                    headings: ["id", "uses", "since", "until"], whole: ["id"], rows: rows,
                    footer: rows.isEmpty ? "No client could register with a token." : ""),
                ["initial_tokens": .array(tokens.map { .object($0) })]
            )
        }
    }

    private static let revokeInitialToken = confirmedCall(
        "revoke", "ends a token; clients that have registered with it stay",
        arguments: [Subcommand.Argument(name: "ID", summary: "the id that 'list' shows")],
        examples: ["latch admin client initial-token revoke 5f1c09b7d2a86e34": "no client registers with it any more"]
    ) { invocation, confirmation in
        let id = invocation.arguments[0]
        return { clients in
            // A mistyped token is reported without a question.
            if try await clients.initialTokens().contains(where: { $0.string("id") == id }) {
                try await confirmation.agree(
                    to: "This ends the initial token \(id). No client registers with it any more.")
            }
            try await clients.revokeInitialToken(id)
            return ("The token is revoked.", ["revoked": true])
        }
    }

    private static let makeInitialToken = call(
        "initial-token", "a token to register with; list and revoke",
        discussion: """
            For the setting registration = "token" (RFC 7591). The token is shown once.
            """,
        options: [uses, lifetime],
        examples: ["latch admin client initial-token --uses 10": "ten clients may register within a day"]
    ) { invocation in
        let uses = try number(invocation, uses, InitialToken.uses) ?? 1
        let lifetime = try number(invocation, lifetime, InitialToken.lifetimes) ?? InitialToken.lifetime
        return { clients in
            let made = try await clients.makeInitialToken(uses: uses, lifetime: lifetime)
            let (token, end) = (made.string("initial_access_token") ?? "", made.dateText("expires_at") ?? "")
            return (
                "\(token.printable)\nIt is valid until \(end.printable), for \(uses.counted("client")).",
                .object(made)
            )
        }
    }

    // MARK: Parts

    private static func number(
        _ invocation: Invocation, _ option: Option, _ range: ClosedRange<Int>
    ) throws(CommandError) -> Int? {
        guard let text = invocation[option] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw CommandError.usage(
                "'--\(option.name)' is not a number from \(range.lowerBound) to \(range.upperBound).",
                hint: "'latch admin client --help' has examples.")
        }
        return number
    }

    private static func client(_ id: String) throws(CommandError) -> OAuthClient {
        do throws(OAuthClient.WordError) { return try OAuthClient(checkedID: id) } catch {
            throw CommandError.usage("'\(id)' is not a client_id: \(error.reason).".printable, hint: "Choose another.")
        }
    }

    /// Returns a client with changed members.
    private static func changed(_ client: OAuthClient, by parts: [String]) throws(CommandError) -> OAuthClient {
        var client = client
        do throws(OAuthClient.WordError) { try client.change(by: parts) } catch {
            throw CommandError.usage(
                "The client '\(client.id)' \(error.reason).", hint: "Documentation/Settings.md lists the members.")
        }
        return client
    }

    /// Reads a client of a store or a server.
    private static func read(_ members: JSONObject) throws(IdentityError) -> OAuthClient {
        var table = members
        for name in ClientService.Registered.addedMembers { table[name] = nil }
        return try OAuthClient.reading(table) { .invalidInput($0) }
    }

    private static func registrant(of client: JSONObject) -> String {
        client["registered_itself"] == true ? "registered itself" : "operator"
    }

    private static func output(_ client: JSONObject, _ verb: String?) -> AdminCall.Output {
        let id = client.string("id") ?? ""
        var text = verb.map { "\($0) \(id.printable).\n" } ?? ""
        if let secret = client.string("client_secret") {
            text += "client_secret: \(secret.printable)\nIt is not shown again.\n"
        }
        var rows = members(of: client)
        rows.append(("by", registrant(of: client)))
        rows.append(("since", client.dateText("created_at")))
        rows.append(("unused until", client.dateText("expires_at")))
        for secret in client["secrets"]?.arrayValue?.compactMap(\.objectValue) ?? [] {
            let end = secret.dateText("ends_at").map { ", until \($0)" } ?? ""
            rows.append(("secret", "since \(secret.dateText("created_at") ?? "")\(end)"))
        }
        text += AccountReport.text(id, rows.map { ($0.printable, $1?.printable) })
        return (text, .object(client))
    }

    /// Returns the members of a client that differ from those of a new one.
    private static func members(of client: JSONObject) -> [(String, String?)] {
        let others = Set(ClientService.Registered.addedMembers + ["id"])
        return client.filter { !others.contains($0.key) }.map { name, value in
            let text =
                value.stringValue ?? value.boolValue.map { $0 ? "true" : "false" }
                ?? value.arrayValue?.compactMap(\.stringValue).joined(separator: ", ")
            return (name, text)
        }
    }

    /// Creates a subcommand for the clients of a store or a server.
    private static func call(
        _ name: String, _ summary: String, discussion: String? = nil, options: [Option] = [],
        arguments: [Subcommand.Argument] = [], examples: KeyValuePairs<String, String>,
        body: @escaping @Sendable (Invocation) throws -> (ClientAdministration) async throws -> AdminCall.Output
    ) -> Subcommand {
        AdminCall.subcommand(
            name, summary, discussion: discussion, options: options, arguments: arguments, examples: examples,
            routes: routes, body: body)
    }

    /// Creates a subcommand that asks a user before it destroys something.
    private static func confirmedCall(
        _ name: String, _ summary: String, discussion: String? = nil, options: [Option] = [],
        arguments: [Subcommand.Argument] = [], examples: KeyValuePairs<String, String>,
        body:
            @escaping @Sendable (Invocation, ConfirmationPrompt) throws -> (ClientAdministration) async throws
            -> AdminCall.Output
    ) -> Subcommand {
        AdminCall.confirmedSubcommand(
            name, summary, discussion: discussion, options: options, arguments: arguments, examples: examples,
            routes: routes, body: body)
    }

    private static let routes = AdminCall.Routes { ClientAdministration(server: $0) }
}
