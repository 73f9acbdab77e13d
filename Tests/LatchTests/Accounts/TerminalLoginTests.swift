// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAccounts
import LatchAuth
import LatchCore
import LatchFoundation
import LatchIdentityTesting
import LatchProcess
import LatchTesting
import TestSupport
import Testing

@testable import latch
@testable import latch_demo

/// Sign-ups and sign-ins of users at a terminal, against `latch serve`.
@Suite(.timeLimit(.minutes(3))) struct TerminalLoginTests {
    private static let email = "ada@example.com"
    private static let password = CommandHome.password

    /// Runs `body` with a server, and a terminal for the first call.
    private func with(
        _ settings: [String: String] = [:],
        _ body: (CommandHome, ServedLatch, PseudoTerminal) async throws -> Void
    ) async throws {
        try await CommandHome.with { home in
            let server = try await ServedLatch.start(in: home.folder, environment: settings)
            try await body(home, server, try PseudoTerminal())
        }
    }

    private func token(_ subject: String, _ server: ServedLatch) async throws -> String {
        try await MailFolder(path: "\(server.folder)/mails").token(subject: subject, to: Self.email)
    }

    @Test
    func `A user at a terminal signs up, corrects the entries, and confirms the address by the mailed link`()
        async throws
    {
        try await with(["LATCH_REQUIRE_OWNER_PROOF": "true"]) { home, server, terminal in
            let call = try home.start(on: terminal, ["signup", "--issuer", server.url.absoluteString])
            try await terminal.answer("Name", "")
            try await terminal.answer("Email address", "ada")
            try await terminal.answer("Password", Self.password)
            try await terminal.answer("Password again", Self.password)
            try await terminal.expect("Enter an email address such as name@example.com.")
            try await terminal.answer("Email address", Self.email)
            try await terminal.answer("Link from the email, or a number", "https://id.example.com/about")
            try await terminal.expect("This is neither a link from such an email nor one of the numbers.")
            let link = "\(server.url.absoluteString)/verify?token="
            try await terminal.answer(
                "Link from the email, or a number", link + (try await token("Confirm your email address", server)))
            try await terminal.answer("Password", "not the password")
            try await terminal.expect("The password is wrong.")
            try await terminal.answer("Password", Self.password)
            try await terminal.expect("ada@example.com is confirmed.")
            let outcome = await call.outcome()
            expectEqual(outcome.ending, .exited(0))
            let issuer = server.url.absoluteString
            expectEqual(
                outcome.output,
                [
                    "Created the account ada@example.com at \(issuer).",
                    "Sign in: latch login --issuer \(issuer) --account ada@example.com",
                ])
            #expect(!terminal.text.contains(Self.password))
            try await home.login(Self.email, at: issuer)
            let user = try JSONValue(parsing: try await home.latch("whoami", "--json").output.joined())
            expectEqual(user["email_verified"], true)
        }
    }

    /// The code of the newest email with one, other than an earlier code.
    private func code(_ server: ServedLatch, after earlier: String = "") async throws -> String {
        let folder = "\(server.folder)/mails"
        return try await wait(for: "no email with a code arrived") {
            let isThere = FileManager.default.fileExists(atPath: folder)
            let names = isThere ? try FileManager.default.contentsOfDirectory(atPath: folder) : []
            for name in names.filter({ $0.hasSuffix(".eml") }).sorted().reversed() {
                let text = String(decoding: try Data(contentsOf: URL(filePath: "\(folder)/\(name)")), as: UTF8.self)
                let lines = text.split(whereSeparator: \.isNewline)
                if let found = lines.first(where: { $0.contains(/^[0-9]{3} [0-9]{3}$/) }) {
                    return found == earlier ? nil : String(found)
                }
            }
            return nil
        }
    }

    @Test func `A user at a terminal confirms the address by the code beside the link, after a wrong one`()
        async throws
    {
        try await with { home, server, terminal in
            let issuer = server.url.absoluteString
            let call = try home.start(on: terminal, ["signup", "--issuer", issuer, "--account", Self.email])
            try await terminal.answer("Name", "")
            try await terminal.answer("Password", Self.password)
            try await terminal.answer("Password again", Self.password)
            try await terminal.expect("Enter the code from the email")
            let code = try await code(server)
            try await terminal.answer(
                "Link from the email, or a number", code == "123 456" ? "234 567" : "123 456")
            try await terminal.expect("This code is wrong or has expired.")
            try await terminal.answer("Link from the email, or a number", code)
            try await terminal.expect("ada@example.com is confirmed.")
            await expectEqual(call.outcome().ending, .exited(0))
        }
    }

    @Test func `A user at a terminal signs in with a mailed code`() async throws {
        try await with(["LATCH_SIGN_IN_CODES": "true"]) { home, server, terminal in
            let issuer = server.url.absoluteString
            let app = AuthClient(baseURL: server.url, store: InMemoryTokenStore<Tokens>())
            let challenge = try await app.beginCodeSignUp(email: Self.email)
            let first = try await code(server)
            try await app.completeCodeSignUp(challenge, code: first)
            let call = try home.start(on: terminal, ["login", "--code", "--issuer", issuer])
            try await terminal.expect("Sign in with a code · \(issuer)\r\n")
            try await terminal.answer("Email address", "ADA@example.com")
            try await terminal.expect("Check your email")
            try await terminal.answer("Code", "12")
            try await terminal.answer("Code", try await code(server, after: first))
            let outcome = await call.outcome()
            expectEqual(outcome.ending, .exited(0))
            expectEqual(outcome.output.first, "Signed in as ADA@example.com at \(issuer).")
            try await expectEqual(home.latch("whoami").output.first, "ADA@example.com")
        }
    }

    @Test func `A server without passwords is asked for a code, and no password is prompted for`() async throws {
        try await with(["LATCH_SIGN_IN_WAYS": "code"]) { home, server, terminal in
            let issuer = server.url.absoluteString
            let app = AuthClient(baseURL: server.url, store: InMemoryTokenStore<Tokens>())
            let challenge = try await app.beginCodeSignUp(email: Self.email)
            let first = try await code(server)
            try await app.completeCodeSignUp(challenge, code: first)
            let call = try home.start(on: terminal, ["login", "--issuer", issuer])
            try await terminal.answer("Browser or code? [browser]", "password")
            try await terminal.expect("Enter 'browser' or 'code'.")
            try await terminal.answer("Browser or code? [browser]", "code")
            try await terminal.answer("Email address", Self.email)
            try await terminal.answer("Code", try await code(server, after: first))
            await expectEqual(call.outcome().ending, .exited(0))
            #expect(!terminal.text.contains("Password"))
            let other = try PseudoTerminal()
            let scoped = try home.start(
                on: other, ["login", "--with-password", "--issuer", issuer, "--scope", "widgets:read"])
            try await other.expect("does not sign in with passwords")
            await expectEqual(scoped.outcome().ending, .exited(1))
        }
    }

    @Test(arguments: [["--scope", "widgets:read"], ["--password-stdin"], ["--browser"], []])
    func `A sign-in with a mailed code needs a terminal, and takes no password and no scopes`(others: [String])
        async throws
    {
        try await CommandHome.with { home in
            let call = try home.start(["login", "--code", "--issuer", "http://127.0.0.1:9"] + others, input: "")
            await expectEqual(call.outcome().ending, .exited(2))
        }
    }

    @Test
    func `A user at a terminal enters a wrong password, finds the other ways, and then the right one`() async throws {
        try await with { home, server, terminal in
            try await server.signUp(Self.email)
            let issuer = server.url.absoluteString
            let call = try home.start(
                on: terminal, ["login", "--with-password", "--issuer", issuer, "--scope", "widgets:read"])
            try await terminal.expect("Sign in · \(issuer)\r\n")
            try await terminal.answer("Email address or user name", Self.email)
            try await terminal.answer("Password", "not the password")
            try await terminal.expect("The email address or the password is wrong. Check both.\r\n")
            try await terminal.expect("Press Enter for more options.")
            // The name is kept.
            try await terminal.answer("Email address or user name [ada@example.com]", "")
            try await terminal.answer("Password", "")
            try await terminal.expect(
                "  1  Sign in\r\n  2  Forgot your password?\r\n  3  Create an account\r\n  4  Cancel")
            try await terminal.answer("Number", "5")
            try await terminal.expect("Enter one of the numbers.")
            try await terminal.answer("Number", "1")
            try await terminal.answer("Password", Self.password)
            let outcome = await call.outcome()
            expectEqual(outcome.ending, .exited(0))
            expectEqual(outcome.output, ["Signed in as ada@example.com at \(issuer).", "Scopes: widgets:read"])
            await terminal.finish()
            #expect(!terminal.text.contains(Self.password) && terminal.isEchoing)
            #expect(try !home.holds(Self.password))
        }
    }

    @Test func `A user at a terminal enters a wrong code, then the right one, or a recovery code`() async throws {
        try await with { home, server, terminal in
            try await server.signUp(Self.email)
            let app = AuthClient(baseURL: server.url, store: InMemoryTokenStore<Tokens>())
            try await app.signIn(email: Self.email, password: Self.password)
            let setup = try await app.beginSecondFactor()
            let authenticator = try #require(AuthenticatorApp(secret: setup.secret))
            try await app.confirmSecondFactor(code: authenticator.code(at: .now))
            let arguments = [
                "login", "--with-password", "--issuer", server.url.absoluteString, "--account", Self.email,
            ]
            let call = try home.start(on: terminal, arguments)
            try await terminal.answer("Password", Self.password)
            try await terminal.expect("Enter your code · ")
            try await terminal.answer("Code", "12")
            try await terminal.expect("A code has six digits")
            try await terminal.answer("Code", "000000")
            try await terminal.expect("This code is wrong or was used before.")
            // The code of the confirmation is used.
            try await terminal.answer("Code", authenticator.code(at: .now + 30))
            let outcome = await call.outcome()
            expectEqual(outcome.ending, .exited(0), "\(terminal.text)")
            expectEqual(outcome.output.first, "Signed in as ada@example.com at \(server.url.absoluteString).")

            let second = try PseudoTerminal()
            let other = try home.start(on: second, arguments)
            try await second.answer("Password", Self.password)
            try await second.answer("Code", try #require(setup.recoveryCodes.first))
            await expectEqual(other.outcome().ending, .exited(0), "\(second.text)")
        }
    }

    @Test func `A user at a terminal learns how long too many attempts lock the account, and can leave`() async throws {
        try await with(["LATCH_LOGIN_LIMIT_PER_MINUTE": "1"]) { home, server, terminal in
            try await server.signUp(Self.email)
            let call = try home.start(
                on: terminal,
                ["login", "--with-password", "--issuer", server.url.absoluteString, "--account", Self.email])
            try await terminal.answer("Password", "not the password")
            try await terminal.answer("Password", "nor this one")
            try await terminal.expect("There were too many attempts. Try again in ")
            terminal.type("\u{3}")
            await expectEqual(call.outcome().ending, .killed(by: 2))
            #expect(try await home.accounts().isEmpty)
        }
    }

    @Test(arguments: [("\u{3}", .killed(by: 2)), ("\u{4}", .exited(1))] as [(String, ChildProcess.Termination)])
    func `A user at a terminal leaves with Ctrl-C or Ctrl-D, and has the echo back`(
        key: String, ending: ChildProcess.Termination
    )
        async throws
    {
        try await CommandHome.with { home in
            let terminal = try PseudoTerminal()
            let call = try home.start(
                on: terminal, ["login", "--with-password", "--issuer", "http://127.0.0.1:9", "--account", "ada"])
            try await terminal.expect("Password: ")
            #expect(!terminal.isEchoing)
            terminal.type(key)
            await expectEqual(call.outcome().ending, ending)
            #expect(terminal.isEchoing)
        }
    }

    @Test func `A user at a terminal reads German if the environment says so`() async throws {
        try await with { home, server, terminal in
            try await server.signUp(Self.email)
            let call = try home.start(
                on: terminal, ["login", "--with-password", "--issuer", server.url.absoluteString],
                environment: ["LC_ALL": "de_DE.UTF-8"])
            try await terminal.expect("Anmelden · ")
            try await terminal.answer("E-Mail-Adresse oder Benutzername", Self.email)
            try await terminal.answer("Passwort", "nicht das Passwort")
            try await terminal.expect("E-Mail-Adresse oder Passwort ist falsch. Prüfe beides.")
            try await terminal.answer("E-Mail-Adresse oder Benutzername [ada@example.com]", "")
            try await terminal.answer("Passwort", Self.password)
            await expectEqual(call.outcome().ending, .exited(0), "\(terminal.text)")
        }
    }

    @Test func `A missing server is reported on a terminal immediately, with an exit code`() async throws {
        try await CommandHome.with { home in
            let terminal = try PseudoTerminal()
            let call = try home.start(
                on: terminal, ["login", "--with-password", "--issuer", "http://127.0.0.1:9", "--account", "ada"])
            try await terminal.answer("Password", Self.password)
            try await terminal.expect("latch: 127.0.0.1:9 could not be reached")
            await expectEqual(call.outcome().ending, .exited(1))
        }
    }

    @Test func `A user at a terminal resets a forgotten password during the sign-in`() async throws {
        try await with { home, server, terminal in
            try await server.signUp(Self.email)
            let call = try home.start(
                on: terminal, ["login", "--with-password", "--issuer", server.url.absoluteString])
            try await terminal.answer("Email address or user name", Self.email)
            try await terminal.answer("Password", "")
            try await terminal.answer("Number", "2")
            let reset = try await token("Reset your password", server)
            try await terminal.answer("Link from the email, or a number", reset)
            try await terminal.answer("New password", "another sentence")
            try await terminal.answer("New password again", "another sentence")
            try await terminal.expect("The password for ada@example.com has been reset.")
            try await terminal.answer("Password", "another sentence")
            await expectEqual(call.outcome().ending, .exited(0), "\(terminal.text)")
        }
    }

    @Test func `A user at a terminal who chooses the password is asked for it`() async throws {
        try await with { home, server, terminal in
            try await server.signUp(Self.email)
            let issuer = server.url.absoluteString
            let call = try home.start(on: terminal, ["login", "--issuer", issuer, "--account", Self.email])
            try await terminal.answer("Browser or password? [browser]", "both")
            try await terminal.expect("Enter 'browser' or 'password'.")
            try await terminal.answer("Browser or password? [browser]", "password")
            try await terminal.answer("Password", Self.password)
            await expectEqual(call.outcome().ending, .exited(0), "\(terminal.text)")
            // The list knows how this account signs in.
            let second = try PseudoTerminal()
            let again = try home.start(on: second, ["login", "--account", Self.email])
            try await second.answer("Password", Self.password)
            await expectEqual(again.outcome().ending, .exited(0), "\(second.text)")
            #expect(!second.text.contains("Browser or password?"))
        }
    }

    @Test func `A user at a terminal who presses Enter gets the page in the browser`() async throws {
        try await with { home, server, terminal in
            // A browser that fails leaves the page to the user.
            let call = try home.start(
                on: terminal, ["login", "--issuer", server.url.absoluteString], environment: ["BROWSER": "/bin/false"])
            try await terminal.answer("Browser or password? [browser]", "")
            try await terminal.expect("in your browser. If no page opens, open this one:")
            terminal.type("\u{3}")
            await expectEqual(call.outcome().ending, .killed(by: 2))
        }
    }

    @Test func `A user at a terminal whose issuer has no page is asked for the password`() async throws {
        try await ScriptedIssuer.with { issuer in
            try await CommandHome.with { home in
                let terminal = try PseudoTerminal()
                let call = try home.start(on: terminal, ["login", "--issuer", issuer.url, "--account", "ada"])
                try await terminal.answer("Browser or password? [browser]", "")
                try await terminal.expect("The sign-in in a browser cannot begin.")
                try await terminal.answer("Password", Self.password)
                await expectEqual(call.outcome().ending, .exited(0), "\(terminal.text)")
            }
        }
    }

    @Test func `A user who names a path without a server is told of the one at the root`() async throws {
        try await with { home, server, terminal in
            let root = server.url.absoluteString
            let call = try home.start(on: terminal, ["login", "--issuer", root + "/foo"])
            try await terminal.answer("Browser or password? [browser]", "")
            try await terminal.expect("There is no auth server at \(root)/foo.")
            try await terminal.expect("latch login --issuer \(root)")
            await expectEqual(call.outcome().ending, .exited(1))
            let piped = try await home.start(
                ["login", "--issuer", root + "/foo", "--account", "ada", "--password-stdin"], input: Self.password
            ).outcome()
            expectEqual(piped.ending, .exited(1))
            #expect(piped.error.first?.contains("There is no auth server at \(root)/foo.") == true, "\(piped.error)")
        }
    }
}
