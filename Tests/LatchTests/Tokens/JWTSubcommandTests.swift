// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchJOSE
import LatchServer
import LatchTesting
import TestSupport
import Testing

@testable import LatchCommand
@testable import latch

@Suite struct JWTSubcommandTests {
    /// The outcome of a call within this process.
    private struct Said {
        let code: ExitCode
        let output: String
        let error: String

        var json: JSONValue { (try? JSONValue(parsing: String(output.dropLast()))) ?? .null }
    }

    private func latch(_ arguments: String..., input: String = "", isTerminal: Bool = false) async -> Said {
        let kept = RecordingEnvironment(input: Array(input.utf8), isTerminal: isTerminal)
        let code = await Program.command.run(arguments, in: kept.environment)
        return Said(code: code, output: kept.output, error: kept.error)
    }

    /// A new key in a folder: the paths of the whole one and of its public half.
    private func key(
        in folder: String, _ algorithm: String = "ES256"
    ) async -> (whole: String, publicHalf: String) {
        let paths = (folder + "/\(algorithm).json", folder + "/\(algorithm).public.json")
        let said = await latch("keys", "generate", "-a", algorithm, "-o", paths.0, "--public-output", paths.1)
        expectEqual(said.code, .success, "\(said.error)")
        return paths
    }

    @Test(arguments: ["ES256", "es384", "ES512", "EdDSA", "Ed25519", "RS256", "PS384"])
    func `Tokens on the command line are signed by its own key and verified by its public half`(algorithm: String)
        async throws
    {
        try await withTemporaryFolder { folder in
            let key = await key(in: folder, algorithm)
            let signed = await latch("jwt", "sign", "--key", key.whole, "--subject", "ada", "--claim", "admin=true")
            #expect(signed.code == .success && signed.error.isEmpty)
            let verified = await latch("jwt", "verify", "--keys", key.publicHalf, "--json", input: signed.output)
            expectEqual(verified.code, .success, "\(verified.error)")
            expectEqual(verified.json["verified"], true)
            expectEqual(verified.json["claims"]?["sub"], "ada")
            expectEqual(verified.json["claims"]?["admin"], true)
            expectEqual(
                verified.json["header"]?["alg"]?.stringValue?.lowercased(),
                algorithm == "Ed25519" ? "eddsa" : algorithm.lowercased())
        }
    }

