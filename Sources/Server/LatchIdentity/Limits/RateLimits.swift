// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchJOSE

/// The rate limits of a configuration, the keys that attempts count against, and the attempts that are left.
///
/// The tight limit is per account *and* network, so that an attacker's guesses use up the attacker's attempts and not the
/// owner's. Wider limits per account, per network and per wider network stop distributed guessing and password spraying.
final class RateLimits: Sendable {
    private typealias Limit = AttemptLimiter.Limit

    /// A kind of request that counts by its head alone, before its content is read.
    enum Request: Sendable {
        /// A request to a route that issues, refreshes or revokes tokens, or an RPC.
        case token
        /// A request for a new account, each of which costs a hash, a row and a mail.
        case signUp
        /// A request for a mail, whose recipient never asked for it if the client is an attacker.
        case mail
        /// A use of a mailed link or of a page's form, each of which costs a write.
        case link
        /// A page of a sign-in that a browser loads: apart from the forms, so that no visitor who loads pages without end keeps
        /// the neighbours from signing in.
        case page
        /// A request to any other route: a profile, a list, a document.
        case other
    }

    /// The counters, which survive a reload, so that it does not give an attacker new attempts.
    let limiter: AttemptLimiter
    private let clock: WallClock

    /// The limit of guesses at one account from one network, which users meet.
    private let pair: Limit
    /// The limit of guesses at one account from a wider network, so that one subscriber alone cannot use up the account's.
    private let pairPrefix: Limit
    /// The limit of guesses at one account from anywhere, ten times as wide (NIST SP 800-63B-4 §3.2.2).
    private let account: Limit
    /// The limit of guesses from one network at any account, against password spraying.
    private let network: Limit
    /// The limit of guesses from a wider network, whose owner has many addresses.
    private let prefix: Limit
    /// The limits of sign-ups from one network, and from a wider one.
    private let signUp, signUpPrefix: Limit
    /// The limit of sign-ups with one address, so that the response does not become an oracle.
    private let signUpAccount: Limit
    /// The limit that tells the first disclosure of an address to a network from later ones.
    private let disclosure: Limit
    /// The limits of mails that one network requests, and a wider one.
    private let mailNetwork, mailPrefix: Limit
    /// The limit of mails of one purpose to one address, so that an attacker cannot flood a mailbox through the server.
    private let mail: Limit
    /// The limit of mailed links that one network opens.
    private let link: Limit
    /// The limit of pages that one network loads.
    private let page: Limit
    /// The limit of second-factor setups of one account; each writes a dozen rows.
    private let setup: Limit
    /// The limit of refused passkeys from one network, each of which is an entry of the audit log.
    private let passkey: Limit
    /// The same limit of a wider network.
    private let passkeyPrefix: Limit
    /// The limit of new passkeys of one account; each mails its owner.
    private let passkeyRegistration: Limit
    /// The limit of new passkeys of an account whose owner has not proved the address: the notices may go to a stranger.
    private let unprovedPasskeyRegistration: Limit
    /// The limit of other usernames that one account may try, since each attempt shows whether a name is taken.
    private let username: Limit
    /// The limit of requests from one network to the token routes.
    private let token: Limit
    /// The limit of requests from one network to all other routes.
    private let other: Limit
    /// The limit of new sessions of one account: a right password costs no attempt, and each session is a row.
    private let session: Limit
    /// The limit of refreshes of one account over all of its devices of one client.
    private let refresh: Limit
    /// The limit of refreshes of one device: each changes its row, and whoever does so without a pause delays what signs it
    /// out, as that has to change the same row.
    private let deviceRefresh: Limit

    /// The limit of wrong user codes that one account enters: of 2·10¹⁰ codes a thousand accounts together meet one of a
    /// thousand valid ones in two weeks.
    private let userCode: Limit
    /// The limits of new device authorizations from one network, and from a wider one; each is a row for ten minutes.
    private let device, devicePrefix: Limit

