// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
@testable import LatchAuth
import Expectations
import LatchTesting
import TestSupport
import TestTags
import Testing

/// Each test is a process of its own, since the bus is the process's.
@Suite(.enabled(if: KeyringSession.isInstalled, "needs dbus and gnome-keyring"), .serialized)
struct SecretServiceStoreTests {
    /// Starts a session of a desktop in a new folder, and makes it this process's own.
    static func session(
        in folder: String, keyring: KeyringSession.Keyring = .unlocked
    ) async throws -> KeyringSession {
        let session = try await KeyringSession.start(in: folder, keyring: keyring)
        for (name, value) in session.environment { setenv(name, value, 1) }
        return session
    }

    @Test(.tags(.tokenStores)) func `The Secret Service keeps the contract of secret stores`() async {
        await #expect(processExitsWith: .success) {
            alarm(120)
            try await withTemporaryFolder { folder in
                let session = try await SecretServiceStoreTests.session(in: folder)
                for rule in SecretStoreContract.rules {
                    let service = "test of: \(rule)"
                    do {
                        try await rule.check { SecretServiceStore(service: service) }
                    } catch {
                        Issue.record("\(rule): \(error)")
                    }
                }
                await session.end()
            }
        }
    }

    @Test func `The Secret Service touches its own items only, and shows no secret in their labels`() async {
        await #expect(processExitsWith: .success) {
            alarm(120)
            try await withTemporaryFolder { folder in
                let session = try await SecretServiceStoreTests.session(in: folder)
                let (one, other) = (SecretServiceStore(service: "one"), SecretServiceStore(service: "other"))
                try await one.write([1], for: "a")
                try await other.write(Array("canary-5512".utf8), for: "a")
                try await one.remove("a")
                #expect(try await one.names().isEmpty)
                try await expectEqual(other.read("a"), Array("canary-5512".utf8))
                await session.end()
                // What lies on the disk is encrypted; labels and attributes are not, and tell only names.
                let keyrings = "\(folder)/home/keyrings"
                for name in try FileManager.default.contentsOfDirectory(atPath: keyrings) {
                    let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(keyrings)/\(name)"))
                    expectNil(bytes.range(of: Data("canary".utf8)))
                    expectNil(bytes.range(of: Data("Y2FuYXJ5".utf8)))
                }
            }
        }
    }

    @Test func `The Secret Service is locked after a sign-in without a password, never empty`() async {
        await #expect(processExitsWith: .success) {
            alarm(120)
            try await withTemporaryFolder { folder in
                let store = SecretServiceStore(service: "test")
                var session = try await SecretServiceStoreTests.session(in: folder)
                try await store.write([1], for: "a")
                await session.end()
                session = try await SecretServiceStoreTests.session(in: folder, keyring: .locked)
                let error = await #expect(throws: AuthError.storeLocked) { try await store.read("a") }
                expectEqual(error?.hint?.contains("Unlock"), true)
                await #expect(throws: AuthError.storeLocked) { try await store.names() }
                await #expect(throws: AuthError.storeLocked) { try await store.write([2], for: "a") }
                await #expect(throws: AuthError.storeLocked) { try await store.remove("a") }
                await #expect(throws: AuthError.storeLocked) { try await store.check() }
                // Nobody can be asked on this bus, which is as if the question had been closed.
                let asking = SecretServiceStore(service: "test", promptsUser: true)
                await #expect(throws: AuthError.storeDenied) { try await asking.read("a") }
                await session.end()
                // Nothing is lost.
                session = try await SecretServiceStoreTests.session(in: folder)
                try await expectEqual(store.read("a"), [1])
                await session.end()
            }
        }
    }

    @Test func `The Secret Service reports why it is missing: there is no bus, or it went away`() async {
        await #expect(processExitsWith: .success) {
            alarm(120)
            let store = SecretServiceStore(service: "test")
            for name in ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"] { unsetenv(name) }
            let noBus = await #expect(throws: AuthError.storeUnavailable) { try await store.read("a") }
            expectEqual(noBus?.message.contains("there is no session bus here"), true)
            setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/bus", 1)
            let gone = await #expect(throws: AuthError.storeUnavailable) { try await store.read("a") }
            expectEqual(gone?.message.contains("No such file"), true)
            try await withTemporaryFolder { folder in
                let session = try await SecretServiceStoreTests.session(in: folder, keyring: .absent)
                let nobody = await #expect(throws: AuthError.storeUnavailable) { try await store.names() }
                expectEqual(nobody?.message.contains("org.freedesktop.secrets"), true)
                // The bus ends; this process must not.
                await session.end()
                await #expect(throws: AuthError.storeUnavailable) { try await store.write([1], for: "a") }
            }
        }
    }

    @Test func `The Secret Service continues after the keyring was restarted`() async {
        await #expect(processExitsWith: .success) {
            alarm(120)
            try await withTemporaryFolder { folder in
                let store = SecretServiceStore(service: "test")
                for round in UInt8(1)...3 {
                    let session = try await SecretServiceStoreTests.session(in: folder)
                    try await expectEqual(store.read("a"), round == 1 ? nil : [round - 1])
                    try await store.write([round], for: "a")
                    await session.end()
                }
            }
        }
    }

    @Test func `The Secret Service sets a foreign item aside, and does not list it`() async {
        await #expect(processExitsWith: .success) {
            alarm(120)
            try await withTemporaryFolder { folder in
                let session = try await SecretServiceStoreTests.session(in: folder)
                let store = SecretServiceStore(service: "test")
                try await store.write([1], for: "a")
                try SecretServiceConnection().write(
                    Array("not base64url!".utf8), to: SecretServiceKey(schema: .secret, service: "test", name: "a"))
                await #expect(throws: AuthError.storeCorrupt) { try await store.read("a") }
                try await store.write([2], for: "a")
                try await expectEqual(store.read("a"), [2])
                try await expectEqual(store.names(), ["a"])
                let aside = SecretServiceKey(schema: .setAside, service: "test", name: "")
                let names = try SecretServiceConnection().names(aside)
                expectEqual(names.count, 1)
                let kept = SecretServiceKey(schema: .setAside, service: "test", name: try #require(names.first))
                try expectEqual(SecretServiceConnection().read(kept), Array("not base64url!".utf8))
                await session.end()
            }
        }
    }

    @Test(arguments: ["", "plain", "%", "%41", "a\u{0}b", "é\n", "100%", "%zz"])
    func `The Secret Service names its items so that every name comes back`(name: String) {
        let attribute = SecretServiceKey.attribute(name)
        #expect(!attribute.utf8.contains { $0 < 0x20 })
        expectEqual(SecretServiceKey.name(in: attribute), name)
    }
}
#endif
