// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchFoundation
import LatchIdentityStorage

extension TokenService {
    /// Returns the first tokens of a device of the server's own client again, for an app that lost them.
    ///
    /// The refresh token is the same text. A device that has refreshed its tokens has not lost them.
    ///
    /// - Parameters:
    ///   - time: The time after the sign-in in seconds.
    ///   - grant: The grant that has signed the device in, for the hook.
    /// - Returns: Nil if the first tokens are no longer the current ones.
    /// - Throws: `IdentityError.hookUnavailable` or a store's error.
    func firstTokens(
        of device: Device, within time: TimeInterval, by grant: OAuthClient.GrantType
    ) async throws(IdentityError) -> IssuedTokens? {
        guard device.clientID == nil, device.counter == 0,
            device.revokedAt == nil, (-60..<time).contains(clock.now.timeIntervalSince(device.createdAt)),
            let account = try await store.account(id: device.accountID), account.status == .active
        else { return nil }
        var (owner, target) = try activeAccountAndTarget(
            account, on: device, by: clients.firstParty, requesting: nil, on: TokenConditions())
        target = try await adding(to: target, for: owner, by: clients.firstParty, grant: grant)
        let key = RefreshTokenKey(of: device, pepper: pepper)
        return try issued(to: device, of: owner, by: clients.firstParty, refresh: key.token(counter: 0), target)
    }
}
