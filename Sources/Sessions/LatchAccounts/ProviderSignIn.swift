// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
public import LatchCore
import LatchCrypto
public import LatchFoundation
public import LatchHTTP
import LatchJOSE
public import LatchOAuth

/// An identity provider, by its name in the routes of an account backend.
public struct IdentityProvider: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
    /// The name in the path, such as `google`.
    public let rawValue: String

    /// Creates a provider by name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a provider by name.
    public init(stringLiteral value: String) { rawValue = value }

    /// Sign in with Apple.
    public static let apple: IdentityProvider = "apple"
    /// Facebook Login.
    public static let facebook: IdentityProvider = "facebook"
    /// Sign in with Google.
    public static let google: IdentityProvider = "google"
    /// Microsoft Entra.
    public static let microsoft: IdentityProvider = "microsoft"
}

/// A sign-in at another provider through the app's own backend, which returns to the app by a deep link.
///
/// The backend's page is `GET api/auth/<provider>`, with the deep link as `redirect`. The deep link carries a code that
/// works once. `POST api/auth/exchange` exchanges the code for tokens, and requires the verifier of this app's code
/// challenge (RFC 7636). The deep link is therefore useless to another program.
///
/// `AuthClient.signIn(through:using:redirectingTo:)` uses it to sign its session in.
public struct ProviderSignIn: Sendable {
    private let client: Client
    private let endpoints: AccountEndpoints
    private let decoder: AccountTokenDecoder
    private let allowingInsecureHTTP: InsecureHTTP
    private let random: RandomSource

    /// Creates a sign-in through the backend at `baseURL`.
    ///
    /// - Parameters:
    ///   - baseURL: The base URL of the backend.
    ///   - endpoints: The paths of the backend.
    ///   - transport: The handler that sends the requests.
    ///   - interceptors: The interceptors around the transport, such as logs; never a session.
    ///   - allowingInsecureHTTP: The hosts that may be addressed by plain http.
    ///   - clock: The clock for the tokens' expiry.
    ///   - random: The source of verifiers and states.
    public init(
        baseURL: URL, endpoints: AccountEndpoints = AccountEndpoints(), transport: any Handler = Transport.live,
        interceptors: [any Interceptor] = [], allowingInsecureHTTP: InsecureHTTP = .loopbackOnly,
        clock: WallClock = .system, random: RandomSource = .system
    ) {
        self.init(
            client: Client(
                baseURL: baseURL, transport: transport, interceptors: interceptors,
                allowingInsecureHTTP: allowingInsecureHTTP, redirects: .none),
            endpoints: endpoints,
            decoder: AccountTokenDecoder(endpoints: endpoints, usesCookie: false, clock: clock),
            allowingInsecureHTTP: allowingInsecureHTTP, random: random)
    }

    init(
        client: Client, endpoints: AccountEndpoints, decoder: AccountTokenDecoder, allowingInsecureHTTP: InsecureHTTP,
        random: RandomSource
    ) {
        self.client = client
        self.endpoints = endpoints
        self.decoder = decoder
        self.allowingInsecureHTTP = allowingInsecureHTTP
        self.random = random
    }

    /// Shows the backend's page, and returns the tokens of the user who signs in there.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - browser: Shows the page.
    ///   - redirectURI: The deep link, as registered at the backend.
    ///   - acceptingTokensInURL: Whether the deep link may carry `accessToken` and `refreshToken`, as older backends
    ///     send them. Such tokens end up in histories and logs, and nothing proves that they were issued to this app.
    /// - Throws: `OAuthError.cancelled`, `browserUnavailable`, `signInTimedOut`, `accessDenied` and other errors of the
    ///   deep link; `AccountError` if the backend refuses the code; `HTTPError`; `CancellationError`.
    public func tokens(
        from provider: IdentityProvider, using browser: WebAuthenticationBrowser, redirectingTo redirectURI: URL,
        acceptingTokensInURL: Bool = false
    ) async throws -> Tokens {
        try await grant(
            of: provider, using: browser, redirectingTo: redirectURI, acceptingTokensInURL: acceptingTokensInURL
        ).tokens
    }

