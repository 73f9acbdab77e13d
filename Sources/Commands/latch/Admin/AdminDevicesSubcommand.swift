// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchIdentity
import LatchIdentityAccounts

/// `latch admin devices`: the devices on which the accounts of a store are signed in.
enum AdminDevicesSubcommand {
    static let subcommand = Subcommand(
        name: "devices", summary: "devices of accounts: list, sign-out",
        discussion: """
            Works on the store itself. A running server sees a sign-out with its next request that changes
            something, and within a second for those that only read.
            """,
        examples: ["latch admin devices list ada@example.com": "where she is signed in"],
        subcommands: [list, signOut])

    private static let list = AdminKeysSubcommand.storeSubcommand(
        "list", "shows the devices on which an account is signed in",
        discussion: "The device that was used last comes first.",
        arguments: [AdminCall.who],
        examples: ["latch admin devices list ada@example.com --json": "for a script"]
    ) { invocation in
        let who = invocation.arguments[0]
        return { identity in
            let account = try await AdminLinksSubcommand.account(who, identity)
            let devices = try await identity.administration.devices(of: account.id)
            let rows = devices.map { device -> [ListText.Cell] in
                [
                    .init(device.publicID),
                    .init(shown: device.shownName, plain: device.name ?? device.userAgent ?? "-"),
                    .init(device.clientID), .init(device.address), .init(device.createdAt, after: "since"),
                    .init(device.lastUsedAt, after: "used"),
                ]
            }
            let list = ListText(
                headings: ["id", "device", "client", "address", "signed in", "used"], whole: ["id"],
                rows: rows,
                footer: devices.isEmpty ? "\(account.email.text) is signed in on no device.".printable : "")
            return (list, ["id": .string(account.id), "devices": .array(devices.map(\.administrationJSON))])
        }
    }

    private static let signOut = AdminKeysSubcommand.confirmedSubcommand(
        "sign-out", "ends the session of one device",
        discussion: """
            Its access tokens end immediately at the server, and elsewhere when they expire. 'latch admin user
            sign-out' ends all sessions.
            """,
        arguments: [AdminCall.who, .init(name: "ID", summary: "an id that 'list' shows", isIdentifier: true)],
        examples: ["latch admin devices sign-out ada@example.com lR5a0VxN2kyGm1Qb7cZtWg": "her phone was stolen"]
    ) { invocation, confirmation in
        let (who, id) = (invocation.arguments[0], invocation.arguments[1])
        return { identity in
            let account = try await AdminLinksSubcommand.account(who, identity)
            // A mistyped device is reported without a question.
            if let device = try await identity.administration.devices(of: account.id).first(where: { $0.publicID == id }
            ) {
                try await confirmation.agree(to: "This signs \(account.email.text) out on \(device.shownName) (\(id)).")
            }
            guard try await identity.administration.endSession(ofDevice: id, of: account.id) else {
                throw CommandError.failed(
                    "\(account.email.text) is not signed in on a device '\(id)'.",
                    hint: "'latch admin devices list \(account.email.text)' shows the devices.")
            }
            return (
                "Signed \(account.email.text) out on the device \(id).".printable,
                ["id": .string(account.id), "device": .string(id), "signed_out": true]
            )
        }
    }
}

extension Device {
    /// The name of the device as the pages show it, or the browser and the system.
    fileprivate var shownName: String { UserAgentDescription(of: self).text ?? userAgent ?? "-" }

}
