// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
public import LatchCrypto
public import LatchFoundation
public import LatchHTTP
public import LatchJOSE
public import LatchOAuth
public import LatchServer

/// The sign-in of a web server's users at an authorization server: two routes, and an encrypted cookie between them.
///
/// ```swift
/// let client = AuthorizationClient(.google(clientID: "…", secret: secret))
/// try SignInRoutes(client, at: URL(string: "https://notes.example.com/sign-in")!, key: key).add(to: &router) { user, _ in
///     try await sessions.begin(for: user)                        // a cookie session of the server's own
/// }
/// ```
///
/// `GET /sign-in` redirects to the authorization server, and `/sign-in/callback` receives its response: register that
/// URL as the redirect URI. The attempt's data is in a cookie of the browser that began it, so any node of the server
/// can finish the attempt. A link from an attacker signs no user in (RFC 9700 §4.7).
public struct SignInRoutes: Sendable {
    /// A user who has signed in.
    public struct User: Sendable {
        /// The response of the token endpoint, with a verified ID token.
        public let response: TokenResponse
        /// The claims of the ID token; nil if the server issues none.
        public var claims: Claims? { response.idTokenClaims }
        /// The path on this server to return to, from `return_to` of the first request; `/` without one.
        public let returnPath: String
    }

    /// A closure that begins the server's own session for a user, and responds to the browser.
    public typealias SignedInHandler = @Sendable (_ user: User, _ request: HTTPRequest) async throws -> HTTPResponse

    /// A closure that receives the error of a sign-in, for instance to log it; the visitor sees no details.
    public typealias FailureHandler = @Sendable (_ error: any Error, _ request: HTTPRequest) async -> Void

    /// An attempt in the form that the browser keeps.
    private struct Attempt: Codable {
        let attempt: AuthorizationAttempt
        let returnPath: String
    }

    /// The time that a user has to sign in.
    private static let lifetime = Duration.seconds(600)

    private let client: AuthorizationClient
    private let url: URL
    private let cookies: EncryptedCookies
    private let request: AuthorizationRequest

    /// Creates the routes.
    ///
    /// - Parameters:
    ///   - client: The client of the authorization server.
    ///   - url: The URL of the first route as browsers see it; the second route adds `/callback`.
    ///   - key: The key of the cookies: at least 16 bytes, the same on all nodes of the server and after a restart.
    ///   - request: The parameters of the authorization request.
    /// - Throws: `CryptoError.unacceptableParameter` if the key has fewer than 128 bits, for instance because it is not
    ///   set.
    public init(
        _ client: AuthorizationClient, at url: URL, key: SymmetricKey,
        request: AuthorizationRequest = AuthorizationRequest()
    ) throws {
        try key.requireStrength()
        self.client = client
        self.url = url
        self.request = request
        cookies = EncryptedCookies(
            "sign-in", key: key, isSecure: url.scheme?.lowercasedASCII() == "https", lifetime: Self.lifetime,
            clock: client.clock)
    }

    /// Whether the authorization server posts its response, which the request can choose.
    private var postsResponse: Bool { (request.chosenMode ?? client.configuration.responseMode)?.isPosted ?? false }

    private var callback: URL { url.appending(path: "callback") }

    /// Adds both routes.
    ///
    /// If the user refuses or the response is rejected, the browser shows a page that says so.
    ///
    /// - Parameters:
    ///   - router: The router.
    ///   - onFailure: Receives each error, including those of `signedIn`.
    ///   - signedIn: Begins the server's own session.
    public func add(
        to router: inout Router, onFailure: @escaping FailureHandler = { _, _ in },
        signedIn: @escaping SignedInHandler
    ) {
        router.get(url.path()) { try await begin($0, onFailure) }
        if postsResponse {
            router.post(callback.path()) { await finish($0, signedIn, onFailure) }
        } else {
            router.get(callback.path()) { await finish($0, signedIn, onFailure) }
        }
    }

