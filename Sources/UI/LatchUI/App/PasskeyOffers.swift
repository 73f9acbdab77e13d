// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore

/// The accounts that were offered a passkey on this device.
struct PasskeyOffers: Sendable {
    let secrets: any SecretStore

    private static let name = "passkeyOffers"

    /// Returns whether an account was never offered a passkey, and records that it is offered one now.
    ///
    /// - Throws: The error of a store that cannot be used.
    func take(_ account: String) async throws -> Bool {
        let stored = try await secrets.read(Self.name).flatMap { try? JSONValue(parsing: $0).arrayValue }
        let accounts = stored ?? []
        guard !accounts.contains(.string(account)) else { return false }
        try await secrets.write(JSONValue.array(accounts + [.string(account)]).serialized(), for: Self.name)
        return true
    }
}
