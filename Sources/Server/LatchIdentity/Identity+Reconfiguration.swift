// SPDX-License-Identifier: Apache-2.0

extension Identity {
    /// The same server under other settings: the store stays open, its keys are read again.
    ///
    /// What is counted, who was limited and the mails that wait go on. Requests that the earlier value still answers end
    /// under the earlier settings; it must not be closed, for its store is the new value's. The issuer stays what it is.
    ///
    /// - Throws: `IdentityError` where the settings or the keys cannot be used; the earlier value then goes on.
    ///
    /// The line of passwords begins anew: hashes that wait in the earlier one are still computed there.
    package func reconfigured(_ configuration: IdentityConfiguration) async throws(IdentityError) -> Identity {
        let keys = try await ServerKeys.load(
            from: parts.store, configuration: configuration, clock: parts.clock, random: parts.random)
        let tokens = AccessTokens(
            keys: keys.signing, configuration: configuration, clock: parts.clock, random: parts.random)
        if let issuer { tokens.adopt(issuer) }
        let passwords = try Passwords(configuration)
        let apps = try RegisteredApps(configuration)
        let next = IdentityParts(
            configuration: configuration, store: parts.store, clock: parts.clock, random: parts.random,
            pepper: keys.pepper, accessTokens: tokens, passwords: passwords, limiter: parts.limiter,
            limits: LoginLimits(configuration), apps: apps, scopes: ScopeRules(configuration), mails: parts.mails,
            metrics: parts.metrics)
        try await Accounts(parts: next).appointFirstAdministrator()
        housekeeping.cancel()
        return Identity(next)
    }
}
