// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchCore
public import LatchFoundation
import LatchHTTP
public import LatchJOSE

// Most of these providers publish their metadata, so their configurations state only deviations from the
// specifications.

extension OAuthConfiguration {
    /// The configuration of Google.
    ///
    /// Google has no scope for a refresh token. It issues one at the first consent to a request for offline access.
    ///
    /// - Parameters:
    ///   - clientID: The client identifier.
    ///   - secret: The client secret. Google also requires one from a desktop client, but does not treat it as a secret
    ///     there. Its other kinds of clients for apps have none.
    public static func google(clientID: String, secret: String? = nil) -> OAuthConfiguration {
        var configuration = known("https://accounts.google.com", clientID, secret, ["openid", "profile", "email"])
        configuration.quirks.authorizationParameters = ["access_type": "offline"]
        // Google's documentation names both forms of its issuer.
        configuration.quirks.otherIssuers = ["accounts.google.com"]
        return configuration
    }

    /// The configuration of Microsoft Entra, for work, school and personal accounts.
    ///
    /// - Parameters:
    ///   - clientID: The application (client) ID.
    ///   - tenant: The directory: its ID or domain, or `common`, `organizations` or `consumers` for several. Unless it
    ///     is an ID, the issuer of an ID token is that of the user's own directory, which the token names as `tid`.
    ///   - secret: The client secret; nil for a program on a user's device.
    public static func microsoft(
        clientID: String, tenant: String = "common", secret: String? = nil
    ) -> OAuthConfiguration {
        let issuer = "https://login.microsoftonline.com/\(FormEncoding.encodeValue(tenant))/v2.0"
        var configuration = known(issuer, clientID, secret, .signIn)
        configuration.quirks.resourceSpelling = .scopePrefix
        return configuration
    }

    /// The configuration of Apple, for servers and for platforms other than Apple's own.
    ///
    /// The client secret is a token that a key of the developer's account signs for each request. Name and address come
    /// only with the first sign-in, as a POST (`response_mode=form_post`). Decode it with
    /// ``AuthorizationResponse/init(form:sentTo:)``.
    ///
    /// - Parameters:
    ///   - clientID: The Services ID, or the bundle identifier.
    ///   - teamID: The identifier of the developer's team.
    ///   - key: The private key of Sign in with Apple, whose `id` is its Key ID.
    public static func apple(clientID: String, teamID: String, key: Key) -> OAuthConfiguration {
        var configuration = apple(clientID: clientID)
        configuration.registration = ClientRegistration(
            clientID: clientID, secretSignedBy: key, issuer: teamID, audience: configuration.issuer.absoluteString)
        configuration.responseMode = .formPost
        return configuration
    }

    /// Returns Apple's endpoints and keys, for a client without a secret.
    ///
    /// They are listed here because for a day in June 2025 the issuer in Apple's metadata differed from that of its
    /// tokens.
    static func apple(clientID: String) -> OAuthConfiguration {
        described("https://appleid.apple.com", clientID, nil, ["openid", "name", "email"]) { server, url in
            server.authorizationEndpoint = url("/auth/authorize")
            server.tokenEndpoint = url("/auth/token") ?? server.tokenEndpoint
            server.revocationEndpoint = url("/auth/revoke")
            server.keySetURL = url("/auth/keys")
        }
    }

    /// The configuration of LinkedIn, for a server: LinkedIn has no clients for apps at these endpoints.
    ///
    /// LinkedIn puts no nonce into ID tokens, and refuses the code verifier of a client with a secret. A response is
    /// therefore bound to its request only by `state`.
    ///
    /// - Parameters:
    ///   - clientID: The client identifier.
    ///   - secret: The client secret.
    ///   - scopes: The requested scopes.
    public static func linkedIn(
        clientID: String, secret: String, scopes: Scopes = ["openid", "profile", "email"]
    ) -> OAuthConfiguration {
        var configuration = described("https://www.linkedin.com/oauth", clientID, secret, scopes) { server, url in
            server.authorizationEndpoint = url("/v2/authorization")
            server.tokenEndpoint = url("/v2/accessToken") ?? server.tokenEndpoint
            server.userInfoEndpoint = URL(string: "https://api.linkedin.com/v2/userinfo")
            server.keySetURL = url("/openid/jwks")
            server.separatesScopesByCommas = true
        }
        configuration.quirks.returnsNonce = false
        configuration.quirks.takesVerifier = false
        return configuration
    }

