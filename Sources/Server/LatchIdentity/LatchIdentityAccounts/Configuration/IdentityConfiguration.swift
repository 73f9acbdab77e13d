// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchCore
import LatchHTTP
public import LatchIdentityStorage
public import LatchJOSE
package import LatchServer
import LatchTexts
import LatchWebAuthn

/// The configuration of an auth server; every value has a safe default.
///
/// ```swift
/// var configuration = IdentityConfiguration()
/// configuration.issuer = "https://id.example.com"
/// configuration.requireVerifiedEmail = true
/// ```
public struct IdentityConfiguration: Sendable, Hashable {
    /// The public URL: the `iss` of tokens and the beginning of links in emails, never taken from a request.
    ///
    /// If nil, the server uses the address on which it listens (``Identity/adoptIssuer(_:)``).
    public var issuer: String?
    /// The `aud` of access tokens; nil for the issuer.
    public var audience: String?
    /// The lifetime of an access token; 15 minutes by default.
    public var accessTokenLifetime: Duration = .seconds(900)
    /// The algorithm of access tokens: ES256, RS256 or EdDSA.
    ///
    /// ES256 has short tokens and fast signatures. RS256 is for resource servers that know no other one (RFC 9068 §2.1).
    public var accessTokenAlgorithm = SignatureAlgorithm.es256
    /// The maximum lifetime of a session, however often it is refreshed.
    public var refreshTokenLifetime: Duration = .seconds(30 * 86_400)
    /// The time for which a replaced refresh token yields the same successor.
    public var replayWindow: Duration = .seconds(30)
    /// The replay window of repetitions with the Idempotency-Key of the first request.
    public var keyedReplayWindow: Duration = .seconds(86_400)
    /// The lifetime of a mailed link that verifies an address.
    public var verificationLifetime: Duration = .seconds(86_400)
    /// The lifetime of a mailed link that resets a password.
    public var resetLifetime: Duration = .seconds(3600)
    /// Whether a login requires a verified address.
    public var requireVerifiedEmail = false
    /// Whether users can sign in on pages with a code that is mailed to them, instead of a password.
    public var signInCodes = false
    /// The ways in which users can sign in; nil for all but codes, which ``signInCodes`` adds.
    ///
    /// What an account has for another way stays in the store, and works again when the way is turned on.
    public var signInWays: Set<SignInWay>?
    /// Whether users get an email about a sign-in on a device, or from a region of the network, that is new.
    public var signInNotices = true
    /// Whether a sign-in needs a verified address: a domain of ``SignUpAccess/domains`` means nothing without, and without
    /// passwords and codes no user could prove the address later.
    package var signInNeedsVerifiedEmail: Bool {
        requireVerifiedEmail || signUp == .domains || !permits(.password) && !permits(.code)
    }
    /// Whether a mailed link verifies an address only together with the account's password, a new one, or a session of it.
    ///
    /// Otherwise the link is enough to verify the address, as documented clients send it. A password that another person
    /// may have chosen stays.
    public var requireOwnerProof = false
    /// The age up to which a user's authentication suffices to change an address, a password or a second factor.
    public var recentAuthentication: Duration = .seconds(900)
    /// The time in which users can cancel the deletion of their account, by default 30 days.
    public var deletionDelay: Duration = .seconds(2_592_000)
    /// The time after which an owner who has lost the second factor, and proves the first one and the mailbox, is without
    /// it; nil if only administrators remove it.
    public var factorRecoveryDelay: Duration?
    /// Whether apps can sign users in as guests, whose accounts have nothing to sign in with yet.
    public var guests = false
    /// The time after the last use of a guest's sessions until the account is removed, by default 30 days.
    public var guestLifetime: Duration = .seconds(2_592_000)
    /// The address whose account becomes the first administrator, at the first login after address and password are proved.
    public var firstAdministrator: String?
    /// The role words that administrators may give with an invitation, in addition to their own and the lower administrative
    /// ones; super administrators give any.
    public var invitationRoles = ["client"]
    /// Who may create an account without an administrator.
    public enum SignUpAccess: String, Sendable, Hashable, CaseIterable {
        /// Every user.
        case open
        /// Users with an address of ``IdentityConfiguration/signUpDomains``.
        case domains
        /// Users with an invitation of an administrator.
        case invitation
        /// No user: the operator's commands create accounts.
        case closed
    }

