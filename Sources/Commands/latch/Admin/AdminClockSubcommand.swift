// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchIdentity

/// `latch admin clock`: the date that a store's servers use.
enum AdminClockSubcommand {
    static let subcommand = Subcommand(
        name: "clock", summary: "the servers' date: accept",
        examples: ["latch admin clock accept": "after a month without a server"], subcommands: [accept])

    private static let accept = AdminKeysSubcommand.storeSubcommand(
        "accept", "declares that the present date is right",
        discussion: """
            A server that finds its date more than five days ahead of the last one refuses sign-ins and
            refreshes, since a wrong date would end sessions. A clock that a time server sets is believed
            without this. Running servers take it up within 15 seconds.
            """,
        examples: ["latch admin clock accept --store sqlite:latch.sqlite": "the date is right"]
    ) { _ in
        { identity in
            let date = try await identity.acceptDate()
            return ("Servers believe the date \(AccountReport.text(date)).", ["date": AccountReport.date(date)])
        }
    }
}