    /// The configuration of GitHub, which is not an OpenID provider: the user's identity comes from its API.
    ///
    /// - Parameters:
    ///   - clientID: The client ID of an OAuth app or a GitHub App.
    ///   - secret: The client secret. GitHub requires one for codes, and to delete tokens at a sign-out, but not for
    ///     device codes.
    ///   - scopes: The requested scopes.
    ///   - host: The host; a different one for GitHub Enterprise Server.
    public static func github(
        clientID: String, secret: String? = nil, scopes: Scopes = ["read:user", "user:email"],
        host: String = "github.com"
    ) -> OAuthConfiguration {
        // The issuer in its responses (RFC 9207).
        described("https://\(host)/login/oauth", clientID, secret, scopes) { server, url in
            server.authorizationEndpoint = url("/authorize")
            server.tokenEndpoint = url("/access_token") ?? server.tokenEndpoint
            server.deviceAuthorizationEndpoint = URL(string: "https://\(host)/login/device/code")
            let api = host == "github.com" ? "https://api.github.com" : "https://\(host)/api/v3"
            server.tokenDeletionURL = URL(string: "\(api)/applications/\(FormEncoding.encodeValue(clientID))/token")
            server.separatesScopesByCommas = true
        }
    }

    /// The configuration of Facebook, whose metadata lacks a token endpoint, and which issues no refresh tokens.
    public static func facebook(
        clientID: String, secret: String? = nil, scopes: Scopes = ["openid", "public_profile", "email"]
    ) -> OAuthConfiguration {
        described("https://www.facebook.com", clientID, secret, scopes) { server, url in
            server.authorizationEndpoint = url("/dialog/oauth")
            server.tokenEndpoint =
                URL(string: "https://graph.facebook.com/oauth/access_token") ?? server.tokenEndpoint
            server.keySetURL = url("/.well-known/oauth/openid/jwks/")
        }
    }

    /// The configuration of Auth0, whose issuers end with a slash.
    ///
    /// - Parameters:
    ///   - domain: The domain of the tenant, such as `example.eu.auth0.com`.
    ///   - clientID: The client identifier.
    ///   - secret: The client secret; nil for a program on a user's device.
    ///   - audience: The API that the access token is for; without it, the token is opaque.
    public static func auth0(
        domain: String, clientID: String, secret: String? = nil, audience: String? = nil
    ) -> OAuthConfiguration {
        var configuration = known("https://\(domain)/", clientID, secret, .signIn)
        configuration.quirks.resourceSpelling = .audience
        configuration.resources = [audience].compactMap(\.self)
        return configuration
    }

    /// The configuration of Okta.
    ///
    /// - Parameters:
    ///   - domain: The domain of the organization, such as `example.okta.com`.
    ///   - clientID: The client identifier.
    ///   - secret: The client secret; nil for a program on a user's device.
    ///   - server: The name of the authorization server; nil for the organization's default server.
    public static func okta(
        domain: String, clientID: String, secret: String? = nil, server: String? = "default"
    ) -> OAuthConfiguration {
        known("https://\(domain)" + (server.map { "/oauth2/\($0)" } ?? ""), clientID, secret, .signIn)
    }

    /// The configuration of Keycloak.
    ///
    /// - Parameters:
    ///   - url: The base URL of the server, with its path, if it has one.
    ///   - realm: The name of the realm.
    ///   - clientID: The client identifier.
    ///   - secret: The client secret; nil for a program on a user's device.
    public static func keycloak(
        at url: URL, realm: String, clientID: String, secret: String? = nil
    ) -> OAuthConfiguration {
        OAuthConfiguration(
            issuer: url.appending(path: "realms/\(realm)"), clientID: clientID, secret: secret)
    }

