// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchIdentity
import LatchIdentityStorage

/// `latch admin devices`: the devices on which accounts are signed in.
enum AdminDevicesSubcommand {
    static let subcommand = Subcommand(
        name: "devices", summary: "devices of accounts: list, sign-out",
        discussion: """
            Works on the store itself, or with --url on a running server. A server sees a sign-out at its store
            with its next request that changes something, and within a second for those that only read.
            """,
        examples: ["latch admin devices list ada@example.com": "where she is signed in"],
        subcommands: [list, signOut])

    private static let list = AdminCall.subcommand(
        "list", "shows the devices on which an account is signed in",
        discussion: "The device that was used last comes first.",
        examples: ["latch admin devices list ada@example.com --json": "for a script"]
    ) { invocation in
        { administration in
            let account = try await administration.account(invocation.arguments[0])
            let devices = account.list("devices")
            let rows = devices.map { device -> [ListText.Cell] in
                [
                    .init(device.string("id")),
                    .init(shown: device.shownName, plain: device.string("name") ?? device.string("user_agent") ?? "-"),
                    .init(device.string("client_id")), .init(device.string("address")),
                    device.dateCell("created_at", after: "since"), device.dateCell("last_used_at", after: "used"),
                ]
            }
            let list = ListText(
                headings: ["id", "device", "client", "address", "signed in", "used"], whole: ["id"],
                rows: rows, footer: devices.isEmpty ? "\(account.email) is signed in on no device.".printable : "")
            return (list, ["id": .string(account.id), "devices": .array(devices.map { .object($0) })])
        }
    }

    private static let signOut = AdminCall.confirmedSubcommand(
        "sign-out", "ends the session of one device",
        discussion: """
            Its access tokens end immediately at the server, and elsewhere when they expire. 'latch admin user
            sign-out' ends all sessions.
            """,
        arguments: [AdminCall.who, .init(name: "ID", summary: "an id that 'list' shows", isIdentifier: true)],
        examples: ["latch admin devices sign-out ada@example.com lR5a0VxN2kyGm1Qb7cZtWg": "her phone was stolen"]
    ) { invocation, confirmation in
        let id = invocation.arguments[1]
        return { administration in
            let account = try await administration.account(invocation.arguments[0])
            // A mistyped device is reported without a question.
            if let device = account.list("devices").first(where: { $0.string("id") == id }) {
                try await confirmation.agree(to: "This signs \(account.email) out on \(device.shownName) (\(id)).")
            }
            guard try await administration.endSession(ofDevice: id, of: account.id) else {
                throw CommandError.failed(
                    "\(account.email) is not signed in on a device '\(id)'.".printable,
                    hint: "'latch admin devices list \(account.email)' shows the devices.".printable)
            }
            return (
                "Signed \(account.email) out on the device \(id).".printable,
                ["id": .string(account.id), "device": .string(id), "signed_out": true]
            )
        }
    }
}

extension JSONObject {
    /// The name of a device as the pages show it, or the browser and the system.
    fileprivate var shownName: String {
        UserAgentDescription(of: string("user_agent"), named: string("name")).text ?? string("user_agent") ?? "-"
    }
}
