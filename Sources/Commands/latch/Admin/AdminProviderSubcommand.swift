// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchHTTP
import LatchIdentity
import LatchIdentityProvider

/// `latch admin provider`: the identity providers that users may sign in through.
enum AdminProviderSubcommand {
    static let subcommand = Subcommand(
        name: "provider", summary: "identity providers: list, test",
        discussion: "Providers are in the configuration, which the server reads when it starts.",
        examples: ["latch admin provider list --config latch.toml": "the URLs to register at the providers"],
        subcommands: [list, test])

    /// The providers of a configuration or of a server, as JSON with the members of the routes.
    protocol Administration: Sendable {
        func list() async throws -> [JSONObject]
        /// Requests the metadata and the keys of a provider, and checks the client and its secret.
        func test(_ name: String) async throws -> JSONObject
    }

    private static let list = AdminCall.subcommand(
        "list", "shows the providers, with the URL to register at each", arguments: [],
        examples: ["latch admin provider list --url https://id.example.com": "those of a running server"], ways: ways
    ) { _ in
        { providers in
            let found = try await providers.list()
            let rows = found.map { provider in
                ["name", "display_name", "callback_url"].map {
                    ListText.Cell(stringLiteral: provider[$0]?.stringValue ?? "")
                }
            }
            return (
                ListText(
                    headings: ["name", "shown as", "callback"], whole: ["name", "callback"], rows: rows,
                    footer: rows.isEmpty ? "The configuration has no providers." : ""),
                ["providers": .array(found.map { .object($0) })]
            )
        }
    }

    private static let test = AdminCall.subcommand(
        "test", "checks the metadata, the keys and the client's secret of a provider",
        arguments: [.init(name: "NAME", summary: "a name that 'list' shows")],
        examples: ["latch admin provider test google --config latch.toml": "before users try it"], ways: ways
    ) { invocation in
        let name = invocation.arguments[0]
        return { providers in
            let result = try await providers.test(name)
            guard result["works"] == true else {
                let part = result["part"]?.stringValue ?? "an unknown part"
                throw CommandError.failed(
                    "'\(name)' does not work: \(part) (\(result["problem"]?.stringValue ?? "")).".printable,
                    hint: "'latch admin doctor --config FILE' on the server says more.")
            }
            return ("'\(name)' has metadata and keys, and knows this client.".printable, .object(result))
        }
    }

    private static let ways = AdminCall.Ways<any Administration>(local: Local.init, remote: Remote.init)

    /// The providers of the configuration.
    private struct Local: Administration {
        let identity: Identity

        func list() async throws -> [JSONObject] {
            let issuer = identity.issuer
            return identity.upstreams.all.map { client in
                var json: JSONObject = [
                    "name": .string(client.provider.name), "display_name": .string(client.provider.displayName),
                ]
                json["callback_url"] = issuer.map {
                    .string(UpstreamSignInService.callback($0, client.provider))
                }
                return json
            }
        }

        func test(_ name: String) async throws -> JSONObject {
            guard let client = identity.upstreams[name] else {
                throw CommandError.failed(
                    "There is no provider '\(name)'.".printable, hint: "'latch admin provider list' shows them.")
            }
            return await client.check(redirectURI: identity.issuer).json
        }
    }

    /// The providers of a running server.
    private struct Remote: Administration {
        let server: AdministeredServer

        func list() async throws -> [JSONObject] {
            try await server.call(.get, "api/admin/providers")["providers"]?.arrayValue?.compactMap(\.objectValue) ?? []
        }

        func test(_ name: String) async throws -> JSONObject {
            try await server.call(.post, "api/admin/providers/\(name)/test")
        }
    }
}