    /// The configuration of Amazon Cognito, which issues a refresh token without a scope for it.
    ///
    /// - Parameters:
    ///   - region: The region, such as `eu-central-1`.
    ///   - userPool: The identifier of the user pool.
    ///   - clientID: The client identifier.
    ///   - secret: The client secret; nil for a program on a user's device.
    public static func cognito(
        region: String, userPool: String, clientID: String, secret: String? = nil
    ) -> OAuthConfiguration {
        var configuration = known(
            "https://cognito-idp.\(region).amazonaws.com/\(userPool)", clientID, secret,
            ["openid", "profile", "email"])
        configuration.quirks.signOutRedirectParameter = "logout_uri"
        return configuration
    }

    /// The configuration of GitLab, which may be self-hosted.
    public static func gitlab(
        clientID: String, secret: String? = nil, host: String = "gitlab.com"
    ) -> OAuthConfiguration {
        known("https://\(host)", clientID, secret, ["openid", "profile", "email"])
    }

    /// Discord, with the scopes `openid`, `identify` and `email`.
    public static func discord(clientID: String, secret: String? = nil) -> OAuthConfiguration {
        known("https://discord.com", clientID, secret, ["openid", "identify", "email"])
    }

    /// The configuration of Latchwork's server.
    public static func latchwork(at url: URL, clientID: String, secret: String? = nil) -> OAuthConfiguration {
        OAuthConfiguration(issuer: url, clientID: clientID, secret: secret)
    }

    /// Returns the configuration of the provider that an issuer belongs to; nil for an issuer without deviations.
    ///
    /// It is for a program that knows only an issuer, and signs in without keeping earlier tokens: Google issues a
    /// refresh token only together with a consent.
    package static func known(issuer: URL, clientID: String, secret: String?) -> OAuthConfiguration? {
        let host = issuer.host() ?? ""
        switch host {
        case "accounts.google.com":
            var configuration = google(clientID: clientID, secret: secret)
            configuration.quirks.authorizationParameters["prompt"] = "consent"
            return configuration
        case "github.com": return github(clientID: clientID, secret: secret)
        case "discord.com": return discord(clientID: clientID, secret: secret)
        case "www.facebook.com": return facebook(clientID: clientID, secret: secret)
        default:
            // A user pool has its own scopes, and a different parameter for the end of a sign-out.
            guard host.utf8.starts(with: "cognito-idp.".utf8), host.utf8.ends(with: ".amazonaws.com".utf8) else {
                return nil
            }
            var configuration = known(issuer.absoluteString, clientID, secret, ["openid", "profile", "email"])
            configuration.quirks.signOutRedirectParameter = "logout_uri"
            return configuration
        }
    }

    /// Returns the configuration of a server that publishes its metadata.
    private static func known(
        _ issuer: String, _ clientID: String, _ secret: String?, _ scopes: Scopes
    ) -> OAuthConfiguration {
        OAuthConfiguration(issuer: url(issuer), clientID: clientID, secret: secret, scopes: scopes)
    }

    /// Returns the configuration of a server that publishes no metadata or incomplete metadata.
    private static func described(
        _ issuer: String, _ clientID: String, _ secret: String?, _ scopes: Scopes,
        _ describe: (inout AuthorizationServer, (String) -> URL?) -> Void
    ) -> OAuthConfiguration {
        let issuerURL = url(issuer)
        var server = AuthorizationServer(issuer: issuerURL, tokenEndpoint: issuerURL)
        describe(&server) { URL(string: issuer + $0) }
        return OAuthConfiguration(
            server: server,
            registration: ClientRegistration(
                clientID: clientID, secret: secret, authentication: secret.map { _ in .post }),
            scopes: scopes)
    }

    /// Returns a URL.
    ///
    /// A domain that is not valid in a URL yields an issuer at which nothing can be fetched.
    private static func url(_ text: String) -> URL { URL(string: text) ?? URL(filePath: "/") }
}
