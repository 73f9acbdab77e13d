// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchProcess
import LatchSignIn
import LatchTesting
import TestSupport
import Testing

@testable import latch

/// Sign-ins of the command at an OpenID provider, through a browser that curl plays.
@Suite(.timeLimit(.minutes(2))) struct PageLoginTests {
    /// Writes a program that visits a URL as a browser does, and returns its path.
    private func browser(_ home: CommandHome, _ script: String = "curl -sSL -b '' -o page.html \"$1\"") throws -> String
    {
        let path = "\(home.folder)/browser"
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        return path
    }

    private func login(
        _ home: CommandHome, _ provider: ScriptedProvider, _ arguments: [String],
        environment: [String: String] = [:]
    ) async throws -> BuiltProgram.Outcome {
        try await home.start(
            ["login", "--issuer", provider.base.absoluteString] + arguments, environment: environment
        ).outcome()
    }

    @Test func `A sign-in on the issuer's page opens the browser, and names the signed-in user`() async throws {
        try await ScriptedProvider.serving { provider in
            try await CommandHome.with { home in
                let browser = ["BROWSER": try browser(home)]
                let login = try await login(
                    home, provider, ["--browser", "--client-id", "notes"], environment: browser)
                expectEqual(login.ending, .exited(0), "\(login.error)")
                expectEqual(login.output.first, "Signed in as ada@example.com at \(provider.base).")
                try await expectEqual(home.latch("token").output.first?.hasPrefix("access-"), true)
                let user = try JSONValue(parsing: try await home.latch("whoami", "--json").output.joined())
                #expect(user["name"] == "Ada" && user["user_id"] == "ada")
                // Another process refreshes with the same registration.
                let first = try await home.latch("token").output
                try await expectNotEqual(home.latch("token", "--refresh").output, first)
                let logout = try await home.latch("logout", "--json")
                try expectEqual(JSONValue(parsing: logout.output.joined())["confirmed"], true)
            }
        }
    }

    @Test
    func `A sign-in on the issuer's page requests the usual scopes that the issuer lists, or any given ones`()
        async throws
    {
        try await ScriptedProvider.serving { provider in
            provider.deviate { $0.metadata = { $0["scopes_supported"] = ["openid", "email"] } }
            try await CommandHome.with { home in
                let (browser, arguments) = (["BROWSER": try browser(home)], ["--browser", "--client-id", "notes"])
                for scope in [[], ["--scope", "openid offline_access"]] {
                    let login = try await login(home, provider, arguments + scope, environment: browser)
                    expectEqual(login.ending, .exited(0), "\(login.error)")
                }
                let scopes = provider.requests(to: "/authorize").map { request in
                    ScriptedProvider.parameters(String(request.query ?? ""))["scope"]
                }
                expectEqual(scopes, ["openid email", "openid offline_access"])
            }
        }
    }

    @Test
    func `A sign-in on the issuer's page registers this program if the issuer takes registrations`() async throws {
        try await ScriptedProvider.serving { provider in
            provider.deviate { $0.metadata = { $0["registration_endpoint"] = .string("\(provider.base)/register") } }
            try await CommandHome.with { home in
                let login = try await login(
                    home, provider, ["--browser"], environment: ["BROWSER": try browser(home)])
                expectEqual(login.ending, .exited(0), "\(login.error)")
                let request = try #require(provider.requests(to: "/register").first)
                let metadata = try JSONValue(parsing: request.body.bytes)
                expectEqual(metadata["redirect_uris"], ["http://127.0.0.1/callback"])
            }
        }
    }

    // Report 18 in Documentation/PublicReports.md.
    @Test(arguments: ["%s", "x %s", "", "--new-window"])
    func `A sign-in on the issuer's page takes the first browser of a list that works, with its arguments`(
        arguments: String
    ) async throws {
        try await ScriptedProvider.serving { provider in
            try await CommandHome.with { home in
                let place = arguments.hasSuffix("%s") || arguments.isEmpty ? arguments.split(separator: " ").count : 2
                let path = try browser(home, "curl -sSL -b '' -o page.html \"$\(max(place, 1))\"")
                let list = ["BROWSER": "no-such-browser:/no/such/browser -x:\(path) \(arguments)"]
                let login = try await login(
                    home, provider, ["--browser", "--client-id", "notes"], environment: list)
                expectEqual(login.ending, .exited(0), "\(login.error)")
            }
        }
    }

    @Test func `A sign-in on the issuer's page reports missing values, and stores nothing`() async throws {
        try await ScriptedProvider.serving { provider in
            try await CommandHome.with { home in
                let nobody = try await login(home, provider, ["--browser"])
                expectEqual(nobody.ending, .exited(2))
                expectEqual(nobody.error.first, "latch: 'latch login --browser' needs a client ID.")
                let both = try await login(home, provider, ["--browser", "--device", "--client-id", "notes"])
                expectEqual(both.ending, .exited(2))
                let broken = ["BROWSER": try browser(home, "exit 3")]
                let closed = try await login(
                    home, provider, ["--browser", "--client-id", "notes"], environment: broken)
                expectEqual(closed.ending, .exited(1))
                #expect(closed.error.contains { $0.hasPrefix("latch: The sign-in in a browser failed") })
                expectEqual(closed.error.last, "hint: Open the URL by hand, or sign in with a device code.")
                provider.deviate { $0.callback = { $0 = [("error", "access_denied")] + $0.filter { $0.0 != "code" } } }
                let denied = try await login(
                    home, provider, ["--browser", "--client-id", "notes"], environment: ["BROWSER": try browser(home)])
                expectEqual(denied.ending, .exited(1))
                #expect(denied.error.contains("latch: The authorization was denied."))
                provider.deviate { $0.metadata = { $0["authorization_endpoint"] = nil } }
                let pageless = try await login(home, provider, ["--browser", "--client-id", "notes"])
                expectEqual(pageless.error.first, "latch: \(provider.base) has no page for a sign-in in a browser.")
                #expect(try await home.accounts().isEmpty)
            }
        }
    }

    @Test func `A sign-in on the issuer's page can be on another device, by a code`() async throws {
        try await ScriptedProvider.serving { provider in
            provider.deviate { deviations in
                deviations.response = { request in
                    guard request.pathWithoutQuery == "/device" else { return nil }
                    return HTTPResponse(
                        status: .ok,
                        body: HTTPBody(
                            #"{"device_code":"d","user_code":"WDJB-MJHT","interval":1,"expires_in":600,"#
                                + #""verification_uri":"\#(provider.base)/activate"}"#))
                }
            }
            try await CommandHome.with { home in
                let login = try await login(home, provider, ["--device", "--client-id", "notes"])
                expectEqual(login.ending, .exited(0), "\(login.error)")
                #expect(login.error.contains("and enter this code there:     WDJB-MJHT"))
                try await expectEqual(home.accounts().first?["account"], "ada@example.com")
            }
        }
    }

    @Test
    func `A sign-in on the issuer's page uses no page of another server if all servers know the program`() async throws
    {
        try await ScriptedProvider.serving { provider in
            provider.deviate { deviations in
                deviations.metadata = { $0["latch_client_id"] = "notes" }
                deviations.response = { request in
                    guard request.pathWithoutQuery == "/device" else { return nil }
                    return HTTPResponse(
                        status: .ok,
                        body: HTTPBody(
                            #"{"device_code":"d","user_code":"WDJB-MJHT","interval":1,"expires_in":600,"#
                                + #""verification_uri":"https://id.example.com/device"}"#))
                }
            }
            try await CommandHome.with { home in
                let login = try await login(home, provider, ["--device"])
                expectEqual(login.ending, .exited(1))
                expectEqual(login.error.first, "latch: \(provider.base) sends you to the page of another server.")
                #expect(!login.error.contains { $0.contains("WDJB-MJHT") })
                #expect(provider.requests(to: "/token").isEmpty)
            }
        }
    }

    @Test func `A sign-in on the issuer's page needs no user for its own program`() async throws {
        let registration = ClientRegistration(clientID: "robot", secret: "robots-secret-of-nobody-else")
        try await ScriptedProvider.serving(registration) { provider in
            try await CommandHome.with { home in
                let arguments = ["--client-credentials", "--client-id", "robot", "--scope", "notes:read"]
                let missing = try await login(home, provider, arguments)
                expectEqual(missing.error.first, "latch: The client's secret is missing.")
                let secret = ["LATCH_CLIENT_SECRET": "robots-secret-of-nobody-else"]
                let login = try await login(home, provider, arguments, environment: secret)
                expectEqual(login.ending, .exited(0), "\(login.error)")
                expectEqual(login.output.first, "Signed in as robot at \(provider.base).")
                #expect(try !home.holds("robots-secret-of-nobody-else"))
            }
        }
    }

    // Report 13 in Documentation/PublicReports.md.
    @Test func `A sign-in on the issuer's page proves a program in the way that the issuer supports`() async throws {
        let secret = "robots-secret-of-nobody-else"
        let registration = ClientRegistration(clientID: "robot", secret: secret, authentication: .post)
        try await ScriptedProvider.serving(registration) { provider in
            provider.deviate {
                $0.metadata = { $0["token_endpoint_auth_methods_supported"] = ["client_secret_post"] }
            }
            try await CommandHome.with { home in
                let arguments = ["--client-credentials", "--client-id", "robot", "--scope", "notes:read"]
                let login = try await login(home, provider, arguments, environment: ["LATCH_CLIENT_SECRET": secret])
                expectEqual(login.ending, .exited(0), "\(login.error)")
                let request = try #require(provider.requests(to: "/token").first)
                expectNil(request.fields[.authorization])
                expectEqual(request.body.text?.contains("client_secret=\(secret)"), true)
            }
        }
    }

    @Test func `A sign-in on the issuer's page sends the secret of a client to no other issuer`() async throws {
        try await ScriptedProvider.serving { provider in
            try await CommandHome.with { home in
                let browser = ["BROWSER": try browser(home)]
                let elsewhere = [
                    "LATCH_CLIENT_SECRET": "secret-of-another-issuer", "LATCH_CLIENT_ID": "notes",
                    "LATCH_ISSUER": "https://id.example.com",
                ]
                let variables = browser.merging(elsewhere) { $1 }
                let login = try await login(home, provider, ["--browser"], environment: variables)
                expectEqual(login.ending, .exited(0), "\(login.error)")
                _ = try await home.latch("token", "--refresh", environment: variables)
                let unnamed = ["LATCH_CLIENT_SECRET": "secret-of-another-issuer"]
                _ = try await home.latch("token", "--refresh", environment: unnamed)
                expectEqual(provider.requests(to: "/token").count, 3)
                #expect(provider.requests(to: "/token").allSatisfy { $0.fields[.authorization] == nil })
            }
        }
    }

    @Test func `A sign-in on the issuer's page keeps unnamed users apart`() async throws {
        try await ScriptedProvider.serving { provider in
            try await CommandHome.with { home in
                let browser = ["BROWSER": try browser(home)]
                func signIn(_ name: String) async throws {
                    let outcome = try await login(
                        home, provider,
                        ["--browser", "--client-id", "notes", "--scope", "files:read", "--account", name],
                        environment: browser)
                    expectEqual(outcome.ending, .exited(0), "\(outcome.error)")
                }
                for name in ["work", "private", "work"] { try await signIn(name) }
                try await expectEqual(home.accounts().compactMap { $0["account"]?.stringValue }, ["work", "private"])
                let tokens = try await [
                    home.latch("token", "--account", "work").output, home.latch("token", "--account", "private").output,
                ]
                expectNotEqual(tokens[0], tokens[1])
            }
        }
    }

    @Test func `A sign-in on the issuer's page names a user whose claims are only at the userinfo endpoint`()
        async throws
    {
        try await ScriptedProvider.serving { provider in
            provider.deviate { $0.claims = { claims in claims["email"] = nil } }
            try await CommandHome.with { home in
                let browser = ["BROWSER": try browser(home)]
                let arguments = ["--browser", "--client-id", "notes"]
                let named = try await login(home, provider, arguments, environment: browser)
                expectEqual(named.output.first, "Signed in as Ada at \(provider.base).")
                provider.deviate { $0.userInfo = { $0["sub"] = "mallory" } }
                let unnamed = try await login(home, provider, arguments + ["--account", "work"], environment: browser)
                expectEqual(unnamed.ending, .exited(0))
                #expect(unnamed.error.contains { $0.contains("The issuer does not say who has signed in") })
            }
        }
    }

    @Test func `A sign-in on the issuer's page accepts only the user of the requested account`() async throws {
        try await ScriptedProvider.serving { provider in
            try await CommandHome.with { home in
                let browser = ["BROWSER": try browser(home)]
                let arguments = ["--browser", "--client-id", "notes"]
                _ = try await login(home, provider, arguments, environment: browser)
                provider.deviate {
                    $0.claims = { claims in
                        claims.subject = "mallory"
                        claims["email"] = "mallory@example.com"
                    }
                }
                let before = try await home.latch("token").output
                let other = try await login(
                    home, provider, arguments + ["--account", "ada@example.com"], environment: browser)
                expectEqual(other.ending, .exited(1))
                #expect(other.error.contains("latch: Another user has signed in, not ada@example.com."))
                // It would end that user's sessions elsewhere.
                #expect(provider.requests(to: "/revoke").isEmpty)
                try await expectEqual(home.latch("token").output, before)
                let new = try await login(home, provider, arguments + ["--account", "bob"], environment: browser)
                expectEqual(new.output.first, "Signed in as mallory@example.com at \(provider.base).")
                #expect(new.error.contains("latch: warning: 'mallory@example.com' has signed in, not 'bob'."))
            }
        }
    }

    @Test
    func `A sign-in on the issuer's page does not register at an issuer with another issuer's page`() async throws {
        try await ScriptedProvider.serving { provider in
            provider.deviate {
                $0.metadata = { metadata in
                    metadata["registration_endpoint"] = .string("\(provider.base)/register")
                    metadata["authorization_endpoint"] = "https://id.example.com/authorize"
                    metadata["authorization_response_iss_parameter_supported"] = nil
                }
            }
            try await CommandHome.with { home in
                let login = try await login(home, provider, ["--browser"], environment: ["BROWSER": try browser(home)])
                expectEqual(login.ending, .exited(1))
                expectEqual(login.error.first?.contains("shows another server's page"), true)
                #expect(provider.requests(to: "/register").isEmpty)
            }
        }
    }

    @Test func `A token for every API is not printed as a token for one API`() async throws {
        try await ScriptedProvider.serving { provider in
            try await CommandHome.with { home in
                let browser = ["BROWSER": try browser(home)]
                _ = try await login(home, provider, ["--browser", "--client-id", "notes"], environment: browser)
                provider.deviate { deviations in
                    deviations.tokenResponse = { response in
                        let token = try? JWT.sign(["aud": "https://all.example.com"], with: provider.key)
                        response["access_token"] = .string(token ?? "")
                    }
                }
                let refused = try await home.latch("token", "--audience", "https://api.example.com")
                #expect(refused.ending == .exited(1) && refused.output.isEmpty)
                expectEqual(refused.error.first?.contains("that is not for https://api.example.com."), true)
            }
        }
    }

    @Test
    func `A sign-in on the issuer's page prints a token for an API that is also for others, and says so`() async throws
    {
        try await ScriptedProvider.serving { provider in
            try await CommandHome.with { home in
                let browser = ["BROWSER": try browser(home)]
                let arguments = ["--browser", "--client-id", "notes", "--audience", "https://api.example.com"]
                _ = try await login(home, provider, arguments, environment: browser)
                let code = try #require(provider.requests(to: "/token").first)
                expectEqual(ScriptedProvider.parameters(code.body.text ?? "")["resource"], "https://api.example.com")
                let both: JSONValue = ["https://api.example.com", .string("\(provider.base)/userinfo")]
                let token = try JWT.sign(["aud": both], with: provider.key)
                provider.deviate { $0.tokenResponse = { $0["access_token"] = .string(token) } }
                let printed = try await home.latch("token", "--audience", "https://api.example.com")
                #expect(printed.ending == .exited(0) && printed.output == [token])
                expectEqual(printed.error.first?.hasSuffix("others too: \(provider.base)/userinfo."), true)
                try await expectEqual(home.latch("login", "--audience", "https://api.example.com").ending, .exited(2))
            }
        }
    }

    @Test func `A sign-in on the issuer's page gets a token for only one API`() async throws {
        try await ScriptedProvider.serving { provider in
            try await CommandHome.with { home in
                let browser = ["BROWSER": try browser(home)]
                _ = try await login(home, provider, ["--browser", "--client-id", "notes"], environment: browser)
                let usual = try await home.latch("token").output
                let special = try await home.latch("token", "--audience", "https://api.example.com")
                #expect(special.ending == .exited(0) && special.output != usual)
                let request = try #require(provider.requests(to: "/token").last)
                let form = ScriptedProvider.parameters(request.body.text ?? "")
                expectEqual(form["resource"], "https://api.example.com")
                try await expectEqual(home.latch("token").output, usual)
                try await expectEqual(home.latch("token", "--audience", "not a URI").ending, .exited(2))
            }
        }
    }
}

@Suite struct TerminalQRCodeTests {
    @Test func `A QR code in a terminal has two rows of modules in each line, and light around`() {
        let lines = QRCodeText.lines(of: QRCode(width: 2, modules: [true, false, false, true])).split(separator: "\n")
        let start = "  \u{1B}[30;107m"
        expectEqual(lines, ["\(start)      \u{1B}[0m", "\(start)  ▀▄  \u{1B}[0m", "\(start)      \u{1B}[0m"])
    }
}