    @Test
    func `Tokens on the command line are verified by a shared secret, whose public half does not exist`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/secret.json"
            let refused = await latch("keys", "generate", "-a", "HS256", "-o", path, "--public-output", folder + "/p")
            expectEqual(refused.code, .usage)
            let files = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(files.isEmpty)
            let made = await latch("keys", "generate", "-a", "HS256", "-o", path)
            #expect(made.json["kty"] == "oct" && made.json["k"] == nil)
            let token = await latch("jwt", "sign", "-k", path).output
            await expectEqual(latch("jwt", "verify", "-k", path, input: token).code, .success)
        }
    }

    @Test
    func `Tokens on the command line carry the claims of a file, of flags and of the clock, in that order`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let key = await key(in: folder)
            let claims = #"{"sub":"file","iss":"file","list":[1]}"#
            let token = await latch(
                "jwt", "sign", "--key", key.whole, "--claims", "-", "--claim", "sub=flag", "--claim", "n=5", "--claim",
                "text=a=b", "--issuer", "me", "--audience", "api", "--type", "at+jwt", "--lifetime", "60", input: claims
            )
            let object = await latch("jwt", "decode", "--json", input: token.output).json
            let said = try #require(object["claims"])
            #expect(said["sub"] == "flag" && said["iss"] == "me" && said["aud"] == "api" && said["list"] == [1])
            #expect(said["n"] == 5 && said["text"] == "a=b")
            expectEqual(object["header"]?["typ"], "at+jwt")
            let (made, end) = (try #require(said["iat"]?.intValue), try #require(said["exp"]?.intValue))
            expectEqual(end - made, 60)
            let distance = abs(Double(made) - Date().timeIntervalSince1970)
            #expect(distance < 60)
            let own = await latch("jwt", "sign", "-k", key.whole, "--claims", "-", input: #"{"exp":5,"iat":4}"#)
            let kept = await latch("jwt", "decode", "--json", input: own.output).json["claims"]
            #expect(kept?["exp"] == 5 && kept?["iat"] == 4)
        }
    }

    @Test func `Tokens on the command line are refused for their first fault, with exit 1`() async throws {
        try await withTemporaryFolder { folder in
            let (key, other) = (await key(in: folder), await key(in: folder, "EdDSA"))
            func verify(_ token: String, _ flags: String...) async -> Said {
                let kept = RecordingEnvironment(input: Array(token.utf8))
                let code = await Program.command.run(["jwt", "verify"] + flags, in: kept.environment)
                return Said(code: code, output: kept.output, error: kept.error)
            }
            let token = await latch("jwt", "sign", "-k", key.whole, "--issuer", "me", "--audience", "api").output
            let expired = await latch("jwt", "sign", "-k", key.whole, "--claims", "-", input: #"{"exp":5,"iat":4}"#)
            let cases: [(Said, String)] = [
                (await verify(token, "-k", key.publicHalf), "is for the audience 'api', and no audience"),
                (
                    await verify(token, "-k", key.publicHalf, "--audience", "x"),
                    "another audience: expected 'x', found 'api'"
                ),
                (await verify(token, "-k", key.publicHalf, "--audience", "api", "--issuer", "you"), "another issuer"),
                (await verify(token, "-k", key.publicHalf, "--audience", "api", "--type", "at+jwt"), "another type"),
                (await verify(token, "-k", other.publicHalf, "--audience", "api"), "algorithm is not accepted"),
                (await verify(token, "-k", key.publicHalf, "--audience", "api", "--algorithm", "ES384"), "algorithm"),
                (await verify(expired.output, "-k", key.publicHalf), "has expired"),
                (await verify(token.dropLast(9) + "AAAAAAAA", "-k", key.publicHalf, "--audience", "api"), "signature"),
                (await verify("no token", "-k", key.publicHalf), "not a signed token"),
            ]
            for (said, reason) in cases {
                #expect(said.code == .failure && said.output.isEmpty)
                #expect(said.error.contains(reason), "\(said.error)")
            }
            await expectEqual(verify(token, "-k", key.publicHalf, "--audience", "api", "--issuer", "me").code, .success)
            await expectEqual(verify(expired.output, "-k", key.publicHalf, "--leeway", "3000000000").code, .success)
        }
    }

    @Test func `Tokens on the command line are verified with the keys that an issuer publishes`() async throws {
        try await CommandHome.with { home in
            let server = try await ServedLatch.start(in: home.folder)
            try await server.signUp("ada@example.com")
            let issuer = server.url.absoluteString
            try await home.login("ada@example.com", at: issuer)
            let token = try await home.latch("token").output.joined()
            let keys = issuer + "/.well-known/jwks.json"
            let said = await latch(
                "jwt", "verify", "--keys", keys, "--issuer", issuer, "--audience", issuer, "--type", "at+jwt", "--json",
                input: token)
            expectEqual(said.code, .success, "\(said.error)")
            expectEqual(said.json["claims"]?["email"], "ada@example.com")
            let nowhere = await latch("jwt", "verify", "--keys", "http://127.0.0.1:9/x", input: token)
            expectEqual(nowhere.code, .failure)
        }
    }

    @Test func `Tokens on the command line are read from a pipe, a silent terminal, or the call with a warning`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let key = await key(in: folder)
            // The age of a date near now would differ between two calls.
            let token = await latch(
                "jwt", "sign", "-k", key.whole, "--subject", "ada", "--claim", "iat=946684800", "--claim",
                "exp=4102444800"
            ).output
            let bare = String(token.dropLast())
            let piped = await latch("jwt", "decode", input: token)
            #expect(piped.error.isEmpty)
            #expect(piped.output.contains("  sub  ada\n"))
            #expect(piped.output.hasSuffix("The signature was not verified.\n"))
            await expectEqual(latch("jwt", "decode", "-", input: token).output, piped.output)
            let typed = await latch("jwt", "decode", input: token, isTerminal: true)
            expectEqual(typed.output, piped.output)
            expectEqual(typed.error, "token: \n")
            let called = await latch("jwt", "decode", bare)
            expectEqual(called.output, piped.output)
            #expect(called.error.hasPrefix("latch: warning: A token on the command line is visible"))
            #expect(!called.error.contains(bare))
        }
    }

    @Test func `Tokens on the command line cannot control a terminal by their text`() async throws {
        try await withTemporaryFolder { folder in
            let key = await key(in: folder)
            let claims = #"{"sub":"\u001b[2J\u202e","\u001b]0;x\u0007":"\n"}"#
            let token = await latch("jwt", "sign", "-k", key.whole, "--claims", "-", input: claims).output
            let shown = await latch("jwt", "decode", input: token).output
            #expect(!shown.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0 == "\u{202E}" })
            #expect(shown.contains(#"\u{1b}[2J\u{202e}"#))
        }
    }

    @Test(
        arguments: [
            (["jwt"], "'latch jwt' needs a subcommand: 'decode', 'verify', 'sign'."),
            (["jwt", "verify"], "'latch jwt verify' needs keys."), (["jwt", "sign"], "'latch jwt sign' needs a key."),
            (["jwt", "verify", "-k", "-"], "Token and keys cannot both be standard input."),
            (["jwt", "sign", "-k", "-", "--claims", "-"], "Key and claims cannot both be standard input."),
            (["keys", "generate", "-a", "none"], "'none' is not a signature algorithm."),
            (["keys", "generate", "-a", "ES265"], "'ES265' is not a signature algorithm."),
        ] as [([String], String)])
    func `Tokens on the command line are not read after a usage error`(arguments: [String], message: String) async {
        let kept = RecordingEnvironment()
        await expectEqual(Program.command.run(arguments, in: kept.environment), .usage)
        #expect(kept.error.hasPrefix("latch: \(message)\nhint: "), "\(kept.error)")
        #expect(kept.output.isEmpty)
    }

    @Test(arguments: ["-1", "1.5", "", "soon", "99999999999999"])
    func `Tokens on the command line live for whole seconds`(text: String)
        async throws
    {
        try await withTemporaryFolder { folder in
            let key = await key(in: folder)
            let said = await latch("jwt", "sign", "-k", key.whole, "--lifetime=\(text)")
            expectEqual(said.code, .usage)
            #expect(said.error.hasPrefix("latch: '--lifetime' needs a number of seconds.\n"))
        }
    }
}

