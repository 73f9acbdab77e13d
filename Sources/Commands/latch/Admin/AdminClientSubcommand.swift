// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCommand
import LatchCore
import LatchIdentity
import LatchIdentityAccounts
import LatchIdentityProvider
import LatchIdentityStorage

/// `latch admin client`: the OAuth clients in a store.
enum AdminClientSubcommand {
    static let subcommand = Subcommand(
        name: "client", summary: "OAuth clients in the store: create, list, show, update, rotate-secret, delete",
        discussion: """
            Works on the store itself. Running servers use a change within \(seconds) seconds. Clients of the
            configuration, [[clients]], are changed there.
            """,
        examples: [
            "latch admin client list --store sqlite:latch.sqlite": "which apps are registered"
        ],
        subcommands: [create, list, show, update, rotateSecret, delete, replaceRegistrationToken, initialToken])

    private static let seconds = StoredClients.maximumAge.components.seconds
    private static let actor = "the operator"
    private static let id = Subcommand.Argument(name: "ID", summary: "the client_id")
    private static let members = Subcommand.Argument(
        name: "MEMBER", summary: "a member of [[clients]]: grants=a,b, confidential, trusted=false", isOptional: true,
        repeats: true)

    private static let create = AdminKeysSubcommand.storeSubcommand(
        "create", "registers a client",
        discussion: """
            Members are those of a table [[clients]], each as NAME=VALUE, with commas between the values of a
            list. A client with a secret gets one, which is shown now and never again.
            """,
        arguments: [id, members],
        examples: [
            "latch admin client create wiki confidential grants=authorization_code redirects=https://w.io/cb":
                "an app with a secret, which is shown once",
            "latch admin client create api confidential": "an API that introspects tokens",
        ]
    ) { invocation in
        let client = try changed(
            try client(invocation.arguments[0]), by: Array(invocation.arguments.dropFirst()))
        return { identity in output(try await identity.clients.create(client, by: actor), "Registered") }
    }

    private static let list = AdminKeysSubcommand.storeSubcommand(
        "list", "shows the clients of the store, by their ids",
        examples: ["latch admin client list": "which apps are registered"]
    ) { _ in
        { identity in
            var clients: [ClientService.Registered] = []
            while true {
                let page = try await identity.clients.list(after: clients.last?.client.id)
                guard !page.isEmpty else { break }
                clients += page
            }
            let rows = clients.map { found in
                [
                    found.client.id, found.client.isConfidential ? "confidential" : "public",
                    found.row.isSelfRegistered ? "registered itself" : "operator",
                    AccountReport.text(found.row.createdAt), found.client.redirectURIs.first ?? "",
                ].map(\.printable)
            }
            return (
                ListText(
                    headings: ["id", "kind", "by", "since", "redirect"], rows: rows,
                    footer: rows.isEmpty ? "The store has no clients." : ""),
                ["clients": .array(clients.map { .object($0.json) })]
            )
        }
    }

    private static let show = AdminKeysSubcommand.storeSubcommand(
        "show", "shows a client", arguments: [id], examples: ["latch admin client show wiki": "its members and secrets"]
    ) { invocation in
        let id = invocation.arguments[0]
        return { identity in output(try await identity.clients.client(id), nil) }
    }

    private static let update = AdminKeysSubcommand.storeSubcommand(
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
        return { identity in
            let client = try changed(try await identity.clients.client(id).client, by: parts)
            return output(try await identity.clients.update(client, by: actor), "Changed")
        }
    }

    private static let overlap = Option.value(
        "overlap", "SECONDS", "how long the secret before stays valid; by default a day, 0 ends it now")

    private static let rotateSecret = AdminKeysSubcommand.storeSubcommand(
        "rotate-secret", "makes another secret, and keeps the one before for a day",
        options: [overlap], arguments: [id],
        examples: [
            "latch admin client rotate-secret wiki": "without an interruption",
            "latch admin client rotate-secret wiki --overlap 0": "after a theft",
        ]
    ) { invocation in
        let id = invocation.arguments[0]
        let overlap = try number(invocation, overlap, 0...31_536_000).map { Duration.seconds($0) }
        return { identity in
            output(
                try await identity.clients.rotateSecret(
                    of: id, overlap: overlap ?? ClientService.secretOverlap, by: actor), "Rotated the secret of")
        }
    }

    private static let delete = AdminKeysSubcommand.storeSubcommand(
        "delete", "removes a client, its consents and its sessions", arguments: [id],
        examples: ["latch admin client delete wiki": "its users are signed out of it"]
    ) { invocation in
        let id = invocation.arguments[0]
        return { identity in
            try await identity.clients.delete(id, by: actor)
            return ("Removed the client \(id).".printable, ["id": .string(id), "removed": true])
        }
    }

