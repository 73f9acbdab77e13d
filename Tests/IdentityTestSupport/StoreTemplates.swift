// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchIdentity
import LatchJOSE
import LatchTesting
import TestSupport

/// The files of new stores: migrations and an RSA key take longer than most tests.
///
/// Sites with an RSA key share their keys and their pepper. A test that compares two servers gives them folders.
actor StoreTemplates {
    static let shared = StoreTemplates()
    /// The files without and with an RSA key.
    private var files: [Bool: Task<Data, any Error>] = [:]

    /// Writes the file of a new store.
    func write(_ path: String, for configuration: IdentityConfiguration) async throws {
        let algorithms =
            (try? OAuthClients(configuration).idTokenAlgorithms(of: configuration)) ?? []
        // Keys that another key seals are not those of the template.
        let hasRSAKey =
            algorithms.contains(.rs256) && configuration.storeKey == nil && configuration.tokenPepper == nil
        let file = files[hasRSAKey] ?? Task { try await Self.file(hasRSAKey: hasRSAKey) }
        files[hasRSAKey] = file
        let content = try await file.value
        guard FileManager.default.createFile(atPath: path, contents: content, attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown) }
    }

    private static func file(hasRSAKey: Bool) async throws -> Data {
        let folder = try TemporaryFolder()
        let store = try await IdentityStore.open(folder.file())
        if hasRSAKey {
            var configuration = IdentityConfiguration()
            configuration.clients = [
                OAuthClient(id: "app", grants: [.authorizationCode], redirectURIs: ["https://app.example/back"])
            ]
            let identity = try await Identity(
                configuration: configuration, store: store, mailer: MemoryMailer(), clock: ManualClock(noon).wallClock()
            )
            await identity.close()
        } else {
            await store.close()
        }
        return try Data(contentsOf: URL(filePath: folder.file()))
    }
}
