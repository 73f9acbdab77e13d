// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto

/// What the parts of a server share: its store, its keys, its clock, and what it counts.
struct IdentityParts: Sendable {
    let configuration: IdentityConfiguration
    let store: any IdentityStore
    let clock: WallClock
    let random: RandomSource
    let pepper: SymmetricKey
    let accessTokens: AccessTokens
    let passwords: Passwords
    let limiter: AttemptLimiter
    let limits: LoginLimits
    let mails: MailQueue
    let metrics: Metrics
}
