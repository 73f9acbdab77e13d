// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchJOSE
import LatchProcess
import LatchTesting
import TestSupport
import Testing

@testable import latch
@testable import latch_demo

/// Sign-ins of the command at `latch serve`, on pages that a script fills in as a person does.
@Suite(.timeLimit(.minutes(3))) struct ServerLoginTests {
    /// The functions of a person: `open` a page, and `send` its form with further fields.
    private static let person = #"""
        #!/bin/sh
        token() { sed -n 's/.*name="token" value="\([^"]*\)".*/\1/p' page.html; }
        open() { curl -sSL -c jar -b jar -o page.html "$1"; }
        send() { page=$1; shift; curl -sSL -c jar -b jar -o page.html --data-urlencode "token=$(token)" "$@" "$page"; }

        """#

    private func write(_ script: String, in home: CommandHome) throws -> String {
        let path = "\(home.folder)/person"
        try Data((Self.person + script).utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        return path
    }

    private func environment(_ home: CommandHome, _ server: ServedLatch, _ script: String) throws -> [String: String] {
        [
            "BROWSER": try write(script, in: home), "PERSON_PASSWORD": CommandHome.password,
            "PERSON_SERVER": server.url.absoluteString,
        ]
    }

    @Test func `A sign-in on the pages of latch serve opens the browser, and names the signed-in user`() async throws {
        try await CommandHome.with { home in
            let server = try await ServedLatch.start(in: home.folder)
            try await server.signUp("ada@example.com")
            let browser = try environment(
                home, server,
                #"open "$1"; send "$PERSON_SERVER/login" --data-urlencode name=ada@example.com "#
                    + #"--data-urlencode "password=$PERSON_PASSWORD""#)
            let issuer = server.url.absoluteString
            let login = try await home.start(["login", "--browser", "--issuer", issuer], environment: browser).outcome()
            expectEqual(login.ending, .exited(0), "\(login.error)")
            expectEqual(
                login.output,
                [
                    "Signed in as ada@example.com at \(issuer).", "Scopes: openid profile email offline_access",
                ])
            expectEqual(login.error.first, "Sign in at \(issuer), in your browser. If no page opens, open this one:")
            #expect(!login.error.contains { $0.contains("warning") })
            let user = try JSONValue(parsing: try await home.latch("whoami", "--json").output.joined())
            #expect(user["email"] == "ada@example.com" && user["email_verified"] == false)
            // Another process refreshes, with the ID token that the server issues then.
            let first = try await home.latch("token").output
            let second = try await home.latch("token", "--refresh")
            #expect(second.ending == .exited(0) && second.output != first, "\(second.error)")
            let logout = try await home.latch("logout", "--json")
            try expectEqual(JSONValue(parsing: logout.output.joined())["confirmed"], true)
            #expect(try !home.holds(CommandHome.password))
        }
    }

    @Test func `A sign-in on the pages of latch serve requests the scopes that the call names`() async throws {
        try await CommandHome.with { home in
            let server = try await ServedLatch.start(in: home.folder)
            try await server.signUp("ada@example.com")
            let browser = try environment(
                home, server,
                #"open "$1"; send "$PERSON_SERVER/login" --data-urlencode name=ada@example.com "#
                    + #"--data-urlencode "password=$PERSON_PASSWORD""#)
            let issuer = server.url.absoluteString
            let login = try await home.start(
                ["login", "--browser", "--issuer", issuer, "--scope", "openid email widgets:read"], environment: browser
            ).outcome()
            expectEqual(login.ending, .exited(0), "\(login.error)")
            let request = try await home.latch("request", "GET", "\(issuer)/widgets")
            expectEqual(request.ending, .exited(0), "\(request.error)")
        }
    }

    @Test func `A sign-in on the pages of latch serve says that its user has refused`() async throws {
        try await CommandHome.with { home in
            let server = try await ServedLatch.start(in: home.folder)
            let browser = try environment(home, server, #"open "$1"; send "$PERSON_SERVER/login" -d refuse=yes"#)
            let login = try await home.start(
                ["login", "--browser", "--issuer", server.url.absoluteString], environment: browser
            ).outcome()
            expectEqual(login.ending, .exited(1))
            #expect(login.error.contains("latch: The authorization was denied."))
            #expect(try await home.accounts().isEmpty)
        }
    }

    @Test func `A sign-in on the pages of latch serve can be on another device, by a code`() async throws {
        try await CommandHome.with { home in
            let server = try await ServedLatch.start(in: home.folder)
            try await server.signUp("ada@example.com")
            let issuer = server.url.absoluteString
            let login = try home.start(["login", "--device", "--issuer", issuer])
            let code = try await code(of: login)
            let person = try write(
                #"open "$1/device?user_code=$2"; send "$1/device" --data-urlencode "user_code=$2"; "#
                    + #"send "$1/login" --data-urlencode name=ada@example.com --data-urlencode "password=$3"; "#
                    + #"send "$1/device""#, in: home)
            // Not the file itself: a process that another test starts may hold it open for writing still.
            let process = try ChildProcess.start(
                "/bin/sh", [person, issuer, code, CommandHome.password], environment: BuiltProgram.environment([:]),
                in: login.folder, errors: .file("\(login.folder)/person-error"))
            await expectEqual(process.end(), .exited(0))
            let outcome = await login.outcome()
            expectEqual(outcome.ending, .exited(0), "\(outcome.error)")
            expectEqual(outcome.output.first, "Signed in as ada@example.com at \(issuer).")
            expectEqual(outcome.error.first, "Open this page on any device:  \(issuer)/device")
            expectEqual(outcome.error.last, "Waiting; the code expires in 10 minutes.")
            try await expectEqual(home.accounts().first?["account"], "ada@example.com")
        }
    }

    /// Returns the code that a call shows.
    private func code(of call: CommandHome.Call) async throws -> String {
        let start = "and enter this code there:     "
        for _ in 0..<60_000 {
            let lines = BuiltProgram.lines(of: "\(call.folder)/error")
            if let line = lines.first(where: { $0.hasPrefix(start) }), lines.count > 2 {
                return String(line.dropFirst(start.count))
            }
            try await WallClock.system.sleep(for: .milliseconds(1))
        }
        throw DemoFailure("it said only: \(BuiltProgram.lines(of: "\(call.folder)/error"))")
    }
}