    private static let uses = Option.value("uses", "N", "how many clients may register with it; 1 by default")
    private static let lifetime = Option.value("lifetime", "SECONDS", "how long it is valid; by default a day")

    private static let replaceRegistrationToken = AdminKeysSubcommand.storeSubcommand(
        "replace-registration-token", "another token for its registration",
        discussion: """
            For a client that registered itself and has lost its token, or whose token was stolen (RFC 7592).
            The token before ends. The new one is shown once.
            """,
        arguments: [id],
        examples: ["latch admin client replace-registration-token rc1.mZQ2b8yfT4nVdK7cX0aLpg": "after a theft"]
    ) { invocation in
        let id = invocation.arguments[0]
        return { identity in
            let token = try await identity.clients.replaceRegistrationToken(of: id, by: actor)
            return (
                "registration_access_token: \(token)\nIt is not shown again.",
                ["id": .string(id), "registration_access_token": .string(token)]
            )
        }
    }

    /// The group makes a token if it is called by itself.
    private static let initialToken: Subcommand = {
        var group = makeInitialToken
        group.subcommands = [listInitialTokens, revokeInitialToken]
        return group
    }()

    private static let listInitialTokens = AdminKeysSubcommand.storeSubcommand(
        "list", "shows the tokens that clients could register with",
        examples: ["latch admin client initial-token list": "which tokens still work"]
    ) { _ in
        { identity in
            let tokens = try await identity.clients.initialTokens()
            let rows = tokens.map { token in
                [
                    token.id, "\(token.remaining)", AccountReport.text(token.createdAt),
                    AccountReport.text(token.expiresAt),
                ]
            }
            return (
                ListText(
                    headings: ["id", "uses", "since", "until"], rows: rows,
                    footer: rows.isEmpty ? "No client could register with a token." : ""),
                ["initial_tokens": .array(tokens.map { .object($0.json) })]
            )
        }
    }

    private static let revokeInitialToken = AdminKeysSubcommand.storeSubcommand(
        "revoke", "ends a token; clients that have registered with it stay",
        arguments: [Subcommand.Argument(name: "ID", summary: "the id that 'list' shows")],
        examples: ["latch admin client initial-token revoke 5f1c09b7d2a86e34": "nobody registers with it any more"]
    ) { invocation in
        let id = invocation.arguments[0]
        return { identity in
            try await identity.clients.revokeInitialToken(id, by: actor)
            return ("The token is revoked.", ["revoked": true])
        }
    }

    private static let makeInitialToken = AdminKeysSubcommand.storeSubcommand(
        "initial-token", "a token to register with; list and revoke",
        discussion: """
            For the setting registration = "token" (RFC 7591). The token is shown once.
            """,
        options: [uses, lifetime],
        examples: ["latch admin client initial-token --uses 10": "ten clients may register within a day"]
    ) { invocation in
        let uses = try number(invocation, uses, InitialToken.uses) ?? 1
        let lifetime = try number(invocation, lifetime, InitialToken.lifetimes) ?? InitialToken.lifetime
        return { identity in
            let made = try await identity.clients.makeInitialToken(
                uses: uses, lifetime: .seconds(lifetime), by: actor)
            return (
                "\(made.text)\nIt is valid until \(AccountReport.text(made.token.expiresAt)), for \(uses) clients.",
                [
                    "initial_access_token": .string(made.text), "uses": .integer(Int64(uses)),
                    "expires_at": AccountReport.date(made.token.expiresAt),
                ]
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

    private static func output(_ found: ClientService.Registered, _ verb: String?) -> AdminCall.Output {
        var text = verb.map { "\($0) \(found.client.id).\n" } ?? ""
        if let secret = found.secret { text += "client_secret: \(secret)\nIt is not shown again.\n" }
        text += AccountReport.text(
            found.client.id,
            members(of: found.client) + [
                ("by", found.row.isSelfRegistered ? "registered itself" : "operator"),
                ("since", AccountReport.text(found.row.createdAt)),
                ("unused until", found.row.expiresAt.map(AccountReport.text)),
            ]
                + found.row.secrets.map { secret in
                    (
                        "secret",
                        "since \(AccountReport.text(secret.createdAt))"
                            + (secret.endsAt.map { ", until \(AccountReport.text($0))" } ?? "")
                    )
                })
        return (text.printableLines, .object(found.json))
    }

    /// Returns the members of a client that differ from those of a new one.
    private static func members(of client: OAuthClient) -> [(String, String?)] {
        client.table.filter { $0.key != "id" }.map { name, value in
            let text =
                value.stringValue ?? value.boolValue.map { $0 ? "true" : "false" }
                ?? value.arrayValue?.compactMap(\.stringValue).joined(separator: ", ")
            return (name, text)
        }
    }
}
