// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Expectations
import Foundation
import LatchAuth
import LatchTesting
import TestSupport
import Testing

/// Report 12 in Documentation/PublicReports.md.
@Suite(.enabled(if: KeyringSession.isInstalled, "needs dbus and gnome-keyring"), .timeLimit(.minutes(2)))
struct SilentSecretServiceTests {
    /// Expects that each operation ends, with an error that names the bus.
    static func expectAnEnd(at address: String) async {
        setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
        let store = SecretServiceStore(service: "app", promptsUser: true, limit: .milliseconds(200))
        let operations: [@Sendable () async throws -> Void] = [
            { try await store.check() }, { _ = try await store.read("a") }, { try await store.write([1], for: "a") },
            { try await store.remove("a") }, { _ = try await store.names() },
        ]
        for operation in operations {
            let error = await #expect(throws: AuthError.storeUnavailable) { try await operation() }
            expectEqual(error?.message.contains("(Secret Service on \(address): it did not answer)"), true)
            expectEqual(error?.hint?.contains("LATCH_SECRET_STORE=file"), true)
        }
    }

    @Test
    func `A Secret Service that never answers is an error if the bus accepts the connection and is silent`() async {
        await #expect(processExitsWith: .success) {
            alarm(120)
            try await withTemporaryFolder { folder in
                let path = "\(folder)/bus"
                let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
                var address = sockaddr_un()
                address.sun_family = sa_family_t(AF_UNIX)
                withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
                let bound = withUnsafePointer(to: &address) { address in
                    address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                    }
                }
                try #require(bound == 0 && listen(listener, 16) == 0)
                await SilentSecretServiceTests.expectAnEnd(at: "unix:path=\(path)")
            }
        }
    }

    @Test func `A Secret Service that never answers is an error if the service owns its name and hangs`() async {
        await #expect(processExitsWith: .success) {
            alarm(120)
            try await withTemporaryFolder { folder in
                let session = try await KeyringSession.start(in: folder, keyring: .hung)
                let address = session.environment["DBUS_SESSION_BUS_ADDRESS"] ?? ""
                await SilentSecretServiceTests.expectAnEnd(at: address)
                await session.end()
            }
        }
    }
}
#endif
