// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Expectations
import LatchFoundation
import LatchProcess
import LatchTesting
import TestSupport
import Testing

@testable import LatchCommand
@testable import latch

@Suite(.timeLimit(.minutes(2))) struct EnvironmentWarningTests {
    @Test func `The environment of a server has warnings also if a setting is wrong`() async throws {
        let outcome = try await BuiltProgram.run(
            "serve", "--listen", "127.0.0.1:0",
            environment: ["LATCH_ACCESS_LOG": "xml", "LATCH_ISUER": "hunter2", "SSL_CERT_FILE": "/nowhere.pem"])
        #expect(outcome.ending == .exited(1) && outcome.output.isEmpty)
        let said = outcome.error.joined(separator: "\n")
        #expect(said.contains("LATCH_ISUER is not a setting") && said.contains("'access_log' must be"), "\(said)")
        #expect(said.contains("SSL_CERT_FILE does not name a readable file: '/nowhere.pem' cannot be read"))
        #expect(!said.contains("hunter2"))
    }

    @Test func `The environment of a server has authorities that can be read, or a warning`() async throws {
        expectNil(IssuerTransport.authorityWarning([:]))
        expectNil(IssuerTransport.authorityWarning(["SSL_CERT_FILE": ""]))
        try await withTemporaryFolder { folder in
            let file = folder + "/authorities.pem"
            let missing = try #require(IssuerTransport.authorityWarning(["SSL_CERT_FILE": file]))
            #expect(missing.message.contains(file) && missing.message.contains("no such file"))
            try Data("PEM".utf8).write(to: URL(filePath: file))
            expectNil(IssuerTransport.authorityWarning(["SSL_CERT_FILE": file]))
            #expect(IssuerTransport.authorityWarning(["SSL_CERT_FILE": folder]) != nil, "a folder has no authorities")
        }
    }

    @Test
    func `The environment of a server is a finding of latch admin doctor, even with unreadable settings`() async throws
    {
        try await CommandHome.with { home in
            for passes in ["1", "many"] {
                let report = try await DoctorReport.of(
                    home, [], ["SSL_CERT_FILE": "/nowhere.pem", "LATCH_ARGON2_PASSES": passes])
                #expect(report.warnings.contains("configuration"))
                #expect(
                    report.says("configuration", "SSL_CERT_FILE does not name a readable file"), "\(report.printed)")
            }
        }
    }
}
#endif
