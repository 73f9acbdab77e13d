// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchAuth
import LatchCommand
import LatchCore
import LatchHTTP
import LatchUI

/// `latch password`: changes the password of an account, or resets a forgotten one.
enum PasswordSubcommand {
    private static let forgot = Option.flag("forgot", "sets a new password by a link from an email, without signing in")
    private static let keepDevices = Option.flag("keep-devices", "leaves all other devices signed in")
    private static let passwordStdin = Option.flag(
        "password-stdin",
        "reads two lines from standard input: the current password, or with --forgot the link from the email, "
            + "and the new password")

    static let subcommand = Subcommand(
        name: "password", summary: "changes the password, or sets a forgotten one anew",
        discussion: """
            It prompts for the current password and the new one, without echo. This device stays signed
            in; all others are signed out, unless you keep them.

            With --forgot it has an email sent to the account's address, and prompts for its link and the
            new password, which signs out all devices, this one too. Without a terminal it has the email
            sent; a second call with --password-stdin then sets the password.
            """,
        options: [
            LoginSubcommand.issuer, ClientAccounts.account, forgot, keepDevices, passwordStdin,
            IssuerTransport.authorities, .json("one JSON object: the account, its issuer, and what was done"),
        ],
        examples: [
            "latch password": "change the password of the current account",
            "latch password --forgot --issuer https://id.example.com --account ada@example.com":
                "set a new one by email",
        ],
        body: { invocation, environment in
            let accounts = try ClientAccounts(invocation, environment)
            let isOnTerminal = environment.input.isTerminal && !invocation.has(passwordStdin)
            guard !invocation.has(forgot) else {
                return try await reset(invocation, environment, accounts, isOnTerminal: isOnTerminal)
            }
            guard invocation[LoginSubcommand.issuer] == nil else {
                throw CommandError.usage(
                    "'--issuer' goes with '--forgot'.", hint: "Choose the account by '--account NAME'.")
            }
            guard isOnTerminal || invocation.has(passwordStdin) else {
                throw CommandError.usage(
                    "There is no terminal to prompt for the passwords.", hint: "Pipe them in, with '--password-stdin'.")
            }
            let entry = try await accounts.chosen()
            try await change(of: entry, invocation, environment, accounts, isOnTerminal: isOnTerminal)
            environment.write(
                "Changed the password of \(entry.name) at \(entry.issuer).".printable,
                orJSON: ["account": .string(entry.name), "issuer": .string(entry.issuer), "changed": true],
                for: invocation)
            return .success
        })

    private static func change(
        of entry: AccountEntry, _ invocation: Invocation, _ environment: Environment, _ accounts: ClientAccounts,
        isOnTerminal: Bool
    ) async throws {
        guard entry.clientID == nil else {
            throw CommandError.failed(
                "'\(entry.name)' is signed in on the issuer's page, where its password is changed.",
                hint: "At an issuer that knows 'latch login' with a password, sign in that way first.")
        }
        let issuer = try IssuerURL(entry.issuer)
        try await accounts.with(entry) { session in
            let client = AuthClient(
                baseURL: issuer.url, session: session, transport: accounts.transport, timeout: .seconds(60))
            guard isOnTerminal else {
                environment.warnOfShownInput()
                let passwords = try await SecretInput.piped(("current password", "new password"), environment)
                return try await client.changePassword(
                    from: passwords.first, to: passwords.second, signingOutOthers: !invocation.has(keepDevices))
            }
            // An ended session is reported before the user types anything.
            _ = try await session.credential()
            var form = ChangePasswordScreen()
            if invocation.has(keepDevices) { _ = form.set(.signOutOthers, to: false) }
            let console = ScreenConsole(environment, server: issuer.origin.description)
            var screen = TerminalScreen(form, on: console, perform: ChangePasswordScreen.requests(to: client))
            guard try await screen.run() == .changed else { throw console.cancelled }
        }
    }

    private static func reset(
        _ invocation: Invocation, _ environment: Environment, _ accounts: ClientAccounts, isOnTerminal: Bool
    ) async throws -> ExitCode {
        let content = try await accounts.list.content()
        let known = try content.entry(named: invocation[ClientAccounts.account], at: invocation[LoginSubcommand.issuer])
        let issuer = try content.issuer(
            invocation[LoginSubcommand.issuer], of: known, environment, for: "password --forgot")
        var email = known?.username ?? invocation[ClientAccounts.account] ?? ""
        let client = accounts.openClient(of: issuer)
        if isOnTerminal {
            email = try await AccountScreens(accounts, environment, issuer).resetPassword(email: email)
        } else if invocation.has(passwordStdin) {
            environment.warnOfShownInput()
            let lines = try await SecretInput.piped(("link from the email", "new password"), environment)
            guard let link = ScreenLink(pasted: lines.first, for: .resetPassword, at: issuer.origin.description)
            else {
                throw CommandError.failed(
                    "The first line is not the link of this server's email for a new password.",
                    hint: "Pipe in the whole link.")
            }
            try await client.resetPassword(token: link.token, newPassword: lines.second)
        } else {
            guard !email.isEmpty else {
                throw CommandError.usage(
                    "'latch password --forgot' needs an account.", hint: "Write '--account EMAIL'.")
            }
            try await client.requestPasswordReset(email: email)
            environment.write(
                "If \(email) has an account at \(issuer.text), an email is on its way.".printable,
                orJSON: ["account": .string(email), "issuer": .string(issuer.text), "requested": true], for: invocation)
            return .success
        }
        var object: JSONObject = ["issuer": .string(issuer.text), "changed": true]
        if !email.isEmpty { object["account"] = .string(email) }
        environment.write(
            "The new password is set.\n" + SignUpSubcommand.signInHint(email, issuer).printable,
            orJSON: .object(object), for: invocation)
        return .success
    }
}
