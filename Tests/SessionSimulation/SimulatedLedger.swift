// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

/// A credential's place: which sign-in it comes from, and how many refreshes later.
struct TokenVersion: Hashable, Sendable, CustomStringConvertible {
    let family: Int
    let number: Int

    /// The version that a refresh creates.
    var next: TokenVersion { TokenVersion(family: family, number: number + 1) }

    var description: String { "\(family):\(number)" }
}

/// The record of a simulated issuer's requests, and the violations among them.
struct SimulatedLedger: Sendable {
    /// All credentials that come from one sign-in (RFC 9700 §4.14.2).
    struct Family: Sendable {
        /// The number of the current credential; each refresh adds one.
        var version = 0
        /// The moment at which the current version replaced the one before.
        var rotated = Date.distantPast
        /// The moment at which the current version was issued.
        var issued: Date
        /// The idempotency key of that refresh: with it the same answer is given again, however late.
        var rotationKey = ""
        /// Whether nothing of the family is accepted any more.
        var isRevoked = false
        /// Access tokens of earlier versions are refused, whatever their expiry.
        var oldestAccepted = 0

        /// Replaces the current version by the next one.
        mutating func rotate(key: String, _ now: Date) {
            version += 1
            (rotated, issued, rotationKey) = (now, now, key)
        }
    }

    /// The meaning of an access token.
    struct Access: Sendable {
        let version: TokenVersion
        let expiry: Date
    }

    /// The meaning of a refresh token: one version, or the current version of its family.
    enum RefreshToken: Sendable {
        case version(TokenVersion)
        case family(Int)
    }

    /// The key of a refresh, and who asked with it.
    struct Asked: Sendable {
        let key: String
        let process: Int
    }

    /// A request that is on its way.
    struct Request: Sendable {
        let number: Int
        let version: TokenVersion
    }

    /// The families by number; none is removed, so that late requests are recognised.
    var families: [Family] = []
    /// The issued access tokens.
    var accessTokens: [String: Access] = [:]
    var refreshTokens: [String: RefreshToken] = [:]
    var handedOut = 0
    /// The number of refreshes of a version while its family was valid.
    var refreshes: [TokenVersion: Int] = [:]
    /// The number of those that may have been repeated because their response was lost.
    var faults: [TokenVersion: Int] = [:]
    /// The first key of each refresh.
    var keys: [TokenVersion: Asked] = [:]
    /// The versions whose access token the resource refused.
    var refused: Set<TokenVersion> = []
    /// The version that each process is refreshing; two of one family at the same time are a violation.
    var asking: [Int: Request] = [:]
    /// The number of requests so far.
    var requestCount = 0
    /// The processes that have used up their requests, and repeat nothing immediately.
    var atLimit: Set<Int> = []
    /// The responses of each process that are not stored yet.
    var answered: [Int: TokenVersion] = [:]
    /// The requests that a correct client would never send.
    var violations: [String] = []
    /// The refreshes whose answer was lost on the way and that nothing else has disturbed since, by their process.
    var lost: [TokenVersion: Int] = [:]
    /// The refreshes that met anything else: a session repeats a request immediately only once.
    var disturbed: Set<TokenVersion> = []
    /// The families that a client has asked to revoke.
    var revocations: Set<Int> = []
    /// The families whose credential a request has carried.
    var carriers: [String: Set<Int>] = [:]

    /// Returns the version that a refresh token refreshes.
    ///
    /// One that stays the same tells nothing; then the key of the last refresh is its repetition.
    func version(of token: String, key: String) -> TokenVersion? {
        switch refreshTokens[token] {
        case .version(let version): return version
        case .family(let family):
            let isRepeat = families[family].rotationKey == key
            return TokenVersion(family: family, number: families[family].version - (isRepeat ? 1 : 0))
        case nil: return nil
        }
    }

    /// Returns the family of a refresh token.
    func family(of token: String) -> Int? {
        switch refreshTokens[token] {
        case .version(let version): version.family
        case .family(let family): family
        case nil: nil
        }
    }

    /// Enters a refresh of a version whose family lives, and what is wrong with it.
    mutating func notice(_ version: TokenVersion, key: String, by process: Int, keysOutliveProcesses: Bool) {
        refreshes[version, default: 0] += 1
        if let first = keys[version], first.key != key, keysOutliveProcesses || first.process == process {
            violations.append("the refresh of \(version) was repeated under another key")
        }
        keys[version] = Asked(key: key, process: process)
    }

    /// Enters what is wrong with a refresh whose answer somebody has and could not store yet.
    mutating func noticeDoubled(_ version: TokenVersion) {
        guard answered.values.contains(version) else { return }
        violations.append("a successor of \(version) was asked for while somebody had one")
    }
}