    /// Who may create an account without an administrator, on pages, by an app, or through a provider.
    public var signUp = SignUpAccess.open
    /// The domains of addresses that may sign up with ``SignUpAccess/domains``, such as `example.com`.
    public var signUpDomains: [String] = []
    /// The pages about the terms of use and about privacy, to which the page of a sign-up links.
    public var termsURL, privacyURL: String?
    /// The page about help with accounts, or a `mailto` URL.
    public var supportURL: String?
    /// The logo above the titles of pages, instead of ``serviceName``.
    public var logo: PageImage?
    /// The icon of the browser's tab; ``logo`` if nil, or else the first letter of ``serviceName``.
    public var favicon: PageImage?
    /// The color of buttons and links, such as `#2456c9`, with a contrast of 4.5 to white (WCAG 2.2 §1.4.3).
    ///
    /// In the dark it is lighter.
    public var accentColor: String?
    /// The color around the pages, such as `#f4f5f7`; in the dark it is darker.
    public var backgroundColor: String?
    /// The values that apps keep with accounts, at most 50 with those of ``signUpAttributes``.
    public var attributes: [AccountAttribute] = []
    /// The names of attributes with a text that only a registration writes, at most 20: a letter, and letters, digits
    /// and `_`.
    public var signUpAttributes: [String] = []
    /// The version of the terms of use that each registration with a password must accept; nil for none.
    public var termsVersion: String?
    /// The memory of one password hash in KiB.
    public var argon2MemoryKiB = 19_456
    /// The passes of one password hash.
    public var argon2Passes = 2
    /// The URL of a service that is asked whether a new password is in a known leak; nil for none.
    ///
    /// It gets the first digits of the digest only, such as `https://api.pwnedpasswords.com/range`.
    public var breachedPasswordsURL: String?
    /// The number of password hashes that may wait for a processor before further ones are rejected: of logins, of sign-ups,
    /// and of changes each.
    public var passwordQueueLimit = 128
    /// The number of wrong passwords that one network may try for one account within a minute.
    public var loginLimitPerMinute = 10
    /// The number of accounts that one network may sign up within an hour; the /24 or /48 around it has five times as many.
    public var signUpLimitPerHour = 100
    /// The number of guests that one network may begin within an hour; the /24 or /48 around it has five times as many.
    public var guestLimitPerHour = 100
    /// The number of emails that one network may request within an hour; the /24 or /48 around it has five times as
    /// many.
    public var mailLimitPerHour = 100
    /// The number of text messages that the server sends within an hour, since each costs money.
    public var textLimitPerHour = 200
    /// The beginnings of the phone numbers that can be verified, such as `+49`; all numbers if empty.
    public var phonePrefixes: [String] = []
    /// The number of nodes among which requests are spread, each of which allows its share of every limit of a rate.
    ///
    /// It stays 1 where a load balancer sends a client always to the same node.
    public var nodes = 1
    /// The origins, in addition to the issuer's, whose pages may use the refresh cookie.
    public var allowedOrigins: [String] = []
    /// The time for which browsers keep to https for the issuer's host (RFC 6797); zero for none.
    ///
    /// It holds where the issuer is https and not of this machine, and for no host below it.
    public var hstsMaxAge: Duration = .seconds(31_536_000)
    /// The folder that receives emails as files, for development.
    public var mailDirectory: String?
    /// The URL of the mail server, such as `smtps://user:password@mail.example.com`.
    public var smtpURL: String?
    /// The sender of mails: an address, or a name and an address such as `Acme <no-reply@example.com>`.
    public var mailSender = "no-reply@localhost"
    /// The domain name with which this machine greets the mail server (RFC 5321 §4.1.1.1).
    ///
    /// If nil, it is the host of ``issuer``, or else the domain of ``mailSender``, where that is a domain name with a dot.
    /// Otherwise it is the name of the machine.
    public var mailHelloName: String?
    /// The operator's own texts of emails; nil for those of the server.
    public var mailTemplates: MailTemplates?
    /// The name of the service on pages and in emails.
    public var serviceName = "Latchwork"
    /// The language of pages and emails for users who prefer none of ``supportedLanguages``.
    public var defaultLanguage = "en"
    /// A secret kept outside the store, without which a copy of the store cannot make refresh tokens.
    ///
    /// All servers of a store need the same.
    public var tokenPepper: String?
    /// Whether a pepper that differs from the store's replaces it, which ends all sessions.
    package var acceptsAnotherPepper = false
    /// A key kept outside the store that encrypts the signing keys and secrets in it: 64 hexadecimal digits.
    ///
    /// A store is encrypted at the first start with a key, and can no longer be used without it.
    public var storeKey: String?
    /// The time after which a signing key gets a successor.
    public var signingKeyLifetime: Duration = .seconds(90 * 86_400)
    /// The time for which entries of the audit log are kept.
    public var auditRetention: Duration = .seconds(400 * 86_400)
    /// The address of the administration, if it is separate.
    public var adminListen: String?

