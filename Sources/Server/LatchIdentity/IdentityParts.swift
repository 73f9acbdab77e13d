// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
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
    /// Who may ask for tokens.
    let apps: RegisteredApps
    /// Which scopes tokens get.
    let scopes: ScopeRules
    /// Outlives a reload, with the mails that wait in it.
    let mails: MailQueue
    let metrics: Metrics
}

extension IdentityParts {
    /// A UUID of version 7 (RFC 9562 §5.7): new rows come last, and nobody can guess the next one.
    func identifier(at now: Date) -> String {
        let time = UInt64(max(now.storedMilliseconds, 0))
        var bytes = [40, 32, 24, 16, 8, 0].map { UInt8(truncatingIfNeeded: time >> $0) } + random.bytes(10)
        bytes[6] = bytes[6] & 0x0F | 0x70
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array("0123456789abcdef")
        let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return [text[0..<8], text[8..<12], text[12..<16], text[16..<20], text[20..<32]]
            .map { String($0) }.joined(separator: "-")
    }
}
