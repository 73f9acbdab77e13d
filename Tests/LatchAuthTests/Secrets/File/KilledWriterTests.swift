// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchTesting
import Testing

/// The file that another process finds after its writer was killed, or lacked permission.
@Suite struct KilledWriterTests {
    static func store(_ folder: String) -> EncryptedFileSecretStore {
        EncryptedFileSecretStore(path: "\(folder)/secrets", key: .keyFile(path: "\(folder)/key"))
    }

    @Test(arguments: [0, 1, 2, 5, 9, 14, 20, 27, 35, 44])
    func `A process that writes secrets leaves a whole store when it is killed in the middle`(milliseconds: Int)
        async throws
    {
        try await withTemporaryFolder { folder in
            try await Self.store(folder).write([0], for: "first")
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [folder = folder as String, milliseconds = milliseconds as Int] in
                alarm(120)
                let killer = Thread {
                    usleep(UInt32(milliseconds) * 1_000)
                    kill(getpid(), SIGKILL)
                }
                killer.start()
                let store = KilledWriterTests.store(folder)
                var round = UInt8(0)
                while true {
                    round &+= 1
                    try await store.write([UInt8](repeating: round, count: 3_000), for: "a")
                    try await store.write([UInt8](repeating: round, count: 3_000), for: "b")
                }
            }
            // Who comes after is not held up by a lock, reads what was there, and can go on.
            let store = Self.store(folder)
            try await expectEqual(store.read("first"), [0])
            let (a, b) = (try await store.read("a"), try await store.read("b"))
            for secret in [a, b].compactMap({ $0 }) { #expect(secret.count == 3_000 && Set(secret).count == 1) }
            if let a = a?.first, let b = b?.first { #expect(a == b || a == b &+ 1) }
            try await store.write([1], for: "a")
            try await expectEqual(store.read("a"), [1])
        }
    }

    @Test func `A process of another user is denied the secrets, and not told that there are none`() async throws {
        try await withTemporaryFolder { folder in
            try await Self.store(folder).write([1], for: "a")
            // Whoever is root reads everything; so another user looks, from a folder that anybody may enter.
            chmod(folder, 0o755)
            if getuid() != 0 { chmod("\(folder)/secrets", 0) }
            await #expect(processExitsWith: .success) { [folder = folder as String] in
                alarm(120)
                if getuid() == 0 { #expect(setgid(65_534) == 0 && setuid(65_534) == 0) }
                let store = KilledWriterTests.store(folder)
                await #expect(throws: AuthError.storeDenied) { try await store.read("a") }
                await #expect(throws: AuthError.storeDenied) { try await store.names() }
                await #expect(throws: AuthError.storeDenied) { try await store.write([2], for: "a") }
                await #expect(throws: AuthError.storeDenied) { try await store.remove("a") }
                let session = Session(store: SecretTokenStore<Tokens>(store, name: "a")) { $0.credential }
                await #expect(throws: AuthError.storeDenied) { try await session.credential() }
                expectEqual(session.currentState, .unavailable(.storeDenied))
            }
            chmod("\(folder)/secrets", 0o600)
            try await expectEqual(Self.store(folder).read("a"), [1])
        }
    }
}
