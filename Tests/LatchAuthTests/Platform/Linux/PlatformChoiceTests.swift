// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Expectations
import Foundation
import LatchTesting
import TestSupport
import Testing

@testable import LatchAuth

/// A user's processes with a real keyring; each test is a process of its own, since bus and home are the process's.
@Suite(.enabled(if: KeyringSession.isInstalled, "needs dbus and gnome-keyring"), .serialized)
struct PlatformChoiceTests {
    static let variables = [
        "LATCH_HOME", "LATCH_SECRET_STORE", "LATCH_PASSPHRASE_FILE", "LATCH_PASSPHRASE_FD", "SSH_CONNECTION", "SSH_TTY",
        "DISPLAY", "WAYLAND_DISPLAY",
    ]

    /// Makes this process one of the user's, on the desktop or elsewhere.
    static func become(_ environment: [String: String]) {
        for name in variables { unsetenv(name) }
        for (name, value) in environment { setenv(name, value, 1) }
    }

    static func store() -> KeychainTokenStore { KeychainTokenStore(service: "app", account: "ada") }

    @Test func `The store of this platform is the keyring on a desktop, and also over SSH while reachable`() async {
        await #expect(processExitsWith: .success) {
            alarm(120)
            try await withTemporaryFolder { folder in
                typealias Tests = PlatformChoiceTests
                var session = try await KeyringSession.start(in: folder)
                Tests.become(session.environment)
                try await expectEqual(SecretStoreChoice.current(service: "app").kind, .secretService)
                try await Tests.store().save(Tokens(access: "a"))
                let files = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/home/latchwork")
                #expect(!files.contains { $0.hasSuffix(".secrets") })

                Tests.become(session.environment.merging(["SSH_TTY": "/dev/pts/1"]) { _, new in new })
                try await expectEqual(Tests.store().load()?.access, "a")
                // After a start of the machine no user has signed in to the desktop yet.
                await session.end()
                session = try await KeyringSession.start(in: folder, keyring: .locked)
                let locked = await #expect(throws: AuthError.storeLocked) { try await Tests.store().load() }
                expectEqual(locked?.message.contains("secret-service"), true)
                await #expect(throws: AuthError.storeLocked) { try await Tests.store().save(Tokens(access: "b")) }
                await session.end()
                await #expect(throws: AuthError.storeUnavailable) { try await Tests.store().load() }
            }
        }
    }

    @Test func `The store of this platform is a file without a bus, and remains one on the desktop`() async {
        await #expect(processExitsWith: .success) {
            alarm(120)
            try await withTemporaryFolder { folder in
                typealias Tests = PlatformChoiceTests
                let home = ["HOME": "\(folder)/home", "XDG_DATA_HOME": "\(folder)/home", "XDG_RUNTIME_DIR": folder]
                unsetenv("DBUS_SESSION_BUS_ADDRESS")
                Tests.become(home)
                let choice = try await SecretStoreChoice.current(service: "app")
                expectEqual(choice.kind, .file)
                expectEqual(choice.candidates.first?.explanation.contains("no session bus"), true)
                expectEqual(choice.location, "\(home["HOME"] ?? "")/latchwork/app.secrets")
                try await Tests.store().save(Tokens(access: "a"))
                let session = try await KeyringSession.start(in: folder)
                Tests.become(session.environment)
                try await expectEqual(Tests.store().load()?.access, "a")
                #expect(try await SecretStoreChoice.current(service: "app").isRecorded)

                // And moves into the keyring when it is told to.
                let report = try await SecretStoreMigration.run(service: "app", to: .secretService)
                expectEqual(report.names, ["ada"])
                try await expectEqual(SecretServiceStore(service: "app").names(), ["ada"])
                try await expectEqual(Tests.store().load()?.access, "a")
                _ = try await SecretStoreMigration.run(service: "app", to: .keyringFile)
                #expect(try await SecretServiceStore(service: "app").names().isEmpty)
                try await expectEqual(SecretServiceStore(service: "app: file key").names().count, 1)
                try await expectEqual(Tests.store().load()?.access, "a")
                await session.end()
                let error = await #expect(throws: AuthError.storeUnavailable) { try await Tests.store().load() }
                expectEqual(error?.message.contains("keyring-file"), true)
            }
        }
    }

    @Test
    func `The store of this platform is a file under a passphrase if one is given, and is locked without it`() async {
        await #expect(processExitsWith: .success) {
            alarm(120)
            try await withTemporaryFolder { folder in
                typealias Tests = PlatformChoiceTests
                let home = ["LATCH_HOME": "\(folder)/home"]
                try Data("a passphrase\n".utf8).write(to: URL(fileURLWithPath: "\(folder)/pass"))
                try Data("another one\n".utf8).write(to: URL(fileURLWithPath: "\(folder)/wrong"))
                Tests.become(home.merging(["LATCH_PASSPHRASE_FILE": "\(folder)/pass"]) { _, new in new })
                try await Tests.store().save(Tokens(access: "a"))
                try await expectEqual(Tests.store().load()?.access, "a")
                try await expectEqual(SecretStoreChoice.current(service: "app").kind, .passphrase)
                Tests.become(home)
                await #expect(throws: AuthError.storeLocked) { try await Tests.store().load() }
                Tests.become(home.merging(["LATCH_PASSPHRASE_FILE": "\(folder)/wrong"]) { _, new in new })
                await #expect(throws: AuthError.storeDenied) { try await Tests.store().load() }
                await #expect(throws: AuthError.storeDenied) { try await Tests.store().save(Tokens(access: "b")) }
                let pipe = Pipe()
                pipe.fileHandleForWriting.write(Data("a passphrase".utf8))
                try pipe.fileHandleForWriting.close()
                let number = "\(pipe.fileHandleForReading.fileDescriptor)"
                Tests.become(home.merging(["LATCH_PASSPHRASE_FD": number]) { _, new in new })
                try await expectEqual(Tests.store().load()?.access, "a")
                // A second store of this process needs the passphrase again, and the pipe is empty by now.
                try await expectEqual(Tests.store().load()?.access, "a")
            }
        }
    }

    @Test func `The store of this platform keeps the accounts of two folders apart, also in one keyring`() async {
        await #expect(processExitsWith: .success) {
            alarm(120)
            try await withTemporaryFolder { folder in
                typealias Tests = PlatformChoiceTests
                let session = try await KeyringSession.start(in: folder)
                for name in ["one", "two"] {
                    Tests.become(
                        session.environment.merging(
                            ["LATCH_HOME": "\(folder)/\(name)", "LATCH_SECRET_STORE": "secret-service"]
                        ) { _, new in new })
                    try await expectNil(Tests.store().load())
                    try await Tests.store().save(Tokens(access: name))
                    // The choice holds without the variable too.
                    unsetenv("LATCH_SECRET_STORE")
                    try await expectEqual(Tests.store().load()?.access, name)
                }
                await session.end()
            }
        }
    }
}
#endif