    /// Creates the limits; one setting determines those of a login, whose ratio matters.
    ///
    /// Each counts in this process alone, and so has its share of what all nodes allow together, rounded up.
    init(_ configuration: IdentityConfiguration, limiter: AttemptLimiter, clock: WallClock) {
        self.limiter = limiter
        self.clock = clock
        let nodes = max(1, configuration.nodes)
        func share(_ name: String, _ capacity: Int, per window: Double) -> Limit {
            Limit(name: name, capacity: max(1, (capacity + nodes - 1) / nodes), window: window)
        }
        let limit = configuration.loginLimitPerMinute
        pair = share("login", limit, per: 60)
        pairPrefix = share("login-pair-prefix", limit * 2, per: 60)
        account = share("login-account", limit * 10, per: 60)
        network = share("login-address", limit * 10, per: 60)
        prefix = share("login-prefix", limit * 100, per: 60)
        link = share("link", limit * 10, per: 60)
        page = share("page", limit * 60, per: 60)
        passkey = share("passkey", limit * 10, per: 60)
        passkeyPrefix = share("passkey-prefix", limit * 100, per: 60)
        device = share("device-authorization", limit * 3, per: 60)
        devicePrefix = share("device-prefix", limit * 15, per: 60)
        signUp = share("signup", configuration.signUpLimitPerHour, per: 3600)
        signUpPrefix = share("signup-prefix", configuration.signUpLimitPerHour * 5, per: 3600)
        mailNetwork = share("mail-address", configuration.mailLimitPerHour, per: 3600)
        mailPrefix = share("mail-prefix", configuration.mailLimitPerHour * 5, per: 3600)
        token = share("token", configuration.tokenLimitPerMinute, per: 60)
        other = share("request", configuration.requestLimitPerMinute, per: 60)
        refresh = share("refresh", configuration.refreshLimitPerMinute, per: 60)
        // A browser's windows that wake at one moment refresh at one moment, and may meet at one node.
        deviceRefresh = share("device-refresh", max(10 * nodes, configuration.refreshLimitPerMinute / 100), per: 60)
        signUpAccount = share("signup-account", 10, per: 3600)
        disclosure = share("disclosure", 1, per: 3600)
        mail = share("mail", 5, per: 3600)
        setup = share("second-factor-setup", 10, per: 3600)
        passkeyRegistration = share("passkey-registration", 30, per: 3600)
        unprovedPasskeyRegistration = share("passkey-unproved", 3, per: 3600)
        username = share("username", 10, per: 3600)
        session = share("session", 120, per: 60)
        userCode = share("user-code", 10, per: 600)
    }

    // MARK: Taking

    /// Takes one attempt from each key, or from none if one of them has none left.
    ///
    /// - Throws: `IdentityError.tooManyAttempts`.
    func take(_ attempts: [AttemptLimiter.Attempt]) throws(IdentityError) {
        if let rejection = rejection(taking: attempts) { throw .tooManyAttempts(rejection) }
    }

    /// Takes one attempt from each key; returns the rejection if one of them has none left.
    func rejection(taking attempts: [AttemptLimiter.Attempt]) -> AttemptLimiter.Rejection? {
        limiter.take(attempts, at: clock.now)
    }

    /// Takes one attempt from each key, and returns what the first of them has left then.
    func takeCounting(
        _ attempts: [AttemptLimiter.Attempt]
    ) -> (rejection: AttemptLimiter.Rejection?, remaining: AttemptLimiter.Remaining) {
        limiter.takeCounting(attempts, at: clock.now)
    }

    /// Returns attempts that need not count.
    func refund(_ attempts: [AttemptLimiter.Attempt]) { limiter.refund(attempts) }

    /// Gives keys all their attempts back.
    func forget(_ attempts: [AttemptLimiter.Attempt]) { limiter.forget(attempts) }

    // MARK: Attempts

    /// Returns the attempts of a request, the one to report first.
    func attempts(of request: Request, from address: String) -> [AttemptLimiter.Attempt] {
        let network = NetworkPrefix(of: address)
        switch request {
        case .token: return [.init(.token, from: network, limit: token)]
        case .signUp:
            return [
                .init(.signUpNetwork, from: network, limit: signUp),
                .init(.signUpPrefix, from: network.wide, limit: signUpPrefix),
            ]
        case .mail:
            return [
                .init(.mailNetwork, from: network, limit: mailNetwork),
                .init(.mailPrefix, from: network.wide, limit: mailPrefix),
            ]
        case .link: return [.init(.link, from: network, limit: link)]
        case .page: return [.init(.page, from: network, limit: page)]
        case .other: return [.init(.other, from: network, limit: other)]
        }
    }

    /// Returns the attempts of a login under a name as it was typed, in lower case.
    ///
    /// They are the same for known and unknown names: a limit on real accounts alone would reveal which are real, and one
    /// that counts a username and an address together would reveal that they belong together.
    func login(name: String, address: String) -> [AttemptLimiter.Attempt] {
        let network = NetworkPrefix(of: address)
        return [
            .init(.loginPair, from: network, on: name, limit: pair),
            .init(.loginPairPrefix, from: network.wide, on: name, limit: pairPrefix),
            .init(.loginAccount, on: name, limit: account),
            .init(.loginNetwork, from: network, limit: self.network),
            .init(.loginPrefix, from: network.wide, limit: prefix),
        ]
    }

    /// Returns the attempts of a login from a network where the owner is signed in.
    ///
    /// They omit the limits that guesses from elsewhere, or from neighbours, use up: these must not lock out the owner (attack
    /// D5).
    func loginFromKnownAddress(name: String, address: String) -> [AttemptLimiter.Attempt] {
        login(name: name, address: address).filter { $0.scope == .loginPair || $0.scope == .loginNetwork }
    }

    /// Returns the attempts of a login that count against a name; those that count against the network alone are left out.
    func loginByName(_ name: String, address: String) -> [AttemptLimiter.Attempt] {
        login(name: name, address: address).filter { $0.scope != .loginNetwork && $0.scope != .loginPrefix }
    }

