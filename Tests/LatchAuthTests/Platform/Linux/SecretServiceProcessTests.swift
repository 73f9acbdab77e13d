// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Expectations
import Foundation
import LatchAuth
import LatchTesting
import TestSupport
import Testing

/// Several processes of one user at one keyring.
///
/// Each enters the session by its bus's address.
@Suite(.enabled(if: KeyringSession.isInstalled, "needs dbus and gnome-keyring"), .serialized)
struct SecretServiceProcessTests {
    static let store = SecretServiceStore(service: "app")

    @Test(arguments: [3, 11, 29, 61])
    func `Processes at one keyring leave whole secrets when one is killed in the middle`(milliseconds: Int) async throws
    {
        try await withTemporaryFolder { folder in
            let session = try await KeyringSession.start(in: folder)
            let bus = session.environment["DBUS_SESSION_BUS_ADDRESS"] ?? ""
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [bus = bus as String, milliseconds = milliseconds as Int] in
                alarm(120)
                setenv("DBUS_SESSION_BUS_ADDRESS", bus, 1)
                try await SecretServiceProcessTests.store.write([0], for: "first")
                Thread {
                    usleep(UInt32(milliseconds) * 1_000)
                    kill(getpid(), SIGKILL)
                }.start()
                var round = UInt8(0)
                while true {
                    round &+= 1
                    try await SecretServiceProcessTests.store.write([UInt8](repeating: round, count: 3_000), for: "a")
                }
            }
            await #expect(processExitsWith: .success) { [bus = bus as String] in
                alarm(120)
                setenv("DBUS_SESSION_BUS_ADDRESS", bus, 1)
                try await expectEqual(SecretServiceProcessTests.store.read("first"), [0])
                if let secret = try await SecretServiceProcessTests.store.read("a") {
                    #expect(secret.count == 3_000 && Set(secret).count == 1)
                }
                try await SecretServiceProcessTests.store.write([1], for: "a")
                try await expectEqual(SecretServiceProcessTests.store.read("a"), [1])
            }
            await session.end()
        }
    }

    @Test func `Processes at one keyring lose no concurrent write, and keep one secret under one name`() async throws {
        try await withTemporaryFolder { folder in
            let session = try await KeyringSession.start(in: folder)
            let bus = session.environment["DBUS_SESSION_BUS_ADDRESS"] ?? ""
            await withTaskGroup { group in
                for number in 0..<4 { group.addTask { await writeMuch(bus, number) } }
            }
            await #expect(processExitsWith: .success) { [bus = bus as String] in
                alarm(120)
                setenv("DBUS_SESSION_BUS_ADDRESS", bus, 1)
                try await expectEqual(SecretServiceProcessTests.store.names().count, 41)
                try await expectEqual(SecretServiceProcessTests.store.read("common")?.count, 100)
                try await SecretServiceProcessTests.store.remove("common")
                // There was one item of that name and not four.
                try await expectNil(SecretServiceProcessTests.store.read("common"))
            }
            await session.end()
        }
    }

    private func writeMuch(_ bus: String, _ number: Int) async {
        await #expect(processExitsWith: .success) { [bus = bus as String, number = number as Int] in
            alarm(120)
            setenv("DBUS_SESSION_BUS_ADDRESS", bus, 1)
            for round in 0..<10 {
                try await SecretServiceProcessTests.store.write([UInt8(round)], for: "\(number)-\(round)")
                try await SecretServiceProcessTests.store.write(
                    [UInt8](repeating: UInt8(number), count: 100), for: "common")
            }
        }
    }
}
#endif
