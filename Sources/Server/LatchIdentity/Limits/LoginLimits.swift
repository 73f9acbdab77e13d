// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// Which attempts are counted against which keys.
///
/// The tight limit is on an account *from one address*: a stranger's guesses use up the stranger's attempts and not the
/// owner's. Wider ones on the account and on the address stop guessing from many places and spraying over many accounts.
struct LoginLimits: Sendable {
    /// Guesses at one account from one network: the limit that a person meets.
    private let pair: AttemptLimiter.Limit
    /// Guesses at one account from anywhere, ten times as many: NIST SP 800-63B-4 §3.2.2 asks for a bound.
    private let account: AttemptLimiter.Limit
    /// Guesses from one network at any account, for those who try one common password on everybody.
    private let address: AttemptLimiter.Limit
    /// Five mails an hour to one address, or anybody could fill a stranger's mailbox in our name.
    private let mail = AttemptLimiter.Limit(name: "mail", capacity: 5, window: 3600)

    /// Second factors that one account begins within an hour; each writes a dozen rows.
    private let setup = AttemptLimiter.Limit(name: "second-factor-setup", capacity: 10, window: 3600)

    /// Requests from one network to the routes that give and take back tokens.
    private let token: AttemptLimiter.Limit
    /// Renewals of one account, whichever of its devices asks.
    private let renewal: AttemptLimiter.Limit

    /// One setting makes the first three, since what matters is how they stand to each other.
    init(_ configuration: IdentityConfiguration) {
        let limit = configuration.loginLimitPerMinute
        pair = AttemptLimiter.Limit(name: "login", capacity: limit, window: 60)
        account = AttemptLimiter.Limit(name: "login-account", capacity: limit * 10, window: 60)
        address = AttemptLimiter.Limit(name: "login-address", capacity: limit * 10, window: 60)
        token = AttemptLimiter.Limit(name: "token", capacity: configuration.tokenLimitPerMinute, window: 60)
        renewal = AttemptLimiter.Limit(name: "renewal", capacity: configuration.renewalLimitPerMinute, window: 60)
    }

    /// Every attempt on an address counts, whether it has an account or not: a limit that only real accounts have would
    /// show which are real.
    func login(emailKey: String, address: String) -> [AttemptLimiter.Attempt] {
        // A key has a bounded number of bytes, whatever was typed: one character can have as many as it likes.
        let email = String(decoding: emailKey.utf8.prefix(254), as: UTF8.self)
        let address = NetworkPrefix(of: address).text
        return [
            .init(key: "pair \(address) \(email)", limit: pair), .init(key: "account \(email)", limit: account),
            .init(key: "address \(address)", limit: self.address),
        ]
    }

    /// The same without the limit on the account, for a place from which its owner is signed in: guesses from everywhere
    /// else use that limit up, and must not keep the owner out (attack D5).
    func loginFromKnownPlace(emailKey: String, address: String) -> [AttemptLimiter.Attempt] {
        login(emailKey: emailKey, address: address).filter { $0.limit != account }
    }

    /// Whether a refusal is for the account as a whole.
    func isOfAccount(_ refusal: AttemptLimiter.Refusal) -> Bool { refusal.limit == account }

    /// Requests to the token routes from one network.
    func token(address: String) -> AttemptLimiter.Attempt {
        .init(key: "token \(NetworkPrefix(of: address).text)", limit: token)
    }

    /// Renewals of one account.
    func renewal(accountID: String) -> AttemptLimiter.Attempt { .init(key: "renewal \(accountID)", limit: renewal) }

    /// Wrong secrets of one app from one network, which are counted as wrong passwords are (attack J2).
    func appSecret(of id: String, address: String) -> AttemptLimiter.Attempt {
        .init(key: "app \(NetworkPrefix(of: address).text) \(id)", limit: pair)
    }

    /// Codes of a second factor from one network for one account; the store bounds those from everywhere, and keeps count
    /// of them over a restart.
    func secondFactor(of accountID: String, address: String) -> AttemptLimiter.Attempt {
        .init(key: "factor \(NetworkPrefix(of: address).text) \(accountID)", limit: pair)
    }

    /// Second factors that one account begins.
    func secondFactorSetup(of accountID: String) -> AttemptLimiter.Attempt {
        .init(key: "factor-setup \(accountID)", limit: setup)
    }

    /// Mails to one address, whoever asks for them.
    func mail(emailKey: String) -> [AttemptLimiter.Attempt] { [.init(key: "mail \(emailKey)", limit: mail)] }
}
