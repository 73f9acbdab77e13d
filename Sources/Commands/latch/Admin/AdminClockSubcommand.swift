// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchIdentity

/// `latch admin clock`: the clock that a store's servers use.
enum AdminClockSubcommand {
    static let subcommand = Subcommand(
        name: "clock", summary: "the servers' clock: accept",
        examples: ["latch admin clock accept": "after a month without a server"], subcommands: [accept])

    private static let accept = AdminKeysSubcommand.storeSubcommand(
        "accept", "declares that the clock is right",
        discussion: """
            A server whose clock is more than five days ahead of the last accepted time refuses sign-ins and
            refreshes, since a wrong clock would end sessions. A clock that a time server sets is believed
            without this. Running servers pick it up within 15 seconds.
            """,
        examples: ["latch admin clock accept --store sqlite:latch.sqlite": "the clock is right"]
    ) { _ in
        { identity in
            let date = try await identity.acceptDate()
            return ("Servers believe the clock at \(AccountReport.text(date)).", ["date": AccountReport.date(date)])
        }
    }
}
