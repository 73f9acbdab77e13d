// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchCrypto
import LatchHTTP
import PortableFoundation

/// The dependencies that the services and routes of a server share, by reference: each request passes them on many times.
final class Dependencies: Sendable {
    /// The configuration; a reload creates new dependencies with another one.
    let configuration: IdentityConfiguration
    let store: IdentityStore
    /// The source of every date that is stored or compared.
    let clock: WallClock
    /// The check of the clock's date; it survives a reload.
    let dates: DateCheck
    /// The source of identifiers and secrets; keys and password salts always come from the operating system.
    let random: RandomSource
    /// The root key from which the keys of refresh tokens, TOTP secrets, mailed links, list cursors and decoy hashes are
    /// derived.
    let pepper: SymmetricKey
    /// The key of the audit log's digests.
    let auditKey: [UInt8]
    /// The encryption of the keys in the store.
    let keyring: Keyring
    let accessTokens: AccessTokenIssuer
    /// The keys of refresh tokens, which depend on the pepper.
    let families = TokenFamilyCache()
    let passwords: PasswordHasher
    /// The attempt counters; they survive a reload, so that it does not give an attacker new attempts.
    let limiter: AttemptLimiter
    /// The rate limits of the configuration.
    let limits: RateLimits
    /// The registered OAuth clients.
    let clients: OAuthClients
    /// The rules for granting scopes.
    let scopes: ScopePolicy
    /// The worker that sends the mails of the outbox; it survives a reload.
    let mails: MailQueue
    let metrics: Metrics
    /// The clients of the identity providers that users may sign in through.
    let upstreams: UpstreamClients
    /// The handlers of the token endpoint.
    let grantHandlers: [any GrantHandler.Type]

    init(
        configuration: IdentityConfiguration, store: IdentityStore, clock: WallClock, dates: DateCheck,
        random: RandomSource, pepper: SymmetricKey, auditKey: [UInt8], keyring: Keyring,
        accessTokens: AccessTokenIssuer,
        passwords: PasswordHasher, limiter: AttemptLimiter, limits: RateLimits, clients: OAuthClients,
        scopes: ScopePolicy, mails: MailQueue, metrics: Metrics, upstreams: UpstreamClients,
        grantHandlers: [any GrantHandler.Type]
    ) {
        self.configuration = configuration
        self.store = store
        self.clock = clock
        self.dates = dates
        self.random = random
        self.pepper = pepper
        self.auditKey = auditKey
        self.keyring = keyring
        self.accessTokens = accessTokens
        self.passwords = passwords
        self.limiter = limiter
        self.limits = limits
        self.clients = clients
        self.scopes = scopes
        self.mails = mails
        self.metrics = metrics
        self.upstreams = upstreams
        self.grantHandlers = grantHandlers
    }

    /// The current time of the clock.
    var now: Date { clock.now }

    var accounts: AccountService { AccountService(dependencies: self) }
    var logins: LoginService { LoginService(dependencies: self) }
    var secondFactors: SecondFactorService { SecondFactorService(dependencies: self) }
    var passkeys: PasskeyService { PasskeyService(dependencies: self) }
    var passkeySignIns: PasskeySignInService { PasskeySignInService(dependencies: self) }
    var upstreamSignIns: UpstreamSignInService { UpstreamSignInService(dependencies: self) }
    var authorizations: AuthorizationService { AuthorizationService(dependencies: self) }
    var deviceAuthorizations: DeviceAuthorizationService { DeviceAuthorizationService(dependencies: self) }
    var pageSessions: PageSessionService { PageSessionService(dependencies: self) }
    var audit: AuditService { AuditService(dependencies: self) }
    var signingKeys: SigningKeyService { SigningKeyService(dependencies: self) }
    var tokens: TokenService { TokenService(dependencies: self) }

    /// Takes rate-limited attempts.
    ///
    /// - Throws: `IdentityError.tooManyAttempts`.
    func take(_ attempts: [AttemptLimiter.Attempt]) throws(IdentityError) {
        if let rejection = limiter.take(attempts, at: now) { throw .tooManyAttempts(rejection) }
    }

    /// Requires that tokens of this server are for the resources that a client names (RFC 8707 §2).
    ///
    /// They are for the audience only, which is the issuer unless it is set.
    ///
    /// - Throws: `IdentityError.invalidTarget`, `.notReady`.
    func requireTargets(_ resources: [String]) throws(IdentityError) {
        guard let issuer = accessTokens.issuer else { throw .notReady }
        let audience = configuration.audience ?? issuer
        guard resources.allSatisfy({ $0.utf8.elementsEqual(audience.utf8) }) else { throw .invalidTarget }
    }

    /// Requires that a client of others that names the operator's API requests a scope of it, or none.
    ///
    /// The token would be for the claims about the user only, which the API refuses.
    ///
    /// - Throws: `IdentityError.scopelessTarget`.
    func requireScope(
        of resources: [String], in requested: Scopes?, for client: OAuthClient
    ) throws(IdentityError) {
        guard let audience = configuration.audience, audience != accessTokens.issuer, !client.belongsToOperator,
            resources.contains(audience), !scopes.needsResource(requested)
        else { return }
        throw .scopelessTarget
    }

    /// Returns the interceptors of routes whose requests count by their heads.
    func limiting(_ request: RateLimits.Request, as format: ErrorFormat = .message) -> [any Interceptor] {
        [
            RequestLimitInterceptor(dependencies: self, request: request, format: format),
            IdentityErrorInterceptor(format: format),
        ]
    }

    /// Returns the interceptors of pages that a browser opens in a window of its own.
    ///
    /// - Parameter allowsSilentFrames: Whether a frame may ask for an authorization without a page.
    func pages(limiting request: RateLimits.Request, allowsSilentFrames: Bool = false) -> [any Interceptor] {
        [NavigationInterceptor(allowsSilentFrames: allowsSilentFrames)] + limiting(request, as: .page)
    }

    /// Returns a UUID of version 7 (RFC 9562 §5.7), so that new rows come last and no id can be guessed.
    func newID(at now: Date) -> String {
        let time = UInt64(max(now.storedMilliseconds, 0))
        var bytes = [40, 32, 24, 16, 8, 0].map { UInt8(truncatingIfNeeded: time >> $0) } + random.bytes(10)
        bytes[6] = bytes[6] & 0x0F | 0x70
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array(Hex.encode(bytes).utf8)
        return [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
            .map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
    }
}
