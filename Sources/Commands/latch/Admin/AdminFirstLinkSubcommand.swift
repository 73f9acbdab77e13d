// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchIdentity

/// `latch admin first-link`: the link that makes the first administrator.
enum AdminFirstLinkSubcommand {
    static let subcommand = AdminKeysSubcommand.storeSubcommand(
        "first-link", "prints a link that makes the first administrator",
        discussion: """
            Open it in a browser: its page creates the account. It works for a day, and until there is an
            administrator. Do not send it to others. An account that exists becomes an administrator with
            'latch admin user set-role'.
            """,
        options: [ServeSubcommand.issuer],
        examples: [
            "latch admin first-link --config /etc/latch/latch.toml": "after the first start of a server",
            "latch admin first-link --issuer http://127.0.0.1:8080": "for a server without a public URL",
        ]
    ) { _ in
        { identity in
            guard identity.issuer != nil else {
                throw CommandError.failed(
                    "The server's public URL is not known.", hint: "Give it: --issuer https://id.example.com")
            }
            guard let link = try await identity.firstAdministratorLink() else {
                throw CommandError.failed(
                    "There is an administrator.", hint: "Give another role: latch admin user set-role")
            }
            return (link, ["link": .string(link)])
        }
    }
}
