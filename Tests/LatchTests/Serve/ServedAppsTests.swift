// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchProcess
import LatchTesting
import TestSupport
import TestTags
import Testing

@testable import latch
@testable import latch_demo

/// The token routes of a real process whose apps stand in its configuration.
@Suite struct ServedAppsTests {
    private static let cheap = [
        "LATCH_ARGON2_MEMORY_KIB": "64", "LATCH_ARGON2_PASSES": "1",
        "LATCH_SCOPES": "files:read widgets:read widgets:admin",
    ]

    private func post(
        _ path: String, at url: String, _ type: String, _ content: String
    ) async throws -> (HTTPStatus, JSONObject) {
        let client = Client(baseURL: try #require(URL(string: url)))
        let request = try client.request(
            .post, RoutePath(path), fields: [.contentType: type], body: HTTPBody(content))
        let response = try await client.respond(to: request)
        return (response.status, try JSONValue(parsing: response.body.bytes).objectValue ?? [:])
    }

    private func grant(as app: String?, at url: String, scope: String = "files:read widgets:admin") async throws
        -> JSONObject
    {
        let id = app.map { "&client_id=\($0)" } ?? ""
        let scope = scope.split(separator: " ").joined(separator: "+")
        return try await post(
            "oauth/token", at: url, "application/x-www-form-urlencoded",
            "grant_type=password&username=ada&password=a+horse+walks&scope=\(scope)\(id)"
        ).1
    }

    private func signUp(at url: String) async throws {
        let (status, _) = try await post(
            "auth/signup", at: url, "application/json",
            #"{"username":"ada","email":"ada@example.com","password":"a horse walks"}"#)
        expectEqual(status, .created)
    }

    @Test(.tags(.realServer))
    func `The apps of a served process are known from the file, and by SIGHUP from the changed file`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder + "/latch.toml"
            let write = { (text: String) in try Data(text.utf8).write(to: URL(filePath: file)) }
            try write(
                """
                [[clients]]
                id = "phone"
                grants = ["password"]
                [[clients]]
                id = "web"
                grants = ["password"]
                scopes = ["widgets:read"]
                """)
            try await BuiltProgram.serving(["--config", file], in: folder, environment: Self.cheap) { process, url in
                try await signUp(at: url)
                let own = try await grant(as: nil, at: url)
                expectEqual(own["scope"], "files:read")
                #expect(own["refresh_token"] != nil)
                try await expectEqual(grant(as: "phone", at: url)["scope"], "files:read")
                try await expectEqual(grant(as: "web", at: url)["error"], "invalid_scope")
                try await expectEqual(grant(as: "nobody", at: url)["error"], "invalid_client")

                try write("first_party_grants = \"none\"\n[[clients]]\nid = \"phone\"\n")
                process.hangUp()
                try await untilSaid(1, in: folder)
                try await expectEqual(grant(as: "phone", at: url)["error"], "unauthorized_client")
                try await expectEqual(grant(as: nil, at: url)["error"], "unauthorized_client")
                try await expectEqual(grant(as: "web", at: url)["error"], "invalid_client")

                // A confidential app without its secret is refused as a whole: the earlier apps stay.
                try write("[[clients]]\nid = \"phone\"\nconfidential = true\ngrants = [\"password\"]\n")
                process.hangUp()
                try await untilSaid(4, in: folder)
                try await expectEqual(grant(as: "phone", at: url)["error"], "unauthorized_client")
                process.terminate()
                await expectEqual(process.end(), .exited(0))
            }
        }
    }

    @Test func `The apps of a served process stop the start if they are invalid`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder + "/latch.toml"
            try Data("[[clients]]\nid = \"reports\"\nconfidential = true\n".utf8).write(to: URL(filePath: file))
            let run = try await BuiltProgram.run(
                "serve", "--listen", "127.0.0.1:0", "--store", "sqlite:\(folder)/x.sqlite", "--config", file)
            expectEqual(run.ending, .exited(1))
            #expect(run.output.isEmpty)
            expectEqual(run.error.first?.contains("'client_secrets'"), true)
        }
    }

    /// Waits until the server has said so many lines.
    private func untilSaid(_ count: Int, in folder: String) async throws {
        for _ in 0..<60_000 {
            if BuiltProgram.lines(of: folder + "/error").count >= count { return }
            try await WallClock.system.sleep(for: .milliseconds(1))
        }
        throw DemoFailure("it said only: \(BuiltProgram.lines(of: folder + "/error"))")
    }
}