    /// Returns whether a rejection may be due to the attempts of others.
    func isShared(_ rejection: AttemptLimiter.Rejection) -> Bool {
        [account, pairPrefix, prefix].contains(rejection.limit)
    }

    /// Returns the attempt of a sign-up with an address.
    func signUp(emailKey: String) -> AttemptLimiter.Attempt {
        .init(.signUpAccount, on: emailKey, limit: signUpAccount)
    }

    /// Returns the attempt of showing a network that an address has an account.
    func disclosure(of emailKey: String, to address: String) -> AttemptLimiter.Attempt {
        .init(.disclosure, from: NetworkPrefix(of: address), on: emailKey, limit: disclosure)
    }

    /// Returns the attempt of a new session.
    func session(accountID: String) -> AttemptLimiter.Attempt { .init(.session, on: accountID, limit: session) }

    /// Returns the attempts of a refresh.
    func refresh(device id: [UInt8], accountID: String, clientID: String) -> [AttemptLimiter.Attempt] {
        [
            .init(.deviceRefresh, on: Base64URL.encode(id), limit: deviceRefresh),
            .init(.refresh, on: "\(accountID) \(clientID)", limit: refresh),
        ]
    }

    /// Returns the attempt of a client secret, limited as passwords are (attack J2).
    func clientSecret(of id: String, address: String) -> AttemptLimiter.Attempt {
        .init(.clientSecret, from: NetworkPrefix(of: address), on: id, limit: pair)
    }

    /// Returns the attempt of a user code (RFC 8628 §5.1, attack J8); a right one is refunded.
    func userCode(accountID: String) -> AttemptLimiter.Attempt { .init(.userCode, on: accountID, limit: userCode) }

    /// Returns the attempts of a device authorization.
    func deviceAuthorization(from address: String) -> [AttemptLimiter.Attempt] {
        let network = NetworkPrefix(of: address)
        return [
            .init(.deviceNetwork, from: network, limit: device),
            .init(.devicePrefix, from: network.wide, limit: devicePrefix),
        ]
    }

    /// Returns the attempts of a second-factor code; accepted ones are refunded, and the store bounds and persists those of an account.
    ///
    /// Whoever has the passwords of many accounts must not try a few codes of each.
    func secondFactor(of accountID: String, address: String) -> [AttemptLimiter.Attempt] {
        let network = NetworkPrefix(of: address)
        return [
            .init(.secondFactor, from: network, on: accountID, limit: pair),
            .init(.secondFactorNetwork, from: network, limit: self.network),
            .init(.secondFactorPrefix, from: network.wide, limit: prefix),
        ]
    }

    /// Returns the attempt of a second-factor setup.
    func secondFactorSetup(of account: Account) -> AttemptLimiter.Attempt {
        .init(.secondFactorSetup, on: Self.owner(of: account), limit: setup)
    }

    /// Returns whom the notices of an account bother: its owner, or whoever has an address that nobody has proved, also if the account is
    /// deleted and made again.
    private static func owner(of account: Account) -> String {
        account.ownerProvedAt == nil ? account.email.key : account.id
    }

    /// Returns the attempts of signing in with a passkey; accepted ones are refunded.
    func passkey(from address: String) -> [AttemptLimiter.Attempt] {
        let network = NetworkPrefix(of: address)
        return [
            .init(.passkey, from: network, limit: passkey),
            .init(.passkeyPrefix, from: network.wide, limit: passkeyPrefix),
        ]
    }

    /// Returns the attempts of registering a passkey.
    func passkeyRegistration(of account: Account) -> [AttemptLimiter.Attempt] {
        let attempt = AttemptLimiter.Attempt(.passkeyRegistration, on: account.id, limit: passkeyRegistration)
        guard account.ownerProvedAt == nil else { return [attempt] }
        return [
            attempt,
            .init(.unprovedPasskeyRegistration, on: Self.owner(of: account), limit: unprovedPasskeyRegistration),
        ]
    }

    /// Returns the attempt of another username.
    func username(of accountID: String) -> AttemptLimiter.Attempt {
        .init(.username, on: accountID, limit: username)
    }

    /// Returns the attempt of a mail to an address.
    ///
    /// Each purpose counts by itself: requests for mails that the address never gets, because it is verified, must not
    /// suppress the one that resets its password.
    func mail(_ purpose: OutboxMail.Purpose, emailKey: String) -> AttemptLimiter.Attempt {
        .init(.mailRecipient, on: "\(purpose.rawValue) \(emailKey)", limit: mail)
    }

    /// Returns the attempt of a mail to an address whose owner is signed in from the client's address: what strangers have
    /// requested must not keep the owner waiting.
    func mail(_ purpose: OutboxMail.Purpose, emailKey: String, fromKnown address: String) -> AttemptLimiter.Attempt {
        let network = NetworkPrefix(of: address)
        return .init(.mailKnownRecipient, from: network, on: "\(purpose.rawValue) \(emailKey)", limit: mail)
    }
}
