// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCommand
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchOAuth

/// `latch logout`: signs a user out on this device.
enum LogoutSubcommand {
    private static let allDevices = Option.flag("all-devices", "ends the sessions of all devices, not only of this one")

    static let subcommand = Subcommand(
        name: "logout", summary: "signs out here immediately, and at the issuer",
        discussion: """
            The tokens of this device are removed, with or without a network. The account stays in the
            list, so that 'latch login --account NAME' signs it in again; 'latch accounts remove NAME'
            removes it.
            """,
        options: [
            ClientAccounts.account, allDevices, IssuerTransport.authorities,
            .json("one JSON object: the account, and whether the issuer confirmed"),
        ],
        examples: [
            "latch logout": "end the session of this device",
            "latch logout --account ada@example.com --all-devices": "a laptop is lost",
        ],
        body: { invocation, environment in
            let accounts = try ClientAccounts(invocation, environment)
            let entry = try await accounts.chosen()
            let issuer = try IssuerURL(entry.issuer)
            let confirmed = try await accounts.with(entry) { session in
                try await session.restore()
                guard session.currentState.isSignedIn else {
                    // Tokens that an earlier sign-out without a network could not revoke.
                    guard await session.revokeRemaining() else { throw Self.unconfirmed }
                    throw AuthError.missingToken
                }
                // The server is called first: the call needs the tokens, and can be repeated if it fails.
                if invocation.has(allDevices) {
                    try await signOutEverywhere(accounts.client(of: issuer, session), issuer)
                }
                return try await session.signOutAndRevoke()
            }
            environment.write(
                "Signed out \(entry.name)\(invocation.has(allDevices) ? ", on all devices" : "").".printable,
                orJSON: ["account": .string(entry.name), "confirmed": .bool(confirmed)], for: invocation)
            if !confirmed {
                environment.warnOfUnconfirmedRevocation(
                    hint: "This device is signed out; 'latch logout' asks the issuer again.")
            }
            return .success
        })

    /// The error of a repeated call that the issuer has not confirmed either.
    private static let unconfirmed = CommandError.failed(
        "The end of the session is still not confirmed.",
        hint: "This device is signed out; 'latch logout' asks the issuer again.")

    /// Ends all sessions of the account, which Latchwork's own server supports.
    ///
    /// - Throws: `CommandError.failed` if the server does not confirm it.
    private static func signOutEverywhere(_ client: Client, _ issuer: IssuerURL) async throws {
        var request = try client.request(.post, "auth/logout", body: HTTPBody(#"{"allDevices":true}"#))
        request.fields[.contentType] = "application/json"
        let response = try await client.respond(to: request)
        guard response.status.isSuccess, try JSONValue(parsing: response.body.bytes)["allDevices"] == true else {
            throw CommandError.failed(
                "\(issuer.text) does not end the sessions of all devices.",
                hint: "'latch logout' ends only the session on this device.")
        }
    }
}

extension Environment {
    /// Warns that tokens are removed from this device, but their issuer did not confirm the revocation.
    func warnOfUnconfirmedRevocation(
        hint: String = "This device has removed the tokens; the issuer accepts them until they expire."
    ) {
        warn("The issuer did not confirm the end of the session.", hint: hint)
    }
}
