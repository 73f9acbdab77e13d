// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// A credential's place: which sign-in it comes from, and how many renewals later.
struct TokenVersion: Hashable, Sendable, CustomStringConvertible {
    let family: Int
    let number: Int

    /// What a renewal makes of it.
    var next: TokenVersion { TokenVersion(family: family, number: number + 1) }

    var description: String { "\(family):\(number)" }
}

/// What a simulated issuer was asked for, and what was wrong with it.
struct SimulatedLedger: Sendable {
    /// All credentials that come from one sign-in (RFC 9700 §4.14.2).
    struct Family: Sendable {
        /// The number of the current credential; each renewal adds one.
        var version = 0
        /// When the current version replaced the one before.
        var rotated = Date.distantPast
        /// When the current version was handed out.
        var issued: Date
        /// The idempotency key of that renewal: with it the same answer is given again, however late.
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

    /// What an access token is.
    struct Access: Sendable {
        let version: TokenVersion
        let expiry: Date
    }

    /// What a refresh token renews: one version, or whatever version its family has come to.
    enum RefreshToken: Sendable {
        case version(TokenVersion)
        case family(Int)
    }

    /// The key of a renewal, and who asked with it.
    struct Asked: Sendable {
        let key: String
        let process: Int
    }

    /// By number; a family is never removed, so that its late requests are recognised.
    var families: [Family] = []
    /// What was handed out.
    var accessTokens: [String: Access] = [:]
    var refreshTokens: [String: RefreshToken] = [:]
    var handedOut = 0
    /// How often the renewal of a version was asked for while its family lived.
    var renewals: [TokenVersion: Int] = [:]
    /// How many of those may have been repeated because their answer was withheld.
    var faults: [TokenVersion: Int] = [:]
    /// What each renewal was first asked with.
    var keys: [TokenVersion: Asked] = [:]
    /// The versions whose access token the resource refused.
    var refused: Set<TokenVersion> = []
    /// What each process is asking a successor for; two of one family at once are a violation.
    var asking: [Int: TokenVersion] = [:]
    /// What each process has an answer for which is not stored yet.
    var answered: [Int: TokenVersion] = [:]
    /// What a good client would never ask for.
    var violations: [String] = []
    /// The families whose credential a request has carried.
    var carriers: [String: Set<Int>] = [:]

    /// What is asked for by a refresh token.
    ///
    /// One that stays the same tells nothing; then the key of the last renewal is its repetition.
    func version(of token: String, key: String) -> TokenVersion? {
        switch refreshTokens[token] {
        case .version(let version): return version
        case .family(let family):
            let isRepeat = families[family].rotationKey == key
            return TokenVersion(family: family, number: families[family].version - (isRepeat ? 1 : 0))
        case nil: return nil
        }
    }

    /// Which sign-in a refresh token comes from.
    func family(of token: String) -> Int? {
        switch refreshTokens[token] {
        case .version(let version): version.family
        case .family(let family): family
        case nil: nil
        }
    }

    /// Enters a renewal of a version whose family lives, and what is wrong with it.
    mutating func notice(_ version: TokenVersion, key: String, by process: Int, keysOutliveProcesses: Bool) {
        renewals[version, default: 0] += 1
        if let first = keys[version], first.key != key, keysOutliveProcesses || first.process == process {
            violations.append("the renewal of \(version) was repeated under another key")
        }
        keys[version] = Asked(key: key, process: process)
        if answered.values.contains(version) {
            violations.append("a successor of \(version) was asked for while somebody had one")
        }
    }
}
