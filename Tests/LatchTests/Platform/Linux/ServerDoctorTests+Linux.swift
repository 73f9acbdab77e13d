// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import LatchCore
import LatchProcess
import PortableFoundation
import TestSupport
import Testing

@testable import LatchCommand
@testable import latch

@Suite(.timeLimit(.minutes(2))) struct `latch admin doctor on Linux` {
    @Test func `reports each service that does not answer, and no secret`() async throws {
        try await CommandHome.with { home in
            let certificate = try await Certificate()
            let other = try await Certificate()
            let report = try await DoctorReport.of(
                home, [],
                [
                    "LATCH_STORE": "postgres://latch:hunter2@127.0.0.1:1/latch", "LATCH_ISSUER": "http://127.0.0.1:1",
                    "LATCH_SMTP_URL": "smtp://ada:hunter3@127.0.0.1:1", "LATCH_OTLP_ENDPOINT": "http://127.0.0.1:1",
                    "LATCH_OTLP_HEADERS": "x-key=hunter4", "LATCH_TOKEN_PEPPER": "hunter5", "LATCH_ISUER": "hunter6",
                    "LATCH_TLS_CERTIFICATE": certificate.certificatePath, "LATCH_TLS_KEY": other.keyPath,
                ])
            #expect(report.outcome.ending == .exited(1))
            #expect(report.failures == ["store", "mail", "issuer", "certificate"], "\(report.printed)")
            #expect(report.warnings.isSuperset(of: ["telemetry", "configuration"]))
            #expect(report.says("certificate", "does not belong to the certificate"))
            #expect(report.says("configuration", "LATCH_ISUER is not a setting"))
            #expect(!report.printed.contains("hunter"))
        }
    }

    @Test(needsPostgres) func `trusts the authority of SSL_CERT_FILE for mails`() async throws {
        let certificate = try await Certificate(ofAuthority: true)
        let server = try await SubmissionServer(certificate, isImplicit: true)
        try await CommandHome.with { home in
            let url = ["LATCH_SMTP_URL": "smtps://ada:hunter2@localhost:\(server.port)"]
            let known = url.merging(["SSL_CERT_FILE": certificate.authorityPath]) { $1 }
            #expect(try await DoctorReport.of(home, [], known).says("mail", "takes the connection and the user"))
            let unknown = try await DoctorReport.of(home, [], url)
            #expect(unknown.failures.contains("mail") && !unknown.printed.contains("hunter2"), "\(unknown.printed)")
        }
    }

    private func certificate(
        _ certificate: Certificate, after days: Double, issuer: String = "https://localhost"
    ) throws -> Diagnosis {
        let settings = try Settings(environment: [
            "LATCH_TLS_CERTIFICATE": certificate.certificatePath, "LATCH_TLS_KEY": certificate.keyPath,
            "LATCH_ISSUER": issuer,
        ])
        let found = ServerFileCheck(settings: settings, now: Date() + days * 86_400).run()
        return try #require(found.first)
    }

    @Test func `knows when a certificate ends, and for whom it is`() async throws {
        // For two days.
        let own = try await Certificate()
        let soon = try certificate(own, after: 0)
        #expect(soon.isWarning && soon.isFine && soon.lines.first?.contains("ends in 1 day") == true, "\(soon.lines)")
        let ended = try certificate(own, after: 3)
        #expect(!ended.isFine && ended.lines.first?.contains("ended ") == true, "\(ended.lines)")
        #expect(try certificate(own, after: -1).lines.first?.contains("is not valid before") == true)
        #expect(try !certificate(own, after: 0, issuer: "https://id.example.com").isFine)
        #expect(try certificate(own, after: 0, issuer: "https://127.0.0.1:8443").isFine)
        let signed = try await Certificate(ofAuthority: true)
        #expect(try certificate(signed, after: 0).isFine)
    }
}

#endif
