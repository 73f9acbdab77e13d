// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchCrypto
import LatchTesting
import Testing

@testable import LatchAuth

@Suite struct SecretFileKeyTests {
    @Test(arguments: [AuthError.storeLocked, .storeDenied, .storeUnavailable])
    func `A key of a file of secrets that a keyring does not return locks the file and does not empty it`(
        error: AuthError
    ) async throws {
        try await withTemporaryFolder { folder in
            let keyring = InMemorySecretStore()
            try await EncryptedFileSecretStore(path: "\(folder)/secrets", key: .keyring(keyring)).write([1], for: "a")
            let locked = EncryptedFileSecretStore(
                path: "\(folder)/secrets", key: .keyring(FailingSecretStore(keyring, after: 0, with: error)))
            await #expect(throws: error) { try await locked.read("a") }
            await #expect(throws: error) { try await locked.write([2], for: "a") }
            // Another keyring is another one, and not an empty one.
            let strange = EncryptedFileSecretStore(path: "\(folder)/secrets", key: .keyring(InMemorySecretStore()))
            let denied = await #expect(throws: AuthError.storeDenied) { try await strange.write([2], for: "a") }
            expectEqual(denied?.message.contains("not in this keyring"), true)
        }
    }

    @Test func `A key of a file of secrets is made once by many stores that begin at once`() async throws {
        try await withTemporaryFolder { folder in
            let keyring = InMemorySecretStore()
            for key in [SecretFileKey.keyring(keyring), .keyFile(path: "\(folder)/key")] {
                let path = "\(folder)/\(RandomSource.system.identifier())"
                try await withThrowingTaskGroup { group in
                    for number in 0..<8 {
                        group.addTask {
                            try await EncryptedFileSecretStore(path: path, key: key).write([1], for: "\(number)")
                        }
                    }
                    try await group.waitForAll()
                }
                try await expectEqual(EncryptedFileSecretStore(path: path, key: key).names().count, 8)
            }
        }
    }
}
