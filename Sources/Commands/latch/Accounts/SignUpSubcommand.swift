// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchAuth
import LatchCommand
import LatchCore

/// `latch signup`: creates an account at an issuer.
enum SignUpSubcommand {
    private static let account = Option.value("account", "EMAIL", short: "a", "the email address of the new account")
    private static let name = Option.value("name", "NAME", "the name that others see")
    private static let terms = Option.value(
        "accept-terms", "VERSION", "the version of the issuer's terms that you accept")

    static let subcommand = Subcommand(
        name: "signup", summary: "creates an account at an issuer",
        discussion: """
            It prompts for what is missing, for the password without echo, and for the link from the email
            that confirms the address, which a browser can also open. A script pipes the password in.
            The new account is not signed in: 'latch login' does that.
            """,
        options: [
            LoginSubcommand.issuer, account, name, terms, LoginSubcommand.passwordStdin, IssuerTransport.authorities,
            .json("one JSON object: the account, its issuer, and whether its address is confirmed"),
        ],
        examples: [
            "latch signup --issuer http://127.0.0.1:8080": "on the terminal",
            "latch signup --issuer https://id.example.com --account ada@example.com --password-stdin < password":
                "from a script",
        ],
        body: { invocation, environment in
            let accounts = try ClientAccounts(invocation, environment)
            let content = try await accounts.list.content()
            let issuer = try content.issuer(
                invocation[LoginSubcommand.issuer], of: nil, environment, for: "signup")
            guard environment.input.isTerminal, !invocation.has(LoginSubcommand.passwordStdin) else {
                return try await runFromScript(invocation, environment, accounts.openClient(of: issuer), issuer)
            }
            let screens = AccountScreens(accounts, environment, issuer)
            let registered = try await namingTerms {
                try await screens.register(
                    email: invocation[account] ?? "", name: invocation[name] ?? "", acceptedTerms: invocation[terms])
            }
            guard let email = registered.created else {
                throw CommandError.failed("No account was created.", hint: signInHint(registered.typed, issuer))
            }
            // The account exists even if the user leaves the next screen.
            if !invocation.wantsJSON { report(email, issuer, environment) }
            let isVerified = try await screens.verify(email: email)
            environment.write(signInHint(email, issuer), orJSON: json(email, issuer, isVerified), for: invocation)
            return .success
        })

    /// Runs `body`; if the issuer requires terms, the error names the option that accepts them.
    private static func namingTerms<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let error as AccountError where error.serverCode == "termsRequired" {
            throw CommandError.failed(
                error.serverMessage ?? error.message, hint: "Read them, then add '--accept-terms VERSION'.")
        }
    }

    private static func runFromScript(
        _ invocation: Invocation, _ environment: Environment, _ client: AuthClient, _ issuer: IssuerURL
    ) async throws -> ExitCode {
        guard let email = invocation[account], !email.isEmpty else {
            throw CommandError.usage("'latch signup' needs an account.", hint: "Write '--account EMAIL'.")
        }
        guard invocation.has(LoginSubcommand.passwordStdin) else {
            throw CommandError.usage(
                "There is no terminal to prompt for the password.", hint: "Pipe it in, with '--password-stdin'.")
        }
        environment.warnOfShownInput()
        let password = try await SecretInput.piped("password", environment)
        let created = try await namingTerms {
            try await client.signUp(
                email: email, password: password, name: invocation[name], acceptedTerms: invocation[terms])
        }
        let isVerified = created.isEmailVerified ?? false
        guard !invocation.wantsJSON else {
            environment.json(json(created.email, issuer, isVerified))
            return .success
        }
        report(created.email, issuer, environment)
        if !isVerified { environment.output.line("An email to confirm the address is on its way.") }
        environment.output.line(signInHint(created.email, issuer).printable)
        return .success
    }

    private static func json(_ email: String, _ issuer: IssuerURL, _ isVerified: Bool) -> JSONValue {
        ["account": .string(email), "issuer": .string(issuer.text), "email_verified": .bool(isVerified)]
    }

    private static func report(_ email: String, _ issuer: IssuerURL, _ environment: Environment) {
        environment.output.line("Created the account \(email) at \(issuer.text).".printable)
    }

    /// Returns the command that signs in to an account.
    static func signInHint(_ email: String, _ issuer: IssuerURL) -> String {
        "Sign in: latch login --issuer \(issuer.text)" + (email.isPlainWord ? " --account \(email)" : "")
    }
}
