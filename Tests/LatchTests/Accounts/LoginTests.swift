// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchProcess
import LatchTesting
import Synchronization
import TestSupport
import Testing

@testable import LatchCommand
@testable import latch

@Suite struct LoginTests {
    @Test
    func `Signing in on the command line takes the password from a pipe, and shows and keeps no secret`() async throws {
        try await CommandHome.with { home in
            let server = try await ServedLatch.start(in: home.folder)
            try await server.signUp("ada@example.com")
            let login = try await home.latch(
                "login", "--issuer", server.url.absoluteString, "--account", "ada@example.com", "--password-stdin",
                input: CommandHome.password + "\n")
            expectEqual(login.ending, .exited(0))
            #expect(login.error.isEmpty)
            expectEqual(login.output.first, "Signed in as ada@example.com at \(server.url.absoluteString).")
            let token = try #require(try await home.latch("token").output.first)
            expectEqual(token.split(separator: ".").count, 3)
            let whoami = try await home.latch("whoami")
            expectEqual(whoami.output.first, "ada@example.com")
            for said in [login, whoami, try await home.latch("accounts"), try await home.latch("accounts", "--json")] {
                let text = (said.output + said.error).joined()
                #expect(!text.contains(token) && !text.contains(CommandHome.password))
            }
            #expect(try !FileManager.default.subpathsOfDirectory(atPath: home.path).isEmpty)
            for name in try FileManager.default.subpathsOfDirectory(atPath: home.path) {
                let data = FileManager.default.contents(atPath: "\(home.path)/\(name)") ?? Data()
                expectNil(data.firstRange(of: Data(token.utf8)), "\(name)")
                expectNil(data.firstRange(of: Data(CommandHome.password.utf8)), "\(name)")
                let mode = try FileManager.default.attributesOfItem(atPath: "\(home.path)/\(name)")[.posixPermissions]
                #expect((mode as? UInt ?? 0) & 0o077 == 0, "\(name)")
            }
        }
    }

    /// boto/botocore#3110, Eppie-io/Eppie-CLI#622, kubernetes-sigs/aws-load-balancer-controller#3865.
    @Test func `Signing in on the command line ignores empty variables, byte order marks and line breaks`()
        async throws
    {
        try await ScriptedIssuer.with { issuer in
            try await CommandHome.with { home in
                let empty = ["LATCH_ACCOUNT": "", "LATCH_CLIENT_ID": "", "LATCH_CLIENT_SECRET": ""]
                let login = try await home.latch(
                    "login", "--account", "ada", "--password-stdin", input: "\u{FEFF}secret\r\n",
                    environment: empty.merging(["LATCH_ISSUER": issuer.url + "\n"]) { $1 })
                expectEqual(login.ending, .exited(0), "\(login.error)")
                let sent = try #require(issuer.passwordRequests.first?.body.text)
                #expect(sent.split(separator: "&").contains("password=secret"), "\(sent)")
                for environment in [empty, empty.merging(["LATCH_ISSUER": ""]) { $1 }] {
                    try await expectEqual(home.latch("token", environment: environment).ending, .exited(0))
                }
            }
        }
    }

