// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Expectations
import LatchCore
import LatchFoundation
import LatchProcess
import TestSupport
import Testing

@testable import LatchCommand
@testable import latch

@Suite(.timeLimit(.minutes(2))) struct LinuxServerDoctorTests {
    @Test func `latch admin doctor on Linux reports each service that does not answer, and no secret`() async throws {
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
            expectEqual(report.outcome.ending, .exited(1))
            expectEqual(report.failures, ["store", "mail", "issuer", "certificate"], "\(report.printed)")
            #expect(report.warnings.isSuperset(of: ["telemetry", "configuration"]))
            #expect(report.says("certificate", "does not belong to the certificate"))
            #expect(report.says("configuration", "LATCH_ISUER is not a setting"))
            #expect(!report.printed.contains("hunter"))
        }
    }

    @Test(needsPostgres)
    func `latch admin doctor on Linux trusts the authority of SSL_CERT_FILE for emails`() async throws {
        let certificate = try await Certificate(ofAuthority: true)
        let server = try await SubmissionServer(certificate, isImplicit: true)
        try await CommandHome.with { home in
            let url = ["LATCH_SMTP_URL": "smtps://ada:hunter2@localhost:\(server.port)"]
            let known = url.merging(["SSL_CERT_FILE": certificate.authorityPath]) { $1 }
            #expect(
                try await DoctorReport.of(home, [], known).says("mail", "takes the connection, the user and the sender")
            )
            let unknown = try await DoctorReport.of(home, [], url)
            #expect(unknown.failures.contains("mail") && !unknown.printed.contains("hunter2"), "\(unknown.printed)")
        }
    }

    @Test func `latch admin doctor on Linux fails with a certificate that has ended`() async throws {
        let certificate = try await Certificate()
        try await CommandHome.with { home in
            let request = home.folder + "/request.pem"
            try await Certificate.openssl(
                ["req", "-new", "-key", certificate.keyPath, "-subj", "/CN=localhost", "-out", request])
            try await Certificate.openssl([
                "x509", "-req", "-in", request, "-key", certificate.keyPath, "-days", "-1", "-out",
                certificate.certificatePath,
            ])
            let report = try await DoctorReport.of(
                home, [],
                ["LATCH_TLS_CERTIFICATE": certificate.certificatePath, "LATCH_TLS_KEY": certificate.keyPath])
            #expect(report.outcome.ending == .exited(1) && report.failures == ["certificate"], "\(report.printed)")
            #expect(report.says("certificate", "ended 1 day ago"))
        }
    }

    /// The condition of tests that mount a file system, in a namespace that ends with its process.
    private static let mayMount = ConditionTrait.enabled("root mounts a tmpfs") {
        let arguments = ["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
        return try await ChildProcess.run("/usr/bin/env", arguments).ending == .exited(0)
    }

    @Test(mayMount) func `latch admin doctor on Linux fails with a disk that is full`() async throws {
        try await CommandHome.with { home in
            try await BuiltProgram.serving(in: home.folder) { process, _ in
                process.terminate()
                await expectEqual(process.end(), .exited(0))
            }
            let disk = home.folder + "/disk"
            try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
            let script = """
                mount -t tmpfs -o size=8m tmpfs "$0" && cp -p "$1" "$0/latch.sqlite" || exit 9
                head -c 16m /dev/zero 2> "$3" > "$0/rest"
                "$2" admin doctor --json --store "sqlite:$0/latch.sqlite"
                """
            let (ending, output) = try await ChildProcess.run(
                "/usr/bin/env",
                [
                    "unshare", "-m", "sh", "-c", script, disk, home.folder + "/latch.sqlite", BuiltProgram.path,
                    home.folder + "/full",
                ])
            let findings = try JSONValue(parsing: Array(output))["findings"]?.arrayValue ?? []
            let finding = try #require(findings.first { $0["subject"] == "disk" })
            #expect(ending == .exited(1) && finding["fine"] == false && finding["freeBytes"] == 0)
            expectEqual(finding["hint"]?.stringValue?.contains("Make room"), true)
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

    @Test func `latch admin doctor on Linux reports the end of a certificate, and its names`() async throws {
        // For two days.
        let own = try await Certificate()
        let soon = try certificate(own, after: 0)
        #expect(soon.isWarning && soon.isFine && soon.lines.first?.contains("ends in 1 day") == true, "\(soon.lines)")
        let ended = try certificate(own, after: 3)
        #expect(!ended.isFine && ended.lines.first?.contains("ended ") == true, "\(ended.lines)")
        try expectEqual(certificate(own, after: -1).lines.first?.contains("is not valid before"), true)
        #expect(try !certificate(own, after: 0, issuer: "https://id.example.com").isFine)
        #expect(try certificate(own, after: 0, issuer: "https://127.0.0.1:8443").isFine)
        let signed = try await Certificate(ofAuthority: true)
        #expect(try certificate(signed, after: 0).isFine)
    }
}

#endif
