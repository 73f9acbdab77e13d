// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore

/// `latch admin user rename|set-email|set-roles|set-attribute`: the names, the address, the role words and the attributes
/// of an account.
enum AdminUserChanges {
    private static let name = Option.value("name", "NAME", "the name that apps show; the empty text removes it")
    private static let username = Option.value("username", "USERNAME", "the user name; the empty text removes it")

    static let rename = AdminCall.subcommand(
        "rename", "changes the name or the user name of an account", options: [name, username],
        examples: [
            "latch admin user rename ada@example.com --name \"Ada King\"": "she has married",
            "latch admin user rename ada@example.com --username ada": "she signs in as ada",
        ]
    ) { invocation in
        var change = JSONObject()
        change["name"] = invocation[name].map { .string($0) }
        change["username"] = invocation[username].map { .string($0) }
        guard !change.isEmpty else {
            throw CommandError.usage("Nothing is to be changed.", hint: "Give '--name' or '--username'.")
        }
        return { [change] administration in
            let account = try await administration.account(invocation.arguments[0])
            return try await administration.update(account.id, change).result
        }
    }

    private static let verified = Option.flag("verified", "the address is known to be the owner's")

    static let setEmail = AdminCall.subcommand(
        "set-email", "replaces the address of an account",
        discussion: """
            The earlier address gets a notice, and mailed links of the account end. Without --verified, the new
            address gets a link that verifies it. This ends the account's passkeys, second factor, links and
            sessions, as after a sign-up.
            """,
        options: [verified, AdminCall.reason],
        arguments: [AdminCall.who, .init(name: "EMAIL", summary: "the new address")],
        examples: [
            "latch admin user set-email ada@example.com ada@king.example --verified": "she has another mailbox"
        ]
    ) { invocation in
        { administration in
            let account = try await administration.account(invocation.arguments[0])
            return try await administration.setEmail(
                of: account.id, to: invocation.arguments[1], isVerified: invocation.has(verified),
                because: invocation[AdminCall.reason] ?? ""
            ).result
        }
    }

    static let setRoles = AdminCall.subcommand(
        "set-roles", "replaces all role words of an account",
        discussion: """
            Roles are moderator, admin, super_admin, and the words of your apps. Without any, the account is a
            user. 'set-role' changes the administrative role only.
            """,
        options: [AdminCall.reason],
        arguments: [
            AdminCall.who, .init(name: "ROLE", summary: "a role word", isOptional: true, repeats: true),
        ],
        examples: ["latch admin user set-roles ada@example.com editor moderator": "both, and no other"]
    ) { invocation in
        let words = invocation.arguments.dropFirst().map { JSONValue.string($0) }
        return { administration in
            let account = try await administration.account(invocation.arguments[0])
            return try await administration.update(
                account.id, ["roles": .array(words), "reason": .string(invocation[AdminCall.reason] ?? "")]
            ).result
        }
    }

    private static let isJSON = Option.flag("as-json", "the value is JSON, such as 12, true or [\"a\"]")

    static let setAttribute = AdminCall.subcommand(
        "set-attribute", "sets or removes an attribute of an account",
        discussion: """
            The setting 'attributes' names the attributes and their types. Without a value, the attribute
            is removed, also one that the settings no longer name.
            """,
        options: [isJSON, AdminCall.reason],
        arguments: [
            AdminCall.who, .init(name: "NAME", summary: "the attribute"),
            .init(name: "VALUE", summary: "the text or, with --as-json, the JSON", isOptional: true),
        ],
        examples: [
            "latch admin user set-attribute ada@example.com department Research": "a text",
            "latch admin user set-attribute ada@example.com seats 12 --as-json": "a number",
        ]
    ) { invocation in
        var value = JSONValue.null
        if invocation.arguments.count > 2 {
            let text = invocation.arguments[2]
            do throws(JSONError) {
                value = invocation.has(isJSON) ? try JSONValue(parsing: text) : .string(text)
            } catch {
                throw CommandError.usage(
                    "The value is not JSON: \(error.message)", hint: "Leave out '--as-json' for a text.")
            }
        }
        return { [value] administration in
            let account = try await administration.account(invocation.arguments[0])
            let change: JSONObject = [
                "attributes": .object([invocation.arguments[1]: value]),
                "reason": .string(invocation[AdminCall.reason] ?? ""),
            ]
            return try await administration.update(account.id, change).result
        }
    }
}
