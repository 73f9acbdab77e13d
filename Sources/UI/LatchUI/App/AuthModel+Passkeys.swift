// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchAuth
import LatchCore
import PortableFoundation

extension AuthModel {
    /// Whether the user of a client is signed in, and no screen is above the content.
    private func showsContent(of client: AuthClient) -> Bool {
        self.client === client && isSignedIn && screens.isEmpty
    }

    /// Offers a passkey to a user who has signed in with a password, has no passkey, and was not asked on this device before.
    ///
    /// What cannot be found out is offered after the next sign-in.
    func offerPasskey() {
        guard let passkeys, passkeys.isAvailable else { return }
        perform { [weak self, client, passkeyOffers] in
            do {
                let account = if let claimed = client.account { claimed } else { try await client.profile() }
                guard try await client.signInMethods().passkeys == 0 else { return }
                // A server has none whose public URL permits none.
                _ = try await client.passkeyRequestOptions()
                guard self?.showsContent(of: client) == true, try await passkeyOffers.take(account.id) else { return }
                // The user may have gone on meanwhile, perhaps to another account.
                if self?.showsContent(of: client) == true { self?.push(.passkeyOffer(email: account.email)) }
            } catch {
                // The user came for something else, and the sign-in has not failed.
            }
        }
    }
}

/// The accounts that were offered a passkey on this device.
struct PasskeyOffers: Sendable {
    let secrets: any SecretStore

    private static let name = "passkeyOffers"

    /// Returns whether an account was not offered a passkey before, and remembers that it is now.
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