    /// The scopes of the operator's API; no others are granted but `openid`, `profile`, `email` and `offline_access`.
    public var scopes: Scopes = []
    /// The resource servers besides the operator's API, for which clients may request tokens (RFC 8707).
    public var resources: [ResourceServer] = []
    /// The scopes of a login that requests none (RFC 6749 §3.3).
    public var defaultScopes: Scopes = []
    /// The registered OAuth clients.
    public var clients: [OAuthClient] = []
    /// The SHA-256 digests of the secrets of confidential clients, in hexadecimal, by `client_id`.
    ///
    /// A secret must be 32 random bytes: the digest of a chosen password can be guessed. While a client changes over to
    /// another secret, `+` separates the digests of both.
    public var clientSecretDigests: [String: String] = [:]
    /// The source of the certificates of clients (RFC 8705).
    public enum ClientCertificateSource: String, Sendable, Hashable, CaseIterable {
        /// No certificates are taken.
        case none
        /// The server's own TLS.
        case tls
        /// A header field of trusted proxies.
        case proxy
    }

    /// The source of the certificates of clients (RFC 8705).
    ///
    /// The server that uses ``Identity/handler`` has to be configured alike: with `Server.TLS.clientCertificates`, or
    /// with `TrustedProxies.certificateField`.
    public var clientCertificates = ClientCertificateSource.none
    /// The certificates in PEM of the authorities that vouch for clients (`tls_client_auth`); empty for none.
    public var clientAuthorities: [UInt8] = []
    /// The base URL of the endpoints where clients show certificates (RFC 8705 §5), with the path of the issuer; nil for
    /// the issuer.
    public var certificateURL: String?
    /// Who may register clients at `/oauth/register` (RFC 7591).
    public enum RegistrationAccess: String, Sendable, Hashable, CaseIterable {
        /// No client: the server has no such endpoint.
        case off
        /// Clients with a token of the operator (`latch admin client initial-token`).
        case token
        /// Every client.
        case open
    }

    /// Who may register clients at `/oauth/register` (RFC 7591).
    public var registration = RegistrationAccess.off
    /// Whether a `client_id` may be the https URL of a document about the client
    /// (draft-ietf-oauth-client-id-metadata-document).
    public var takesClientDocuments = false
    /// The scopes that clients which register themselves may have; nil for all that are not for administrators.
    public var registrationScopes: Scopes?
    /// The number of clients that may have registered themselves at the same time.
    public var registrationLimit = 1000
    /// The grants of token requests without a `client_id`.
    ///
    /// The password grant is among them: it permits no more than the login routes do, under the same limits. A server
    /// whose clients are all registered omits it.
    public var firstPartyGrants: Set<OAuthClient.GrantType> = [.password, .refreshToken]
    /// The scopes that tokens of such requests may have; nil for every scope.
    public var firstPartyScopes: Scopes?
    /// The number of requests that one network may send to the token routes, and of RPCs, within a minute.
    public var tokenLimitPerMinute = 6000
    /// The number of requests that one network may send to all other routes within a minute.
    public var requestLimitPerMinute = 6000
    /// The number of refreshes of one account within a minute, of which one device has a hundredth, but at each node ten at least.
    public var refreshLimitPerMinute = 6000
    /// The identity providers that users may sign in through.
    public var upstreams: [UpstreamProvider] = []
    /// The client secrets at these providers by name; of Apple, the private key in base 64 as its file has it.
    public var upstreamSecrets: [String: String] = [:]
    /// The programs of the operator that the server asks or tells over HTTP.
    public var hooks: [Hook] = []
    /// The secrets that sign the requests to these programs, by name, such as `whsec_` and 32 bytes in base 64.
    public var hookSecrets: [String: String] = [:]
    /// The hook that emails are offered to; nil for none.
    package var mailHook: Hook? { hooks.first { $0.point == .mail } }
    /// The URLs of apps that the browser may return to after a sign-in through a provider, character by character.
    public var signInRedirects: [String] = []
    /// The URLs of apps that get tokens in the URL, as AuthPackage's first clients do; histories and logs keep them there.
    public var tokenRedirects: [String] = []
    /// Whether a browser that names no app gets the tokens of a sign-in through a provider as JSON, as AuthPackage's backend
    /// responds to web apps.
    public var answersBrowsersWithTokens = false
    /// The identifiers of the apps on Apple's platforms that may open the links of emails and fill in passwords.
    ///
    /// Each is the team's identifier, a dot and the bundle identifier.
    public var appleAppIDs: [String] = []
    /// The apps on Android that may open links of this host, and use its passwords and passkeys.
    ///
    /// Each is the package, `=`, and the SHA-256 fingerprint of the certificate that signs it, in hexadecimal with colons.
    public var androidApps: [String] = []
    /// The URL of an app that the pages lead back to after a verified address or a new password; nil for none.
    public var appURL: String?
    /// The domain that passkeys are made for (RP ID); nil for the host of the issuer.
    ///
    /// It is that host or a domain above it, so that apps and hosts of the domain share the passkeys. Passkeys of another one
    /// no longer sign in once it is changed.
    public var passkeyDomain: String?
    /// The origins, in addition to the issuer's and the domain's, whose pages and apps may use the passkeys.
    public var passkeyOrigins: [String] = []
    /// Whether the server has the RPCs of `userservice.v1.UserService`.
    public var hasUserService = true