    private func begin(_ request: HTTPRequest, _ onFailure: FailureHandler) async throws -> HTTPResponse {
        guard let ended = cookies.makingRoom(in: request) else {
            return HTMLPage(
                "You are not signed in", text: "Other sign-ins are in progress. Go back, and start over."
            ).response(status: .tooManyRequests)
        }
        let attempt: AuthorizationAttempt
        do { attempt = try await client.attempt(self.request, redirectURI: callback) } catch {
            await onFailure(error, request)
            return page(error)
        }
        let kept = Attempt(
            attempt: attempt.withoutPage, returnPath: Self.localPath(request.queryItems["return_to"]))
        let cookie = try cookies.set(kept, id: attempt.state, isPosted: postsResponse)
        return .redirect(to: attempt.url.absoluteString, setting: ended + [cookie])
    }

    private func finish(
        _ request: HTTPRequest, _ signedIn: SignedInHandler, _ onFailure: FailureHandler
    ) async -> HTTPResponse {
        guard !request.isPrefetch else {
            return HTTPResponse(status: .serviceUnavailable, fields: [.cacheControl: "no-store"])
        }
        // A HEAD request, which the router passes to the same function, must not use up the code.
        guard request.method == .get || request.method == .post,
            let response = response(in: request), let state = response.state,
            let kept = cookies.value(Attempt.self, id: state, in: request)
        else { return page(OAuthError.stateMismatch) }
        let cleared = cookies.cleared(state, isPosted: postsResponse)
        var result: HTTPResponse
        do {
            let tokens = try await client.finish(response, of: kept.attempt)
            result = try await signedIn(User(response: tokens, returnPath: kept.returnPath), request)
        } catch {
            await onFailure(error, request)
            result = page(error)
        }
        // The code may have been used: a second use would revoke the tokens issued for it (RFC 6749 §4.1.2).
        result.fields.append(cleared, for: .setCookie)
        return result
    }

    /// Returns the response of the authorization server; nil if it is malformed.
    private func response(in request: HTTPRequest) -> AuthorizationResponse? {
        do {
            if request.method == .post {
                let type = request.fields[.contentType]?.lowercasedASCII() ?? ""
                guard type.utf8.starts(with: "application/x-www-form-urlencoded".utf8) else { return nil }
                return try AuthorizationResponse(form: request.body.bytes, sentTo: callback)
            }
            return try AuthorizationResponse(query: request.query ?? "", sentTo: callback)
        } catch {
            return nil
        }
    }

    /// Returns a path on this server; `/` for any text that a browser could read as another server (RFC 9700 §4.11).
    private static func localPath(_ text: String?) -> String {
        guard let text, text.utf8.count <= 512, text.utf8.first == UInt8(ascii: "/"),
            // WHATWG URL §4.4: a browser treats a backslash as a slash, and drops characters that are not printable.
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }),
            text.utf8.dropFirst().first != UInt8(ascii: "/")
        else { return "/" }
        return text
    }

    /// Returns the page for an error, with details only if the visitor can act on them.
    private func page(_ error: any Error) -> HTTPResponse {
        let (text, status): (String, HTTPStatus) =
            switch error {
            case let error as OAuthError where Self.visitors.contains { $0 == error }:
                ([error.message, error.hint].compactMap(\.self).joined(separator: " "), .badRequest)
            case OAuthError.invalidGrant, OAuthError.invalidAuthorizationResponse, OAuthError.issuerMismatch:
                ("The sign-in has ended. Begin it again.", .badRequest)
            case OAuthError.temporarilyUnavailable, OAuthError.tooManyRequests:
                ("The sign-in failed. Try again later.", .serviceUnavailable)
            case is OAuthError, is HTTPError, is AuthError: ("The sign-in failed. Try again later.", 502)
            default: ("The sign-in failed. Try again later.", .internalServerError)
            }
        return HTMLPage("You are not signed in", text: text).response(status: status)
    }

    /// The errors that a visitor causes.
    private static let visitors: [OAuthError] = [.accessDenied, .stateMismatch, .interactionRequired, .cancelled]
}
