// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The rate limits of a configuration, and the keys that attempts count against.
///
/// The tight limit is per account *and* network, so that an attacker's guesses use up the attacker's attempts and not the
/// owner's. Wider limits per account and per network stop distributed guessing and password spraying.
struct RateLimits: Sendable {
    /// The limit of guesses at one account from one network, which users meet.
    private let pair: AttemptLimiter.Limit
    /// The limit of guesses at one account from anywhere, ten times as wide (NIST SP 800-63B-4 §3.2.2).
    private let account: AttemptLimiter.Limit
    /// The limit of guesses from one network at any account, against password spraying.
    private let address: AttemptLimiter.Limit
    /// The limit of mails to one address, so that an attacker cannot flood a mailbox through the server.
    private let mail = AttemptLimiter.Limit(name: "mail", capacity: 5, window: 3600)
    /// The limit of second-factor setups of one account; each writes a dozen rows.
    private let setup = AttemptLimiter.Limit(name: "second-factor-setup", capacity: 10, window: 3600)
    /// The limit of other usernames that one account may try, since each attempt shows whether a name is taken.
    private let username = AttemptLimiter.Limit(name: "username", capacity: 10, window: 3600)
    /// The limit of requests from one network to the token routes.
    private let token: AttemptLimiter.Limit
    /// The limit of refreshes of one account over all of its devices.
    private let refresh: AttemptLimiter.Limit

    /// Creates the limits; one setting determines the first three, whose ratio matters.
    init(_ configuration: IdentityConfiguration) {
        let limit = configuration.loginLimitPerMinute
        pair = AttemptLimiter.Limit(name: "login", capacity: limit, window: 60)
        account = AttemptLimiter.Limit(name: "login-account", capacity: limit * 10, window: 60)
        address = AttemptLimiter.Limit(name: "login-address", capacity: limit * 10, window: 60)
        token = AttemptLimiter.Limit(name: "token", capacity: configuration.tokenLimitPerMinute, window: 60)
        refresh = AttemptLimiter.Limit(name: "refresh", capacity: configuration.refreshLimitPerMinute, window: 60)
    }

    /// Returns the attempts of a login under a name as it was typed, in lower case.
    ///
    /// They are the same for known and unknown names: a limit on real accounts alone would reveal which are real, and one
    /// that counts a username and an address together would reveal that they belong together.
    func login(name: String, address: String) -> [AttemptLimiter.Attempt] {
        // Bounded in bytes, since one character can have any number of them.
        let name = String(decoding: name.utf8.prefix(254), as: UTF8.self)
        let address = NetworkPrefix(of: address).text
        return [
            .init(key: "pair \(address) \(name)", limit: pair), .init(key: "account \(name)", limit: account),
            .init(key: "address \(address)", limit: self.address),
        ]
    }

    /// Returns the attempts of a login from an address where the owner is signed in.
    ///
    /// They omit the limit of the account, which guesses from elsewhere use up: it must not lock out the owner (attack
    /// D5).
    func loginFromKnownAddress(name: String, address: String) -> [AttemptLimiter.Attempt] {
        login(name: name, address: address).filter { $0.limit != account }
    }

    /// Returns whether a rejection is due to the limit of the whole account.
    func isOfAccount(_ rejection: AttemptLimiter.Rejection) -> Bool { rejection.limit == account }

    /// Returns the attempt of a request to the token routes.
    func token(address: String) -> AttemptLimiter.Attempt {
        .init(key: "token \(NetworkPrefix(of: address).text)", limit: token)
    }

    /// Returns the attempt of a refresh.
    func refresh(accountID: String) -> AttemptLimiter.Attempt { .init(key: "refresh \(accountID)", limit: refresh) }

    /// Returns the attempt of a client secret, limited as passwords are (attack J2).
    func clientSecret(of id: String, address: String) -> AttemptLimiter.Attempt {
        .init(key: "client \(NetworkPrefix(of: address).text) \(id)", limit: pair)
    }

    /// Returns the attempt of a second-factor code from one network; the store bounds and persists the total.
    func secondFactor(of accountID: String, address: String) -> AttemptLimiter.Attempt {
        .init(key: "factor \(NetworkPrefix(of: address).text) \(accountID)", limit: pair)
    }

    /// Returns the attempt of a second-factor setup.
    func secondFactorSetup(of accountID: String) -> AttemptLimiter.Attempt {
        .init(key: "factor-setup \(accountID)", limit: setup)
    }

    /// Returns the attempt of another username.
    func username(of accountID: String) -> AttemptLimiter.Attempt {
        .init(key: "username \(accountID)", limit: username)
    }

    /// Returns the attempts of a mail to an address.
    func mail(emailKey: String) -> [AttemptLimiter.Attempt] { [.init(key: "mail \(emailKey)", limit: mail)] }
}