    @Test func `Signing in on the command line names an argument that is not UTF-8`() async throws {
        try await CommandHome.with { home in
            let call = try home.start(through: #"exec "$0" accounts remove "$(printf 'caf\351')""#)
            let outcome = await call.outcome()
            expectEqual(outcome.ending, .exited(2))
            expectEqual(outcome.error.first, "latch: Argument 3 is not UTF-8.")
        }
    }

    /// uutils/coreutils#11195: the runtime would replace the bytes, and another folder be used.
    @Test(arguments: ["LATCH_HOME", "HOME"])
    func `Signing in on the command line names a variable that is not UTF-8`(name: String) async throws {
        try await CommandHome.with { home in
            let call = try home.start(through: #"\#(name)="/tmp/$(printf 'caf\351')" exec "$0" accounts"#)
            let outcome = await call.outcome()
            expectEqual(outcome.ending, .exited(1))
            expectEqual(outcome.error.first, "latch: The variable \(name) is not UTF-8.")
        }
    }

    /// openssl/openssl#16249: a configuration that activates one provider deactivates the default one.
    @Test(arguments: ["file", "passphrase"])
    func `Signing in on the command line keeps the accounts if OpenSSL cannot decrypt`(store: String) async throws {
        try await ScriptedIssuer.with { issuer in
            try await CommandHome.with { home in
                let passphrase = home.folder + "/passphrase"
                try Data("correct horse".utf8).write(to: URL(filePath: passphrase))
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: passphrase)
                var environment =
                    store == "passphrase"
                    ? ["LATCH_SECRET_STORE": "passphrase", "LATCH_PASSPHRASE_FILE": passphrase] : [:]
                func login(_ account: String) async throws -> BuiltProgram.Outcome {
                    try await home.latch(
                        "login", "--issuer", issuer.url, "--account", account, "--password-stdin", input: "secret",
                        environment: environment)
                }
                try await expectEqual(login("ada").ending, .exited(0))
                let usual = environment
                let configuration = home.folder + "/openssl.cnf"
                try Data(
                    """
                    openssl_conf = init
                    [init]
                    providers = all
                    [all]
                    legacy = one
                    [one]
                    activate = 1
                    """.utf8
                ).write(to: URL(filePath: configuration))
                environment["OPENSSL_CONF"] = configuration
                let refused = try await login("bob")
                expectEqual(refused.ending, .exited(1))
                #expect(!refused.error.joined().contains("damaged"), "\(refused.error)")
                environment = usual
                try await expectEqual(home.latch("accounts", environment: environment).output.count, 1)
                try await expectEqual(home.latch("token", environment: environment).ending, .exited(0))
            }
        }
    }

    @Test
    func `Signing in on the command line keeps everything below LATCH_HOME, which must be a place`() async throws {
        try await ScriptedIssuer.with { issuer in
            try await CommandHome.with { home in
                let elsewhere = ["HOME": home.folder + "/person", "XDG_DATA_HOME": home.folder + "/data"]
                let login = try await home.latch(
                    "login", "--issuer", issuer.url, "--account", "ada", "--password-stdin", input: "secret",
                    environment: elsewhere)
                expectEqual(login.ending, .exited(0))
                #expect(!FileManager.default.fileExists(atPath: home.folder + "/person"))
                #expect(!FileManager.default.fileExists(atPath: home.folder + "/data"))
                try await expectEqual(home.accounts().count, 1)
                let other = try await home.latch("accounts", environment: ["LATCH_HOME": home.folder + "/other"])
                #expect(other.output.isEmpty && other.ending == .exited(0))
                let relative = try await home.latch("accounts", environment: ["LATCH_HOME": "home"])
                expectEqual(relative.ending, .exited(1))
                expectEqual(relative.error.first, "latch: LATCH_HOME is not an absolute path.")
            }
        }
    }

    @Test(
        arguments: [
            ("", 1, "There is no password on standard input."), ("\n", 1, "There is no password on standard input."),
            ("one\n\n", 1, "There is no code on the second line of standard input."),
            ("one\ntwo\nthree\n", 1, "Standard input holds more than two lines."),
            (String(repeating: "x", count: 70_000), 1, "The password on standard input is too long."),
        ] as [(String, Int32, String)])
    func `Signing in on the command line refuses an invalid password, and has begun nothing`(
        input: String, code: Int32, message: String
    ) async throws {
        try await CommandHome.with { home in
            let outcome = try await home.latch(
                "login", "--issuer", "http://127.0.0.1:9", "--account", "ada", "--password-stdin", input: input)
            expectEqual(outcome.ending, .exited(code))
            expectEqual(outcome.error.first, "latch: \(message)")
            #expect(!FileManager.default.fileExists(atPath: home.path))
        }
    }

    @Test func `Signing in on the command line takes the code of a second factor from the second line`() async throws {
        try await ScriptedIssuer.with { issuer in
            issuer.world.withLock { $0.code = "123456" }
            try await CommandHome.with { home in
                let arguments = ["login", "--issuer", issuer.url, "--account", "ada", "--password-stdin"]
                let without = try await home.start(arguments, input: "secret\n").outcome()
                expectEqual(without.ending, .exited(1))
                expectEqual(without.error.first, "latch: The account has a second factor.")
                expectEqual(without.error.last, "hint: Pipe in the code on a second line.")
                let outcome = try await home.start(arguments, input: "secret\n123456\n").outcome()
                expectEqual(outcome.ending, .exited(0), "\(outcome.error)")
                let form = issuer.world.withLock { $0.requests.last { $0.path == "/oauth/token" }?.body.text }
                expectEqual(form?.split(separator: "&").contains("password=secret"), true, "\(form ?? "")")
            }
        }
    }

    @Test
    func `Signing in on the command line takes the password unchanged, without one line break at its end`() async throws
    {
        try await ScriptedIssuer.with { issuer in
            try await CommandHome.with { home in
                for (input, sent) in [(" a b \r\n", "%20a%20b%20"), ("p&q=%\n", "p%26q%3D%25"), ("é", "%C3%A9")] {
                    let outcome = try await home.latch(
                        "login", "--issuer", issuer.url, "--account", "ada", "--password-stdin", input: input)
                    expectEqual(outcome.ending, .exited(0), "\(outcome.error)")
                    let form = issuer.world.withLock { $0.requests.last { $0.path == "/oauth/token" }?.body.text }
                    expectEqual(form?.split(separator: "&").contains("password=\(sent)"), true, "\(form ?? "")")
                }
            }
        }
    }

    @Test(
        arguments: [
            (["--account", "ada", "--password-stdin"], "'latch login' needs an issuer."),
            (["--issuer", "http://127.0.0.1:9", "--password-stdin"], "'latch login' needs an account."),
            (
                ["--issuer", "http://127.0.0.1:9", "--account", "", "--password-stdin"],
                "'latch login' needs an account."
            ),
            (
                ["--issuer", "http://127.0.0.1:9", "--account", "ada"],
                "There is no terminal to prompt for the password."
            ),
            (
                ["--issuer", "http://127.0.0.1:9", "--account", "a", "--password-stdin", "--scope", "a\"b"],
                "'a\"b' is not a list of scopes."
            ),
            (["--device"], "'latch login' needs an issuer."),
            (["--browser", "--device"], "'latch login' signs in in one way."),
            (["--password", "x"], "'latch login' has no option '--password'."),
            (["secret"], "'latch login' does not expect 'secret'."),
        ] as [([String], String)])
    func `Signing in on the command line is a usage error if something is missing`(arguments: [String], message: String)
        async throws
    {
        try await CommandHome.with { home in
            let outcome = try await home.start(["login"] + arguments, input: "x").outcome()
            expectEqual(outcome.ending, .exited(2))
            expectEqual(outcome.error.first, "latch: \(message)")
            expectEqual(outcome.error.last?.hasPrefix("hint: "), true)
        }
    }

    @Test(arguments: ["http://id.example.com", "ftp://id.example.com", "id.example.com", "https://a:b@id.example.com"])
    func `Signing in on the command line sends no password to an invalid issuer, or in the clear`(issuer: String)
        async throws
    {
        try await CommandHome.with { home in
            let outcome = try await home.latch(
                "login", "--issuer", issuer, "--account", "ada", "--password-stdin", input: "secret")
            expectEqual(outcome.ending, .exited(1))
            #expect(!outcome.error.joined().contains("secret"))
        }
    }

    @Test func `Signing in on the command line distinguishes a wrong password from a missing issuer`() async throws {
        try await CommandHome.with { home in
            let server = try await ServedLatch.start(in: home.folder)
            try await server.signUp("ada@example.com")
            try await home.login("ada@example.com", at: server.url.absoluteString)
            let wrong = try await home.latch(
                "login", "--account", "ada@example.com", "--password-stdin", input: "not the password")
            expectEqual(wrong.ending, .exited(1))
            expectEqual(wrong.error.first?.hasSuffix("does not accept this name and password."), true)
            let nowhere = try await home.latch(
                "login", "--issuer", "http://127.0.0.1:9", "--account", "ada@example.com", "--password-stdin",
                input: CommandHome.password)
            expectEqual(nowhere.ending, .exited(1))
            expectEqual(nowhere.error.first?.contains("could not be reached"), true)
            try await expectEqual(home.latch("whoami").ending, .exited(0))
            try await expectEqual(home.accounts().count, 1)
        }
    }

    @Test func `Signing in on the command line reports scopes that were not granted`() async throws {
        try await CommandHome.with { home in
            let server = try await ServedLatch.start(in: home.folder)
            try await server.signUp("ada@example.com")
            let login = try await home.latch(
                "login", "--issuer", server.url.absoluteString, "--account", "ada@example.com", "--password-stdin",
                "--scope", "widgets:read widgets:admin", input: CommandHome.password)
            expectEqual(login.ending, .exited(0))
            expectEqual(login.output.last, "Scopes: widgets:read")
            expectEqual(login.error.first, "latch: warning: Requested and not granted: widgets:admin.")
            let json = try await home.latch(
                "login", "--account", "ada@example.com", "--password-stdin", "--scope", "widgets:read widgets:admin",
                "--json", input: CommandHome.password)
            let object = try JSONValue(parsing: json.output.joined())
            expectEqual(object["scopes"], ["widgets:read"])
            expectEqual(object["missing_scopes"], ["widgets:admin"])
            expectEqual(object["account"], "ada@example.com")
        }
    }

    @Test func `Signing in on the command line again revokes the replaced tokens`() async throws {
        try await CommandHome.with { home in
            let server = try await ServedLatch.start(in: home.folder)
            try await server.signUp("ada@example.com")
            try await home.login("ada@example.com", at: server.url.absoluteString)
            let first = try #require(try await home.latch("token").output.first)
            try await home.login("ada@example.com", at: server.url.absoluteString + "/")
            let second = try #require(try await home.latch("token").output.first)
            expectNotEqual(first, second)
            try await expectEqual(home.accounts().count, 1)
            try await expectEqual(Self.status(of: first, at: server.url), 401)
            try await expectEqual(Self.status(of: second, at: server.url), 200)
        }
    }

    /// The server's response to a token.
    static func status(of token: String, at url: URL) async throws -> Int {
        let client = Client(baseURL: url)
        let request = try client.request(.get, "user/profile", fields: [.authorization: "Bearer \(token)"])
        return try await client.respond(to: request).status.rawValue
    }
}
