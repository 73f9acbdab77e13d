// SPDX-License-Identifier: Apache-2.0

import LatchCore

extension SignIns {
    /// Signs an account out on all of its devices, of which the access token's is one; all their tokens end at once.
    ///
    /// Only a token of this server's own app will do: who has let an app into some of their things has not let it sign
    /// out all the others.
    ///
    /// - Returns: How many devices were signed in.
    /// - Throws: `IdentityError.invalidToken`, or `.forbidden` for the token of another app.
    func signOutEverywhere(accessToken text: String?) async throws(IdentityError) -> Int {
        guard let text else { throw .invalidToken }
        let bearer = try await bearer(ofAccessToken: text)
        guard bearer.appID == parts.apps.firstParty.id else { throw .forbidden }
        let count = try await parts.store.revokeDevices(
            of: bearer.accountID, because: .logout, at: parts.clock.now)
        parts.metrics.count("latch_families_revoked_total", by: count)
        return count
    }
}