@Suite struct CommandLineKeyTests {
    @Test
    func `A key from the command line is in a file for only its owner, which is never overwritten`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/key.json"
            let kept = RecordingEnvironment()
            await expectEqual(
                Program.command.run(["keys", "generate", "--output", path, "--id", "one"], in: kept.environment),
                .success)
            let shown = try JSONValue(parsing: String(kept.output.dropLast()))
            #expect(shown["kid"] == "one" && shown["d"] == nil && shown["alg"] == "ES256")
            let file = Array(FileManager.default.contents(atPath: path) ?? Data())
            let whole = try JSONValue(parsing: Array(file.dropLast()))
            #expect(whole["kid"] == "one" && whole["d"] != nil)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? UInt
            expectEqual(mode, 0o600)
            let again = RecordingEnvironment()
            await expectEqual(
                Program.command.run(["keys", "generate", "--output", path], in: again.environment), .failure)
            #expect(again.error.hasPrefix("latch: '\(path)' is there already.\n"))
            let nowhere = RecordingEnvironment()
            let place = folder + "/none/key.json"
            await expectEqual(
                Program.command.run(["keys", "generate", "--output", place], in: nowhere.environment), .failure)
            #expect(nowhere.output.isEmpty)
        }
    }

    @Test func `A key from the command line that cannot be read is reported without its content`() async throws {
        try await withTemporaryFolder { folder in
            let texts = [
                "", "secret", "[]", #"{"secret":1}"#, #"{"kty":"oct","alg":"HS256","k":"secret"}"#, #"{"keys":[]}"#,
                #"{"kty":"EC","crv":"P-256","x":"AA","y":"AA","d":"secret"}"#,
            ]
            for text in texts {
                let path = folder + "/key.json"
                try Data(text.utf8).write(to: URL(filePath: path))
                let kept = RecordingEnvironment()
                await expectEqual(Program.command.run(["jwt", "sign", "-k", path], in: kept.environment), .failure)
                #expect(!kept.error.contains("secret"), "\(kept.error)")
                #expect(kept.output.isEmpty)
            }
            let none = RecordingEnvironment()
            await expectEqual(
                Program.command.run(["jwt", "sign", "-k", folder + "/none"], in: none.environment), .failure)
            #expect(none.error.contains("there is no such file"))
        }
    }

    @Test func `A key from the command line that only verifies does not sign`() async throws {
        try await withTemporaryFolder { folder in
            let (path, publicPath) = (folder + "/key.json", folder + "/public.json")
            let kept = RecordingEnvironment()
            let flags = ["-o", path, "--public-output", publicPath]
            await expectEqual(Program.command.run(["keys", "generate"] + flags, in: kept.environment), .success)
            let refused = RecordingEnvironment()
            await expectEqual(
                Program.command.run(["jwt", "sign", "-k", publicPath], in: refused.environment), .failure)
            #expect(refused.error.hasPrefix("latch: The key in '\(publicPath)' only verifies.\n"))
        }
    }
}
