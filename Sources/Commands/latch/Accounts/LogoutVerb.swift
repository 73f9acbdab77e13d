// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCommand
import LatchCore
import LatchHTTP
import LatchOAuth

/// `latch logout`: signs a person out on this device.
enum LogoutVerb {
    private static let allDevices = Option.flag("all-devices", "ends the sessions of all devices, not only of this one")
    private static let json = Option.flag("json", "one JSON object: who, and whether the issuer confirmed")

    static let verb = Verb(
        name: "logout", summary: "signs out: here at once, and at the issuer",
        discussion: """
            The tokens of this device are forgotten whatever the network does. The account stays in the
            list, so that 'latch login --account NAME' signs it in again; 'latch accounts remove NAME'
            takes it out.
            """,
        options: [ClientAccounts.account, allDevices, json],
        examples: [
            .init(command: "latch logout", purpose: "end the session of this device"),
            .init(command: "latch logout --account ada@example.com --all-devices", purpose: "a laptop is lost"),
        ],
        body: { invocation, shell in
            let accounts = try ClientAccounts(shell)
            let entry = try await accounts.chosen(invocation)
            let endpoint = try ClientAccounts.endpoint(of: entry.issuer)
            let confirmed = try await accounts.with(entry) { session in
                try await session.restore()
                guard session.currentState.isSignedIn else { throw AuthError.missingToken }
                // The server first: it needs the tokens, and who is told of a failure can repeat the call.
                if invocation.has(allDevices) { try await EveryDevice.signOut(entry, session) }
                return try await session.signOut(revokingAt: endpoint)
            }
            report(entry, confirmed: confirmed, invocation, shell)
            return .success
        })

    private static func report(_ entry: AccountEntry, confirmed: Bool, _ invocation: Invocation, _ shell: Shell) {
        if invocation.has(json) {
            shell.json(["account": .string(entry.name), "confirmed": .bool(confirmed)])
        } else {
            let place = invocation.has(allDevices) ? ", on all devices" : ""
            shell.output.line("Signed out \(entry.name)\(place).".printable)
        }
        guard !confirmed else { return }
        shell.warn(
            "The issuer did not confirm it.",
            hint: "This device has forgotten the tokens; at the issuer they end by their expiry.")
    }
}
