// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
public import LatchCore
public import LatchFoundation
public import LatchHTTP
import LatchJOSE

/// The address of the backend and the features that it offers.
public struct AuthConfiguration: Sendable {
    /// The base URL of the backend, whose path is kept.
    public let baseURL: URL
    /// Whether the refresh token may be stored as a cookie, if that is the only way in which the backend sends it.
    public let refreshUsesCookie: Bool
    /// The scheme of the program's URLs, for sign-in in a browser.
    public let redirectScheme: String?
    /// Whether sign-in with Microsoft is offered.
    public let microsoftEnabled: Bool
    /// Whether sign-in with Google is offered.
    public let googleEnabled: Bool
    /// Whether sign-in with Facebook is offered.
    public let facebookEnabled: Bool
    /// Whether the page shares no cookies with the user's browser.
    public let ephemeralWebSession: Bool
    /// Whether the deep link may carry the tokens themselves, as in the backend's contract.
    ///
    /// A backend with one-time codes receives this app's challenge (PKCE) and sends a code. Turn this off for such a
    /// backend, because URLs are stored in logs and histories.
    public let acceptsTokensInURL: Bool
    /// The hosts to which plain http is allowed.
    ///
    /// Allow hosts other than this machine only for development, such as a LAN address.
    public let allowingInsecureHTTP: InsecureHTTP
    /// A function that receives messages for developers, for example that tokens arrived in a URL; never a secret.
    public let log: @Sendable (String) -> Void

    /// Creates a configuration.
    public init(
        baseURL: URL, refreshUsesCookie: Bool = true, redirectScheme: String? = nil, microsoftEnabled: Bool = false,
        googleEnabled: Bool = false, facebookEnabled: Bool = false, ephemeralWebSession: Bool = true,
        acceptsTokensInURL: Bool = true, allowingInsecureHTTP: InsecureHTTP = .loopbackOnly,
        log: @escaping @Sendable (String) -> Void = { AuthConfiguration.printToStandardError($0) }
    ) {
        self.baseURL = baseURL
        self.refreshUsesCookie = refreshUsesCookie
        self.redirectScheme = redirectScheme
        self.microsoftEnabled = microsoftEnabled
        self.googleEnabled = googleEnabled
        self.facebookEnabled = facebookEnabled
        self.ephemeralWebSession = ephemeralWebSession
        self.acceptsTokensInURL = acceptsTokensInURL
        self.allowingInsecureHTTP = allowingInsecureHTTP
        self.log = log
    }
}

/// A user of the backend.
public struct User: Codable, Equatable, Sendable {
    /// The backend's identifier.
    public let id: String
    /// The email address.
    public let email: String
    /// The name that other users see; nil if the server has none.
    public let name: String?
    /// The identifier of the tenant; nil without tenants.
    public let tenantId: String?
    /// The names of the roles, as the server spells them.
    public let roles: [String]
    /// The names of the permissions, as the server spells them.
    public let permissions: [String]

    /// Creates a user from its parts.
    public init(
        id: String, email: String, name: String? = nil, tenantId: String? = nil, roles: [String] = [],
        permissions: [String] = []
    ) {
        self.id = id
        self.email = email
        self.name = name
        self.tenantId = tenantId
        self.roles = roles
        self.permissions = permissions
    }

    /// Converts an account of the core.
    init(_ account: Account) {
        self.init(
            id: account.id, email: account.email, name: account.name, tenantId: account.tenantID,
            roles: account.roles, permissions: account.permissions)
    }
}

/// The claims of an access token; decoded, not verified, and only for display.
public struct JWTClaims: Equatable, Sendable {
    /// The subject, or the `id` that the backend writes instead.
    public let sub: String?
    /// The email address.
    public let email: String?
    /// The identifier of the tenant; nil if the token has none.
    public let tenantId: String?
    /// The names of the roles; nil if the token has none.
    public let roles: [String]?
    /// The names of the permissions; nil if the token has none.
    public let permissions: [String]?
    /// The expiration time, in seconds since 1970.
    public let exp: Double?
    /// The time of issue, in seconds since 1970.
    public let iat: Double?
    /// All claims, of any type.
    public let raw: JSONObject

    /// Converts claims; a claim with an unexpected type is nil here, but still in `raw`.
    init(_ claims: Claims) {
        let object = claims.members
        sub = (object["sub"] ?? object["id"])?.stringValue
        email = object["email"]?.stringValue
        tenantId = object["tenantId"]?.stringValue
        roles = claims.strings("roles")
        permissions = claims.strings("permissions")
        exp = object["exp"]?.doubleValue
        iat = object["iat"]?.doubleValue
        raw = object
    }

    /// Decodes the claims of an access token; nil if it is not a JWT.
    package init?(of tokens: Tokens) {
        guard let token = try? JWT(unverified: tokens.access) else { return nil }
        self.init(token.claims)
    }
}
