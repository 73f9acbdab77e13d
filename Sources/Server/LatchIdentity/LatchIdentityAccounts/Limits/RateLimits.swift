// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchIdentityStorage
import LatchJOSE

/// The rate limits of a configuration, the keys that attempts count against, and the attempts that are left.
///
/// The strict limit is per account *and* network, so that an attacker's guesses do not use up the owner's attempts.
/// Less strict limits per account, per network and per wider network stop distributed guessing and password spraying.
package final class RateLimits: Sendable {
    private typealias Limit = AttemptLimiter.Limit

    /// A kind of request that counts by its head, before its content is read; a page's request for an email counts after.
    package enum Request: Sendable {
        /// A request to a route that issues, refreshes or revokes tokens, or an RPC.
        case token
        /// A request for a new account, which costs a hash, a row and an email.
        case signUp
        /// A request for a guest, which costs two rows that stay for weeks.
        case guest
        /// A request for an email, which the recipient did not want if the client is an attacker.
        case mail
        /// A use of a mailed link or of a page's form, which costs a write.
        case link
        /// A page of a sign-in that a browser loads.
        ///
        /// Pages count separately from forms. So a visitor who loads pages without end does not prevent sign-ins from
        /// the same network.
        case page
        /// A request to any other route: a profile, a list, a document.
        case other
    }

    /// The counters, which survive a reload, so that a reload does not give an attacker new attempts.
    package let limiter: AttemptLimiter
    private let clock: WallClock

    /// The limit of guesses at one account from one network, which users can reach.
    private let pair: Limit
    /// The limit of guesses at one account from a wider network, so that one subscriber cannot exhaust `account`.
    private let pairPrefix: Limit
    /// The limit of guesses at one account from all networks, ten times as high (NIST SP 800-63B-4 §3.2.2).
    private let account: Limit
    /// The limit of guesses from one network at all accounts, against password spraying.
    private let network: Limit
    /// The limit of guesses from a wider network, whose owner has many addresses.
    private let prefix: Limit
    /// The limits of sign-ups from one network and from a wider network.
    private let signUp, signUpPrefix: Limit
    /// The limits of new guests from one network and from a wider network.
    private let guest, guestPrefix: Limit
    /// The limit of sign-ups with one address, so that the response cannot serve as an oracle.
    private let signUpAccount: Limit
    /// The limit that distinguishes the first disclosure of an address to a network from later ones.
    private let disclosure: Limit
    /// The limits of emails that one network and a wider network request.
    private let mailNetwork, mailPrefix: Limit
    /// The limit of emails of one purpose to one address, so that an attacker cannot flood a mailbox through the
    /// server.
    private let mail: Limit
    /// The limit of wrong mailed codes for one address, over all of its codes of one purpose.
    ///
    /// There are 10⁶ codes. A year of guesses at one address succeeds with a probability of one percent.
    private let mailedCode: Limit
    /// The limits of text messages, each of which costs money: from one network and a wider one, of one account, to one
    /// number, and of the server.
    private let textNetwork, textPrefix, textAccount, textNumber, textServer: Limit
    /// The limit of wrong codes of text messages that one account enters.
    private let textCode: Limit
    /// The limit of mailed links that one network opens.
    private let link: Limit
    /// The limit of pages that one network loads.
    private let page: Limit
    /// The limit of second-factor setups of one account, each of which writes a dozen rows.
    private let setup: Limit
    /// The limit of refused passkeys from one network, each of which adds an entry to the audit log.
    private let passkey: Limit
    /// The limit of refused passkeys from a wider network.
    private let passkeyPrefix: Limit
    /// The limit of new passkeys of one account, each of which emails its owner.
    private let passkeyRegistration: Limit
    /// The limit of new passkeys of an account without a proved owner, since the notices may go to a stranger.
    private let unprovedPasskeyRegistration: Limit
    /// The limit of new user names that one account tries, since each attempt shows whether a name is taken.
    private let username: Limit
    /// The limit of requests from one network to the token routes.
    private let token: Limit
    /// The limit of requests with one API key, from all networks.
    private let apiKey: Limit
    /// The limit of requests from one network to all other routes.
    private let other: Limit
    /// The limit of new sessions of one account: a correct password costs no attempt, and each session is a row.
    private let session: Limit
    /// The limit of refreshes of one account, over all of its devices of one client.
    private let refresh: Limit
    /// The limit of refreshes of one device, each of which changes its row.
    ///
    /// Refreshes without a pause would delay a sign-out of the device, which must change the same row.
    private let deviceRefresh: Limit

    /// The limit of wrong user codes that one account enters.
    ///
    /// There are 2·10¹⁰ codes. With a thousand valid codes, a thousand accounts together guess one in two weeks.
    private let userCode: Limit
    /// The limits of new device authorizations from one network and from a wider one; each is a row for ten minutes.
    private let device, devicePrefix: Limit
    /// The limits of clients that register themselves from one network and from a wider one.
    private let registration, registrationPrefix: Limit

    /// Creates the limits; one setting determines all limits of a login, since their ratio matters.
    ///
    /// Each process counts separately. So its limit is its share of the limit for all nodes, rounded up.
    package init(_ configuration: IdentityConfiguration, limiter: AttemptLimiter, clock: WallClock) {
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
        registration = share("registration", limit * 6, per: 3600)
        registrationPrefix = share("registration-prefix", limit * 60, per: 3600)
        signUp = share("signup", configuration.signUpLimitPerHour, per: 3600)
        signUpPrefix = share("signup-prefix", configuration.signUpLimitPerHour * 5, per: 3600)
        guest = share("guest", configuration.guestLimitPerHour, per: 3600)
        guestPrefix = share("guest-prefix", configuration.guestLimitPerHour * 5, per: 3600)
        mailNetwork = share("mail-address", configuration.mailLimitPerHour, per: 3600)
        mailPrefix = share("mail-prefix", configuration.mailLimitPerHour * 5, per: 3600)
        token = share("token", configuration.tokenLimitPerMinute, per: 60)
        apiKey = share("api-key", configuration.tokenLimitPerMinute, per: 60)
        other = share("request", configuration.requestLimitPerMinute, per: 60)
        refresh = share("refresh", configuration.refreshLimitPerMinute, per: 60)
        // A browser's windows that wake together refresh together, perhaps all at one node.
        deviceRefresh = share("device-refresh", max(10 * nodes, configuration.refreshLimitPerMinute / 100), per: 60)
        signUpAccount = share("signup-account", 10, per: 3600)
        disclosure = share("disclosure", 1, per: 3600)
        mail = share("mail", 5, per: 3600)
        mailedCode = share("mailed-code", 25, per: 86_400)
        textNetwork = share("text-address", 10, per: 3600)
        textPrefix = share("text-prefix", 50, per: 3600)
        textAccount = share("text-account", 5, per: 3600)
        textNumber = share("text-number", 5, per: 3600)
        textServer = share("text-server", configuration.textLimitPerHour, per: 3600)
        textCode = share("text-code", 25, per: 86_400)
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
    package func take(_ attempts: [AttemptLimiter.Attempt]) throws(IdentityError) {
        if let rejection = rejection(taking: attempts) { throw .tooManyAttempts(rejection) }
    }

    /// Takes one attempt from each key; returns the rejection if a key has none left.
    package func rejection(taking attempts: [AttemptLimiter.Attempt]) -> AttemptLimiter.Rejection? {
        limiter.take(attempts, at: clock.now)
    }

    /// Takes one attempt from each key, and returns what the first key then has left.
    package func takeCounting(
        _ attempts: [AttemptLimiter.Attempt]
    ) -> (rejection: AttemptLimiter.Rejection?, remaining: AttemptLimiter.Remaining) {
        limiter.takeCounting(attempts, at: clock.now)
    }

    /// Gives back attempts that should not count.
    package func refund(_ attempts: [AttemptLimiter.Attempt]) { limiter.refund(attempts) }

    /// Makes the buckets of keys full again.
    package func forget(_ attempts: [AttemptLimiter.Attempt]) { limiter.forget(attempts) }

    // MARK: Attempts

    /// Returns the attempts of a request; the first one is reported to the client.
    package func attempts(of request: Request, from address: String) -> [AttemptLimiter.Attempt] {
        let network = NetworkPrefix(of: address)
        switch request {
        case .token: return [.init(.token, from: network, limit: token)]
        case .signUp:
            return [
                .init(.signUpNetwork, from: network, limit: signUp),
                .init(.signUpPrefix, from: network.wide, limit: signUpPrefix),
            ]
        case .guest:
            return [
                .init(.guestNetwork, from: network, limit: guest),
                .init(.guestPrefix, from: network.wide, limit: guestPrefix),
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

    /// Returns the attempts of a login with a name as it was typed, in lower case.
    ///
    /// They are the same for known and unknown names: limits for real accounts only would reveal which names are real.
    /// A common count for a user name and an address would reveal that they belong together.
    package func login(name: String, address: String) -> [AttemptLimiter.Attempt] {
        let network = NetworkPrefix(of: address)
        return [
            .init(.loginPair, from: network, on: name, limit: pair),
            .init(.loginPairPrefix, from: network.wide, on: name, limit: pairPrefix),
            loginFromAnywhere(name: name),
            .init(.loginNetwork, from: network, limit: self.network),
            .init(.loginPrefix, from: network.wide, limit: prefix),
        ]
    }

    /// Returns the attempt of a login with a name that counts for all networks.
    func loginFromAnywhere(name: String) -> AttemptLimiter.Attempt { .init(.loginAccount, on: name, limit: account) }

    /// Returns the attempts of a login from a network where the owner is signed in.
    ///
    /// They omit the limits that guesses from elsewhere or from neighbors use up, since these must not lock out the
    /// owner (attack D5).
    func loginFromKnownAddress(name: String, address: String) -> [AttemptLimiter.Attempt] {
        login(name: name, address: address).filter { $0.scope == .loginPair || $0.scope == .loginNetwork }
    }

    /// Returns the attempts of a login that count against a name, without those that count only against the network.
    func loginByName(_ name: String, address: String) -> [AttemptLimiter.Attempt] {
        login(name: name, address: address).filter { $0.scope != .loginNetwork && $0.scope != .loginPrefix }
    }

    /// Returns whether a rejection may be caused by the attempts of other clients.
    package func isShared(_ rejection: AttemptLimiter.Rejection) -> Bool {
        [account, pairPrefix, prefix].contains(rejection.limit)
    }

    /// Returns the attempt of a sign-up with an address.
    package func signUp(emailKey: String) -> AttemptLimiter.Attempt {
        .init(.signUpAccount, on: emailKey, limit: signUpAccount)
    }

    /// Returns the attempt of disclosing to a network that an address has an account.
    package func disclosure(of emailKey: String, to address: String) -> AttemptLimiter.Attempt {
        .init(.disclosure, from: NetworkPrefix(of: address), on: emailKey, limit: disclosure)
    }

    /// Returns the attempt of a request with an API key.
    func apiKey(_ id: String) -> AttemptLimiter.Attempt { .init(.apiKey, on: id, limit: apiKey) }

    package func session(accountID: String) -> AttemptLimiter.Attempt { .init(.session, on: accountID, limit: session) }

    package func refresh(device id: [UInt8], accountID: String, clientID: String) -> [AttemptLimiter.Attempt] {
        [
            .init(.deviceRefresh, on: Base64URL.encode(id), limit: deviceRefresh),
            .init(.refresh, on: "\(accountID) \(clientID)", limit: refresh),
        ]
    }

    /// Returns the attempt of a client secret, which has the limit of passwords (attack J2).
    package func clientSecret(of id: String, address: String) -> AttemptLimiter.Attempt {
        .init(.clientSecret, from: NetworkPrefix(of: address), on: id, limit: pair)
    }

    /// Returns the attempt of a user code (RFC 8628 §5.1, attack J8); a correct one is refunded.
    package func userCode(accountID: String) -> AttemptLimiter.Attempt {
        .init(.userCode, on: accountID, limit: userCode)
    }

    /// Returns the attempts of a client that registers itself, each a row for a day, or for 90 after its use.
    package func registration(from address: String) -> [AttemptLimiter.Attempt] {
        let network = NetworkPrefix(of: address)
        return [
            .init(.registrationNetwork, from: network, limit: registration),
            .init(.registrationPrefix, from: network.wide, limit: registrationPrefix),
        ]
    }

    package func deviceAuthorization(from address: String) -> [AttemptLimiter.Attempt] {
        let network = NetworkPrefix(of: address)
        return [
            .init(.deviceNetwork, from: network, limit: device),
            .init(.devicePrefix, from: network.wide, limit: devicePrefix),
        ]
    }

    /// Returns the attempts of a second-factor code; accepted ones are refunded.
    ///
    /// The store limits the attempts of an account, and persists them. These limits stop an attacker with the passwords
    /// of many accounts from trying a few codes of each.
    package func secondFactor(of accountID: String, address: String) -> [AttemptLimiter.Attempt] {
        let network = NetworkPrefix(of: address)
        return [
            .init(.secondFactor, from: network, on: accountID, limit: pair),
            .init(.secondFactorNetwork, from: network, limit: self.network),
            .init(.secondFactorPrefix, from: network.wide, limit: prefix),
        ]
    }

    func secondFactorSetup(of account: Account) -> AttemptLimiter.Attempt {
        .init(.secondFactorSetup, on: Self.owner(of: account), limit: setup)
    }

    /// Returns the key for the owner of an account, who gets its notices.
    ///
    /// Without a proved owner it is the address, so that deleting and creating the account again keeps the limit.
    private static func owner(of account: Account) -> String {
        account.ownerProvedAt == nil ? account.ownerKey : account.id
    }

    /// Returns the attempts of a sign-in with a passkey; accepted ones are refunded.
    package func passkey(from address: String) -> [AttemptLimiter.Attempt] {
        let network = NetworkPrefix(of: address)
        return [
            .init(.passkey, from: network, limit: passkey),
            .init(.passkeyPrefix, from: network.wide, limit: passkeyPrefix),
        ]
    }

    /// Returns the attempts of registering a passkey.
    package func passkeyRegistration(of account: Account) -> [AttemptLimiter.Attempt] {
        let attempt = AttemptLimiter.Attempt(.passkeyRegistration, on: account.id, limit: passkeyRegistration)
        guard account.ownerProvedAt == nil else { return [attempt] }
        return [
            attempt,
            .init(.unprovedPasskeyRegistration, on: Self.owner(of: account), limit: unprovedPasskeyRegistration),
        ]
    }

    /// Returns the attempt of trying another user name.
    package func username(of accountID: String) -> AttemptLimiter.Attempt {
        .init(.username, on: accountID, limit: username)
    }

    /// Returns the attempt of an email to an address.
    ///
    /// Each purpose has its own count. An attacker can request emails that are never sent, since the address is
    /// verified. They must not suppress the email that resets the password.
    package func mail(_ purpose: OutboxMail.Purpose, emailKey: String) -> AttemptLimiter.Attempt {
        .init(.mailRecipient, on: "\(purpose.rawValue) \(emailKey)", limit: mail)
    }

    /// Returns the attempt of an email to an address whose owner is signed in from the client's address.
    ///
    /// The requests of strangers must not keep the owner waiting.
    package func mail(_ purpose: OutboxMail.Purpose, emailKey: String, fromKnown address: String)
        -> AttemptLimiter.Attempt
    {
        let network = NetworkPrefix(of: address)
        return .init(.mailKnownRecipient, from: network, on: "\(purpose.rawValue) \(emailKey)", limit: mail)
    }

    /// Returns the attempts of a text message.
    func text(to phone: PhoneNumber, of accountID: String, from address: String) -> [AttemptLimiter.Attempt] {
        let network = NetworkPrefix(of: address)
        return [
            .init(.textNetwork, from: network, limit: textNetwork),
            .init(.textPrefix, from: network.wide, limit: textPrefix),
            .init(.textAccount, on: accountID, limit: textAccount),
            .init(.textNumber, on: phone.text, limit: textNumber),
            .init(.textServer, on: "", limit: textServer),
        ]
    }

    /// Returns the attempt of a code of a text message; a right one is refunded.
    func textCode(of accountID: String) -> AttemptLimiter.Attempt { .init(.textCode, on: accountID, limit: textCode) }

    /// Returns the attempt of a code that was mailed to an address; a right one is refunded.
    package func mailedCode(_ purpose: OutboxMail.Purpose, emailKey: String) -> AttemptLimiter.Attempt {
        .init(.mailedCode, on: "\(purpose.rawValue) \(emailKey)", limit: mailedCode)
    }

    /// Returns the attempt of a code from an owner who is signed in from the client's address.
    package func mailedCode(
        _ purpose: OutboxMail.Purpose, emailKey: String, fromKnown address: String
    ) -> AttemptLimiter.Attempt {
        .init(.mailedCode, from: NetworkPrefix(of: address), on: "\(purpose.rawValue) \(emailKey)", limit: mailedCode)
    }
}
