// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchProcess
import LatchServer
import LatchTesting
import TestSupport
import Testing

@testable import LatchCommand
@testable import latch

@Suite struct DoctorTests {
    /// The findings by their subject.
    private func findings(_ outcome: BuiltProgram.Outcome) throws -> [String: JSONValue] {
        let object = try JSONValue(parsing: outcome.output.joined())
        let list = (object["findings"]?.arrayValue ?? []).compactMap { finding in
            finding["subject"]?.stringValue.map { ($0, finding) }
        }
        return Dictionary(list) { first, _ in first }
    }

    @Test func `latch doctor states where secrets will be and why, and makes nothing`() async throws {
        try await CommandHome.with { home in
            let outcome = try await home.latch("doctor")
            #expect(outcome.ending == .exited(0) && outcome.error.isEmpty)
            expectEqual(outcome.output.first, "✓ secret store  file at \(home.path)/latch.secrets")
            #expect(outcome.output[1].contains("why: LATCH_HOME moves everything into one folder"))
            #expect(!FileManager.default.fileExists(atPath: home.path))
        }
    }

    @Test func `latch doctor sees accounts, files, the issuer and the clock`() async throws {
        try await CommandHome.with { home in
            let server = try await ServedLatch.start(in: home.folder)
            try await server.signUp("ada@example.com")
            try await home.login("ada@example.com", at: server.url.absoluteString)
            let outcome = try await home.latch("doctor", "--json")
            expectEqual(outcome.ending, .exited(0), "\(outcome.output)")
            let findings = try findings(outcome)
            expectEqual(findings["secret store"]?["store"], "file")
            expectEqual(findings["secret store"]?["recorded"], true)
            expectEqual(findings["accounts"]?["count"], 1)
            expectEqual(findings["issuer"]?["status"], 200)
            expectEqual(findings["clock"]?["fine"], true)
            #expect(findings.values.allSatisfy { $0["fine"] == true })

            let key = home.path + "/latch.key"
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
            try await server.kill()
            let worse = try await home.latch("doctor", "--json")
            expectEqual(worse.ending, .exited(1))
            let wrong = try self.findings(worse).filter { $0.value["fine"] == false }
            expectEqual(Set(wrong.keys), ["files", "issuer"])
            expectEqual(wrong["files"]?["says"]?.stringValue?.contains("\(key) has mode 644"), true)
            #expect(wrong.values.allSatisfy { $0["hint"]?.stringValue?.isEmpty == false })
        }
    }

    @Test func `latch doctor distinguishes a damaged store from one without accounts`() async throws {
        try await ScriptedIssuer.with { issuer in
            try await CommandHome.with { home in
                try await home.login("ada", at: issuer.url)
                try Data("damaged".utf8).write(to: URL(filePath: home.path + "/latch.secrets"))
                let outcome = try await home.latch("doctor", "--json")
                expectEqual(outcome.ending, .exited(1))
                try expectEqual(findings(outcome)["accounts"]?["code"], "storeCorrupt")
            }
        }
    }

    @Test(arguments: [(-7500.0, "2 hours ahead of"), (7500, "2 hours behind"), (0, nil)] as [(Double, String?)])
    func `latch doctor measures the clock by the issuer's answer`(shift: Double, said: String?) async throws {
        let handler = ClosureHandler { _ in
            HTTPResponse(
                status: .ok, fields: [.date: HTTPDate(Date().addingTimeInterval(shift)).description])
        }
        let found = await IssuerCheck(issuer: try IssuerURL("http://127.0.0.1:9"), transport: handler).run()
        let clock = try #require(found.first { $0.subject == "clock" })
        expectEqual(clock.isFine, said == nil)
        if let said { expectEqual(clock.lines.first?.contains(said), true, "\(clock.lines)") }
    }

    @Test func `latch doctor asks another issuer on request`() async throws {
        try await ScriptedIssuer.with { issuer in
            try await CommandHome.with { home in
                let outcome = try await home.latch("doctor", "--issuer", issuer.url)
                expectEqual(outcome.ending, .exited(0))
                #expect(outcome.output.contains { $0.hasPrefix("✓ issuer") && $0.contains(issuer.url) })
                let nobody = try await home.latch("doctor", "--issuer", "http://127.0.0.1:9")
                expectEqual(nobody.ending, .exited(1))
                try await expectEqual(home.latch("doctor", "--issuer", "nowhere").ending, .exited(1))
            }
        }
    }
}
