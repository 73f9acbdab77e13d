// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchHTTP

/// `latch admin provider`: the identity providers that users may sign in through.
enum AdminProviderSubcommand {
    static let subcommand = Subcommand(
        name: "provider", summary: "identity providers: list, test",
        discussion: "Providers are in the configuration, which the server reads when it starts.",
        examples: ["latch admin provider list --config latch.toml": "the URLs to register at the providers"],
        subcommands: [list, test])

    private static let list = AdminCall.subcommand(
        "list", "shows the providers, with the URL to register at each", arguments: [],
        examples: ["latch admin provider list --url https://id.example.com": "those of a running server"],
        routes: AdminCall.server
    ) { _ in
        { server in
            let found =
                try await server.call(.get, "api/admin/providers")["providers"]?.arrayValue?.compactMap(\.objectValue)
                ?? []
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
        examples: ["latch admin provider test google --config latch.toml": "before users try it"],
        routes: AdminCall.server
    ) { invocation in
        let name = invocation.arguments[0]
        return { server in
            let path: RoutePath = "api/admin/providers/\(name)/test"
            guard let result = try await server.call(.post, path, orNilFor: "noSuchProvider") else {
                throw CommandError.failed(
                    "There is no provider '\(name)'.".printable, hint: "'latch admin provider list' shows them.")
            }
            guard result["works"] == true else {
                let part = result["part"]?.stringValue ?? "an unknown part"
                throw CommandError.failed(
                    "'\(name)' does not work: \(part) (\(result["problem"]?.stringValue ?? "")).".printable,
                    hint: "'latch admin doctor --config FILE' on the server says more.")
            }
            return ("'\(name)' has metadata and keys, and knows this client.".printable, .object(result))
        }
    }
}
