// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchFoundation
import LatchHTTP

/// `latch admin hook`: the programs that the server asks, or tells of events.
enum AdminHookSubcommand {
    static let subcommand = Subcommand(
        name: "hook", summary: "programs that are asked or told of events: list, test, replay",
        discussion: "Hooks are in the configuration, which the server reads when it starts.",
        examples: ["latch admin hook list --config latch.toml": "the hooks, and the events that wait"],
        subcommands: [list, test, replay])

    private static let list = AdminCall.subcommand(
        "list", "shows the hooks, with the events that wait for them", arguments: [],
        examples: ["latch admin hook list --url https://id.example.com": "those of a running server"],
        routes: AdminCall.server
    ) { _ in
        { server in
            let found =
                try await server.call(.get, "api/admin/hooks")["hooks"]?.arrayValue?.compactMap(\.objectValue) ?? []
            let rows = found.map { hook -> [ListText.Cell] in
                [
                    .init(hook.string("name")), .init(hook.string("on")), .init(hook.string("url") ?? "-"),
                    .init(hook.string("if_down") ?? "-"),
                    .init(hook["waiting"]?.intValue.map { "\($0)" } ?? "-"),
                    hook["oldest"]?.stringValue == nil ? "-" : hook.dateCell("oldest"),
                ]
            }
            return (
                ListText(
                    headings: ["name", "on", "url", "if down", "waiting", "oldest"], whole: ["name", "url"],
                    rows: rows, footer: rows.isEmpty ? "The configuration has no hooks." : ""),
                ["hooks": .array(found.map { .object($0) })]
            )
        }
    }

    private static let name = Subcommand.Argument(name: "NAME", summary: "a name that 'list' shows")

    private static let test = AdminCall.subcommand(
        "test", "sends a message of the type 'test' to a program", arguments: [name],
        examples: ["latch admin hook test crm --config latch.toml": "before the server uses it"],
        routes: AdminCall.server
    ) { invocation in
        let name = invocation.arguments[0]
        return { server in
            let path: RoutePath = "api/admin/hooks/\(name)/test"
            guard let result = try await server.call(.post, path, orNilFor: "noSuchHook") else {
                throw missing(name)
            }
            guard result["works"] == true else {
                throw CommandError.failed(
                    "'\(name)' does not work: \(result["problem"]?.stringValue ?? "it did not answer").".printable,
                    hint: "Check the program, and that its secret and that of the configuration are the same.")
            }
            return ("'\(name)' has accepted the message.".printable, .object(result))
        }
    }

    private static let since = Option.value("since", "TIME", "since a date, or 30m, 24h or 7d ago")
    private static let event = Option.value("event", "PATTERN", "events of a name, such as account.* (all)")

    private static let replay = AdminCall.subcommand(
        "replay", "tells a program again what has happened, from the audit log",
        discussion: """
            The events have the same identifiers as before, by which the program knows them. The server
            sends them, each account's in order.
            """,
        options: [since, event], arguments: [name],
        examples: [
            "latch admin hook replay crm --since 24h": "after the program has lost a day",
            "latch admin hook replay crm --since 2026-11-23 --event 'account.*'": "only what changed accounts",
        ],
        routes: AdminCall.server
    ) { invocation in
        let name = invocation.arguments[0]
        guard let text = invocation[since] else {
            throw CommandError.usage("'--since' is missing.", hint: "Add the time of the earliest event, such as 24h.")
        }
        let date = try PastDate.parsed(text, now: Date())
        var content: JSONObject = ["since": .string(date.formatted(.iso8601))]
        if let pattern = invocation[event] { content["event"] = .string(pattern) }
        return { [content] server in
            let path: RoutePath = "api/admin/hooks/\(name)/replay"
            guard let result = try await server.call(.post, path, content, orNilFor: "noSuchHook") else {
                throw missing(name)
            }
            let count = result["events"]?.intValue.map { Int($0) } ?? 0
            return ("The server tells '\(name)' again: \(count.counted("event")).".printable, .object(result))
        }
    }

    private static func missing(_ name: String) -> CommandError {
        .failed("There is no hook '\(name)' for this.".printable, hint: "'latch admin hook list' shows the hooks.")
    }
}