    /// Shows the backend's page, and returns the tokens and whether they came in the deep link.
    package func grant(
        of provider: IdentityProvider, using browser: WebAuthenticationBrowser, redirectingTo redirectURI: URL,
        acceptingTokensInURL: Bool
    ) async throws -> (tokens: Tokens, isFromURL: Bool) {
        let (response, code, verifier) = try await visit(
            provider, [("prompt", "select_account")], using: browser, redirectingTo: redirectURI)
        if let code { return (try await exchange(code, verifier: verifier), false) }
        guard let access = response["accessToken"], !access.isEmpty else {
            throw OAuthError.invalidDeepLink("it has neither a code nor an error")
        }
        guard acceptingTokensInURL else {
            throw OAuthError.invalidDeepLink("it contains tokens, which this app does not accept in a URL")
        }
        var tokens = Tokens(access: access, refresh: response["refreshToken"].flatMap { $0.isEmpty ? nil : $0 })
        // An access token that is not a JWT has no dates that this app can read.
        if let claims = try? JWT(unverified: access).claims {
            (tokens.issued, tokens.expiry) = (claims.issuedAt, claims.expiry)
        }
        return (tokens, true)
    }

    /// Shows the backend's page for another purpose, and returns the code of the deep link with this app's verifier.
    ///
    /// - Throws: As ``tokens(from:using:redirectingTo:acceptingTokensInURL:)``.
    func proof(
        from provider: IdentityProvider, intent: String, using browser: WebAuthenticationBrowser,
        redirectingTo redirectURI: URL
    ) async throws -> (code: String, verifier: String) {
        let (_, code, verifier) = try await visit(
            provider, [("intent", intent)], using: browser, redirectingTo: redirectURI)
        guard let code else { throw OAuthError.invalidDeepLink("it has neither a code nor an error") }
        return (code, verifier)
    }

    /// Shows the backend's page, and returns its response with the code, if there is one, and the verifier of the
    /// challenge.
    private func visit(
        _ provider: IdentityProvider, _ parameters: [(String, String)], using browser: WebAuthenticationBrowser,
        redirectingTo redirectURI: URL
    ) async throws -> (AuthorizationResponse, code: String?, verifier: String) {
        // RFC 7636 §4.1 and §4.2.
        let verifier = Base64URL.encode(random.bytes(32))
        let challenge = Base64URL.encode(Array(SHA256.hash(data: Array(verifier.utf8))))
        let state = Base64URL.encode(random.bytes(24))
        let page = try page(
            of: provider,
            [("redirect", redirectURI.absoluteString)] + parameters + [
                ("code_challenge", challenge), ("code_challenge_method", "S256"), ("state", state),
            ])
        let response = try AuthorizationResponse(try await browser.open(page, redirectingTo: redirectURI))
        return (response, try response.code(ofBackendFor: state), verifier)
    }

    /// Returns the URL of the backend's page.
    private func page(
        of provider: IdentityProvider, _ parameters: [(String, String)]
    ) throws(HTTPError) -> URL {
        let request = try client.request(
            .get, "\(RoutePath(endpoints.providers))/\(provider.rawValue)", query: parameters)
        guard let url = URL(encodingOnce: "\(request.scheme)://\(request.authority)\(request.path)"),
            let origin = HTTPOrigin(url)
        else { throw .invalidURL }
        guard allowingInsecureHTTP.allows(origin) else { throw .insecureURL }
        return url
    }

    /// Exchanges the code of a deep link.
    ///
    /// The request is never repeated, because the code works once.
    private func exchange(_ code: String, verifier: String) async throws -> Tokens {
        let content: JSONObject = ["code": .string(code), "code_verifier": .string(verifier)]
        let request = try client.request(
            .post, RoutePath(endpoints.exchange),
            fields: [.contentType: "application/json", .accept: "application/json"],
            body: HTTPBody(JSONValue.object(content).serialized()))
        let response = try await client.respond(to: request)
        guard response.status.isSuccess else { throw AccountError(response) }
        return try decoder.tokens(in: response)
    }
}