    /// The languages of pages and emails, as BCP 47 tags.
    public static let supportedLanguages = Texts.languages

    /// Creates a configuration with the defaults.
    public init() {}
}

extension IdentityConfiguration {
    /// Creates a configuration from settings by their keys, such as `access_token_lifetime`; others keep their default.
    ///
    /// - Throws: `IdentityError.invalidSetting`, which names the setting and the expected value, never the given one.
    public init(values: [String: String]) throws(IdentityError) {
        self.init()
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let setting = Self.settings.first(where: { $0.key == key }) else { throw .unknownSetting(key) }
            do throws(SettingProblem) { try setting.apply(value, &self) } catch { throw .invalidSetting(key, error) }
        }
    }
}

extension IdentityError {
    /// Returns an error that suggests the settings with the same first four letters.
    fileprivate static func unknownSetting(_ key: String) -> IdentityError {
        let known = IdentityConfiguration.settings.map(\.key).filter {
            zip($0.utf8, key.utf8).prefix { $0 == $1 }.count >= 4
        }
        return invalidSetting.with(
            message: "There is no setting '\(key)'.",
            hint: known.isEmpty
                ? "See 'latch serve --print-config' for all settings."
                : "Did you mean \(known.joined(separator: ", "))?")
    }
}

extension IdentityConfiguration {
    /// The methods with which clients may authenticate with a certificate (RFC 8705 §2); empty if none are taken.
    package var certificateMethods: Set<OAuthClient.AuthenticationMethod> {
        guard clientCertificates != .none else { return [] }
        return clientAuthorities.isEmpty ? [.selfSignedTLSClientAuth] : [.tlsClientAuth, .selfSignedTLSClientAuth]
    }

    /// Returns the authorities of clients; nil without any.
    ///
    /// - Throws: `IdentityError.unusableSetting`.
    package func certificateAuthorities() throws(IdentityError) -> CertificateAuthorities? {
        guard !clientAuthorities.isEmpty else { return nil }
        do throws(ServerError) { return try CertificateAuthorities(pem: clientAuthorities) } catch {
            throw .unusableSetting("client_authorities_file", "the file has no certificates in PEM, or a malformed one")
        }
    }

    /// The scopes of clients that neither the server has nor a lower level of them.
    package var unknownClientScopes: Scopes {
        let policy = ScopePolicy(self)
        var unknown: [Scope] = []
        for scope in (clients.map(\.scopes) + [firstPartyScopes]).flatMap({ $0?.elements ?? [] })
        where !policy.knows([scope]) && !unknown.contains(scope) {
            guard !scopes.elements.contains(where: { Scopes([scope]).allow($0, in: .levels) }) else { continue }
            unknown.append(scope)
        }
        return Scopes(unknown)
    }
}

extension IdentityConfiguration: CustomStringConvertible, CustomReflectable {
    /// The settings by key, secrets redacted.
    public var description: String {
        Self.settings.map { "\($0.key) = \($0.shown(in: self))" }.joined(separator: "\n")
    }

    /// A mirror of the settings, secrets redacted.
    public var customMirror: Mirror {
        Mirror(self, children: Self.settings.map { ($0.key, $0.shown(in: self) as Any) })
    }
}
