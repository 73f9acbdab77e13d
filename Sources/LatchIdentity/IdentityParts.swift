// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto

/// What the parts of a server share: its store, its keys, its clock, and what it counts.
struct IdentityParts: Sendable {
    /// What the server was told; a reload makes new parts with another one.
    let configuration: IdentityConfiguration
    let store: any IdentityStore
    /// Every date that is stored or compared comes from here.
    let clock: WallClock
    /// Identifiers and secrets; keys and password salts come from the operating system in any case.
    let random: RandomSource
    /// Authenticates refresh tokens, beside the secret of their device.
    let pepper: SymmetricKey
    let accessTokens: AccessTokens
    let passwords: Passwords
    /// Outlives a reload, so that one does not give a guesser new attempts.
    let limiter: AttemptLimiter
    /// Which keys an attempt counts against, by the configuration.
    let limits: LoginLimits
    /// Outlives a reload, with the mails that wait in it.
    let mails: MailQueue
    let metrics: Metrics
}