extension OAuthError {
    /// Creates the error for a deep link that cannot be used.
    fileprivate static func invalidDeepLink(_ reason: String) -> OAuthError {
        OAuthError(
            code: invalidAuthorizationResponse.code, message: "The backend's deep link is not valid: \(reason).",
            hint: "Compare the backend's deep link with what this app accepts.")
    }
}

extension AuthClient {
    /// Signs a user in at another provider, through the backend.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - browser: Shows the backend's page.
    ///   - redirectURI: The deep link, as registered at the backend.
    ///   - acceptingTokensInURL: Whether the deep link may carry tokens; see
    ///     ``ProviderSignIn/tokens(from:using:redirectingTo:acceptingTokensInURL:)``.
    /// - Throws: As ``ProviderSignIn/tokens(from:using:redirectingTo:acceptingTokensInURL:)``, and a `store…` code if
    ///   the tokens cannot be stored; nothing is stored then.
    @discardableResult
    public func signIn(
        through provider: IdentityProvider, using browser: WebAuthenticationBrowser, redirectingTo redirectURI: URL,
        acceptingTokensInURL: Bool = false
    ) async throws -> Tokens {
        let tokens = try await providerSignIn.tokens(
            from: provider, using: browser, redirectingTo: redirectURI, acceptingTokensInURL: acceptingTokensInURL)
        try await session.signIn(tokens)
        return tokens
    }

    /// Authenticates the signed-in user again at a linked provider, for requests that need a recent authentication (RFC
    /// 9470).
    ///
    /// It is for users without a password; see ``reauthenticate(password:code:)``. If ``signInMethods()`` says that the
    /// account has a second factor, ask for its code first. The provider's answer is valid for only a minute.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - browser: Shows the backend's page.
    ///   - redirectURI: The deep link, as registered at the backend.
    ///   - code: A code of the second factor, or a recovery code, if the account has one.
    /// - Throws: `OAuthError.cancelled` and other errors of the page; `AccountError.refused` if another user has signed
    ///   in there, `secondFactorRequired`, `wrongCode`, `tooManyAttempts`, …. The user stays signed in.
    public func reauthenticate(
        through provider: IdentityProvider, using browser: WebAuthenticationBrowser, redirectingTo redirectURI: URL,
        code: String? = nil
    ) async throws {
        let proof = try await providerSignIn.proof(
            from: provider, intent: "reauthenticate", using: browser, redirectingTo: redirectURI)
        try await reauthenticate(
            ["code": .string(proof.code), "code_verifier": .string(proof.verifier)], code: code)
    }

    /// Signs in a user whom the device's own Sign in with Apple has authenticated.
    ///
    /// ```swift no-check
    /// let user = try await apple.signIn()
    /// try await auth.signIn(with: user)
    /// try await apple.forgetDetails(ofUser: user.id)
    /// ```
    ///
    /// - Parameters:
    ///   - user: The user. The server accepts the identity token once.
    ///   - code: A code of the second factor, or a recovery code, if the account has one.
    /// - Throws: `AccountError.secondFactorRequired` and `wrongCode`, after which you can send the same user again.
    ///   `emailTaken` if another account has the address, `refused` and others; nothing is stored then.
    @discardableResult
    public func signIn(with user: AppleUser, code: String? = nil) async throws -> Tokens {
        var content: JSONObject = ["identityToken": .string(user.identityToken), "nonce": .string(user.nonce)]
        if let code = user.authorizationCode { content["authorizationCode"] = .string(code) }
        if let name = user.name {
            content["name"] = .string([name.given, name.family].compactMap(\.self).joined(separator: " "))
        }
        return try await signIn(at: endpoints.appleSignIn, content, code: code)
    }
}
