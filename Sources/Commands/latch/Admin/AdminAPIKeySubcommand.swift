// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchIdentity
import LatchIdentityAccounts

/// `latch admin api-key`: the keys with which programs administer a server.
enum AdminAPIKeySubcommand {
    static let subcommand = Subcommand(
        name: "api-key", summary: "keys with which programs administer a server: create, list, delete",
        discussion: """
            A program sends a key as a bearer token to the routes below /api/admin, and 'latch admin --url'
            takes it from LATCH_API_KEY. A key acts for an administrator, with its scopes, and ends when that
            account is not an administrator. It neither changes nor makes administrators. Scopes are:
            \(AdministrationScope.allCases.map(\.rawValue).joined(separator: ", ")).
            """,
        examples: [
            "latch admin api-key create backup --owner ada@example.com --scope users:read":
                "a key for a program that reads accounts"
        ],
        subcommands: [create, list, delete])

    private static let owner = Option.value("owner", "WHO", "the administrator it acts for; with --url it is you")
    private static let scopes = Option.values("scope", "SCOPE", "what it opens; repeatable")
    private static let days = Option.value("days", "N", "valid for N days (90)")
    /// The greatest number of days.
    private static let lastDay = APIKeyService.lifetimes.upperBound / 86_400

    private static let create = AdminCall.subcommand(
        "create", "makes a key, which is shown once",
        options: [owner, scopes, days], arguments: [.init(name: "NAME", summary: "what it is for")],
        examples: [
            "latch admin api-key create deploy --owner ada@example.com --scope clients:write":
                "on the store",
            "latch admin api-key create deploy --scope clients:write --days 30 --url https://id.example.com":
                "for yourself, at a server",
        ], routes: routes
    ) { invocation in
        let name = invocation.arguments[0]
        let days = try days(invocation)
        guard !invocation.all(scopes).isEmpty else {
            throw CommandError.usage("A key needs a scope.", hint: "Write '--scope users:read'.")
        }
        return { administration in
            var content: JSONObject = [
                "name": .string(name), "scopes": .array(invocation.all(scopes).map { .string($0) }),
                "lifetime": .integer(Int64(days * 86_400)),
            ]
            content["account_id"] = try await owner(invocation[owner], administration).map { .string($0) }
            let made = try await administration.server.call(.post, "api/admin/api-keys", content)
            let (key, end) = (made["api_key"]?.stringValue ?? "", made["expires_at"]?.stringValue ?? "")
            return ("\(key.printable)\nIt is valid until \(end.printable), and is not shown again.", .object(made))
        }
    }

    private static func days(_ invocation: Invocation) throws(CommandError) -> Int {
        guard let text = invocation[days] else { return APIKeyService.lifetime / 86_400 }
        guard let days = Int(text), (1...lastDay).contains(days) else {
            throw .usage("'--days' is not a number from 1 to \(lastDay).", hint: "Write '--days 30'.")
        }
        return days
    }

    private static let list = AdminCall.subcommand(
        "list", "shows the keys that have not ended, the newest first", arguments: [],
        examples: ["latch admin api-key list": "which programs could administer the server"], routes: routes
    ) { _ in
        { administration in
            let found = try await keys(administration)
            let rows = found.map { key -> [ListText.Cell] in
                let scopes = key["scopes"]?.arrayValue?.compactMap(\.stringValue).joined(separator: " ") ?? ""
                return [
                    .init(key["id"]?.stringValue ?? ""), .init(key["name"]?.stringValue ?? ""), .init(scopes),
                    .init(key["account_id"]?.stringValue ?? ""),
                    key.dateCell("expires_at"), key.dateCell("last_used_at"),
                ]
            }
            return (
                ListText(
                    headings: ["id", "name", "scopes", "account", "until", "used"], whole: ["id"], rows: rows,
                    footer: rows.isEmpty ? "There are no API keys." : ""),
                ["api_keys": .array(found.map { .object($0) })]
            )
        }
    }

    private static let delete = AdminCall.confirmedSubcommand(
        "delete", "deletes a key",
        arguments: [.init(name: "ID", summary: "the id that 'list' shows, or the key itself", isIdentifier: true)],
        examples: ["latch admin api-key delete 5f1c09b7d2a86e34": "its program loses access"], routes: routes
    ) { invocation, confirmation in
        let id = APIKey.id(ofKeyOrID: invocation.arguments[0])
        return { administration in
            // A mistyped key is reported without a question.
            if let key = try await keys(administration).first(where: { $0.string("id") == id }) {
                try await confirmation.agree(
                    to: "This deletes the API key '\(key.string("name") ?? "")' (\(id)). Its program loses access.")
            }
            try await administration.server.perform(.delete, "api/admin/api-keys/\(id)")
            return ("The key is deleted.", ["deleted": true])
        }
    }

    /// Only a session, or the operator, makes keys.
    private static let routes = AdminCall.Routes(
        make: { AccountAdministration(server: $0) }, takesKey: false)

    /// Returns the ID of the administrator whom a key acts for; nil for the caller.
    private static func owner(
        _ who: String?, _ administration: AccountAdministration
    ) async throws -> String? {
        guard administration.server.isStore else {
            guard who == nil else {
                throw CommandError.usage("At a server a key acts for yourself.", hint: "Leave '--owner' out.")
            }
            return nil
        }
        guard let who else {
            throw CommandError.usage("A key acts for an administrator.", hint: "Name one: '--owner ada@example.com'.")
        }
        let account = try await administration.account(who)
        guard account.isAdministrator else {
            throw CommandError.failed(
                "\(account.email) is not an administrator.".printable,
                hint: "'latch admin user set-role' appoints one.")
        }
        return account.id
    }

    private static func keys(_ administration: AccountAdministration) async throws -> [JSONObject] {
        try await administration.server.list("api_keys", at: "api/admin/api-keys").rows
    }
}

extension APIKey {
    /// Returns an ID, or the ID of a key itself, which does not belong in a URL.
    fileprivate static func id(ofKeyOrID text: String) -> String {
        Hex.decode(text, count: idBytes) == nil ? id(of: text) : text
    }
}
