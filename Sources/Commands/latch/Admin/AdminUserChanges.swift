// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore

/// `latch admin user rename|set-email|set-roles`: the names, the address and the role words of an account.
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
}
