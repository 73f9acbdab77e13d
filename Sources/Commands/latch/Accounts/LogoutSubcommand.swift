// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCommand
import LatchCore
import LatchHTTP
import LatchOAuth
import PortableFoundation

/// `latch logout`: signs a user out on this device.
enum LogoutSubcommand {
    private static let allDevices = Option.flag("all-devices", "ends the sessions of all devices, not only of this one")
    private static let json = Option.flag("json", "one JSON object: the account, and whether the issuer confirmed")

    static let subcommand = Subcommand(
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
        body: { invocation, environment in
            let accounts = try ClientAccounts(environment)
            let entry = try await accounts.chosen(invocation)
            let endpoint = try ClientAccounts.endpoint(of: entry.issuer)
            let confirmed = try await accounts.with(entry) { session in
                try await session.restore()
                guard session.currentState.isSignedIn else { throw AuthError.missingToken }
                // The server comes first: it needs the tokens, and a failed call can be repeated.
                if invocation.has(allDevices) { try await signOutEverywhere(entry, session) }
                return try await session.signOut(revokingAt: endpoint)
            }
            report(entry, confirmed: confirmed, invocation, environment)
            return .success
        })

    private static func report(
        _ entry: AccountEntry, confirmed: Bool, _ invocation: Invocation, _ environment: Environment
    ) {
        if invocation.has(json) {
            environment.json(["account": .string(entry.name), "confirmed": .bool(confirmed)])
        } else {
            let place = invocation.has(allDevices) ? ", on all devices" : ""
            environment.output.line("Signed out \(entry.name)\(place).".printable)
        }
        guard !confirmed else { return }
        environment.warn(
            "The issuer did not confirm it.",
            hint: "This device has forgotten the tokens; at the issuer they end by their expiry.")
    }

    /// Ends all sessions of the account, which Latchwork's own server offers.
    ///
    /// - Throws: `CommandError.failed` where the server does not confirm it.
    private static func signOutEverywhere(_ entry: AccountEntry, _ session: Session<Tokens>) async throws {
        let issuer = try IssuerURL(entry.issuer)
        let client = Client(
            baseURL: issuer.url, interceptors: [SessionInterceptor(session, for: .origin(issuer.origin))])
        var request = try client.request(.post, "auth/logout", body: HTTPBody(#"{"allDevices":true}"#))
        request.fields[.contentType] = "application/json"
        let response = try await client.respond(to: request)
        guard response.status.isSuccess, try JSONValue(parsing: response.body.bytes)["allDevices"] == true else {
            throw CommandError.failed(
                "\(entry.issuer) does not end the sessions of all devices.",
                hint: "'latch logout' alone ends that of this one.")
        }
    }
}
