// SPDX-License-Identifier: Apache-2.0

public import LatchAuth

/// What an auth server can be told; every value has a safe default.
///
/// ```swift
/// var configuration = IdentityConfiguration()
/// configuration.issuer = "https://id.example.com"
/// configuration.requireVerifiedEmail = true
/// ```
public struct IdentityConfiguration: Sendable, Hashable {
    /// The public URL: the `iss` of tokens and the beginning of links in mails, never taken from a request.
    ///
    /// Without one the server uses the address on which it listens (``Identity/adoptIssuer(_:)``).
    public var issuer: String?
    /// The `aud` of access tokens; the issuer where nothing is given.
    public var audience: String?
    /// For how long an access token is valid.
    public var accessTokenLifetime: Duration = .seconds(900)
    /// For how long a device stays signed in at most, however often it renews.
    public var refreshTokenLifetime: Duration = .seconds(30 * 86_400)
    /// For how long a refresh token that was just replaced is answered with the same successor again.
    public var replayWindow: Duration = .seconds(30)
    /// The same for a repeat with the Idempotency-Key of the first request.
    public var keyedReplayWindow: Duration = .seconds(86_400)
    /// For how long a mailed link that verifies an address is valid.
    public var verificationLifetime: Duration = .seconds(86_400)
    /// For how long a mailed link that resets a password is valid.
    public var resetLifetime: Duration = .seconds(3600)
    /// Whether a login needs a verified address.
    public var requireVerifiedEmail = false
    /// The address whose account becomes the first administrator, once it is verified; nobody where nothing is given.
    public var firstAdministrator: String?
    /// The memory of one password hash in KiB.
    public var argon2MemoryKiB = 19_456
    /// The passes of one password hash.
    public var argon2Passes = 2
    /// How many password hashes may wait for a processor before further ones are refused.
    public var passwordQueueLimit = 128
    /// How many wrong passwords one address may try for one account within a minute.
    public var loginLimitPerMinute = 10
    /// The origins, beside the issuer's own, whose pages may use the refresh cookie.
    public var allowedOrigins: [String] = []
    /// A folder that takes mails as files, for development.
    public var mailDirectory: String?
    /// The mail server, such as `smtps://user:password@mail.example.com`.
    public var smtpURL: String?
    /// The sender of mails.
    public var mailSender = "no-reply@localhost"
    /// A secret kept outside of the store, without which a copy of the store cannot make refresh tokens.
    public var tokenPepper: String?
    /// Where the administration listens, if not with everything else.
    public var adminListen: String?

    /// Every scope that the server knows; what is not among them is never granted.
    public var scopes = Scopes(
        parsing: """
            widgets:read widgets:write widgets:delete widgets:admin \
            projects:read projects:write projects:delete projects:admin files:read files:write files:delete
            """)
    /// What a login gets that asks for no scope in particular.
    public var defaultScopes = Scopes(parsing: "widgets:read widgets:write projects:read projects:write files:read")
    /// The apps that may ask for tokens under a `client_id`.
    public var apps: [RegisteredApp] = []
    /// SHA-256 of the secrets of confidential apps, in hexadecimal, by `client_id`.
    ///
    /// A secret must be random, 32 bytes of it: a digest of anything that a person thought of can be guessed.
    public var appSecretDigests: [String: String] = [:]
    /// What requests to the token route may use that name no app.
    ///
    /// The password grant is among them: it opens nothing that the login routes do not, under the same limits. A server
    /// whose apps are all registered leaves it out.
    public var firstPartyGrants: Set<RegisteredApp.Grant> = [.password, .refreshToken]
    /// What the tokens of such requests may hold at most; nil for every scope.
    public var firstPartyScopes: Scopes?
    /// How many requests one network may send to the token routes within a minute.
    public var tokenLimitPerMinute = 6000
    /// How many renewals one account may have within a minute.
    public var renewalLimitPerMinute = 6000
    /// Whether the server has the sample resource: `/widgets`, `/projects` and `/files`.
    public var hasSampleResource = true
    /// Whether the server has the calls of `userservice.v1.UserService`.
    public var hasUserService = true

    /// The defaults.
    public init() {}
}

extension IdentityConfiguration {
    /// Settings by their names in a file, such as `access_token_lifetime`; what is not named keeps its default.
    ///
    /// - Throws: `IdentityError.invalidSetting`, which names the setting, what it may be, and never a secret value.
    public init(values: [String: String]) throws(IdentityError) {
        self.init()
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let setting = IdentitySetting.all.first(where: { $0.key == key }) else {
                throw .unknownSetting(key)
            }
            try setting.apply(value, &self)
        }
    }
}

extension IdentityConfiguration: CustomStringConvertible, CustomReflectable {
    /// The settings by name, secrets redacted.
    public var description: String {
        IdentitySetting.all.map { "\($0.key) = \($0.shown(in: self))" }.joined(separator: "\n")
    }

    /// A mirror of what the description shows.
    public var customMirror: Mirror {
        Mirror(self, children: IdentitySetting.all.map { ($0.key, $0.shown(in: self) as Any) })
    }
}
