// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProcess
import LatchTesting
import Synchronization
import TestSupport
import Testing

@testable import latch

@Suite struct CertificateAuthorityTests {
    private static let password = CommandHome.password

    @Test
    func `An issuer with a private certificate authority is trusted only with the option or the variable`() async throws
    {
        let certificate = try await Certificate(ofAuthority: true)
        let authority = certificate.authorityPath
        try await ScriptedIssuer.with(tls: try certificate.tls()) { issuer in
            #expect(issuer.url.hasPrefix("https://"))
            try await CommandHome.with { home in
                let login = ["login", "--issuer", issuer.url, "--account", "ada", "--password-stdin"]
                let refused = try await home.start(login, input: Self.password).outcome()
                expectEqual(refused.ending, .exited(1))
                expectEqual(refused.error.first?.contains("No trusted connection"), true, "\(refused.error)")
                #expect(issuer.world.withLock { $0.requests.isEmpty })
                let trusted = try await home.start(login + ["--cacert", authority], input: Self.password).outcome()
                expectEqual(trusted.ending, .exited(0), "\(trusted.error)")

                let path = "/api/things"
                let option = try await home.latch("request", "GET", path, "--cacert", authority)
                expectEqual(option.output, ["GET /api/things "], "\(option.error)")
                let variable = try await home.latch("request", "GET", path, environment: ["SSL_CERT_FILE": authority])
                expectEqual(variable.output, ["GET /api/things "], "\(variable.error)")
                try await expectEqual(home.latch("request", "GET", path).ending, .exited(1))
                // The option replaces the variable.
                let both = try await home.latch(
                    "request", "GET", path, "--cacert", authority, environment: ["SSL_CERT_FILE": "/no/such/file"])
                expectEqual(both.output, ["GET /api/things "], "\(both.error)")
                let token = try await home.latch("token", "--refresh", "--cacert", authority)
                expectEqual(token.output, ["access-2"], "\(token.error)")
                let doctor = try await home.latch("doctor", "--cacert", authority)
                #expect(doctor.output.contains { $0.contains("✓ issuer") }, "\(doctor.output)")
                let logout = try await home.latch("logout", "--cacert", authority)
                #expect(logout.ending == .exited(0) && logout.error.isEmpty, "\(logout.error)")
            }
        }
    }

    @Test func `An issuer with a private certificate authority is refused with an unreadable file`() async throws {
        try await CommandHome.with { home in
            let outcome = try await home.latch("whoami", "--cacert", home.folder + "/none.pem")
            expectEqual(outcome.ending, .exited(1))
            expectEqual(outcome.error.first?.contains("none.pem' cannot be read"), true)
        }
    }
}
