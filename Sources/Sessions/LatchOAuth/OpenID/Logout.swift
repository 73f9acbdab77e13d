// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchCore
public import LatchFoundation
import LatchHTTP
import LatchJOSE
import Synchronization

extension AuthorizationClient {
    /// Returns the URL of the page that also signs the user out at the server (OpenID Connect RP-Initiated Logout §2).
    ///
    /// First sign out here with `session.signOut()`, because the user may never reach the page.
    ///
    /// - Parameters:
    ///   - tokens: The tokens of the user, whose ID token shows who signs out; nil if there are none.
    ///   - redirectURI: The registered URL that the server redirects to afterwards; nil to stay on its page.
    ///   - state: A value that the server returns to the redirect URI.
    /// - Throws: `OAuthError.missingEndpoint` if the server has no such page.
    public func signOutURL(
        for tokens: Tokens?, redirectingTo redirectURI: URL? = nil, state: String? = nil
    ) async throws -> URL {
        let server = try await server()
        var other = configuration.quirks.signOutRedirectParameter
        var page = server.endSessionEndpoint
        // Auth0 names its OpenID page if a tenant has enabled it, but its own page always exists.
        if page == nil, server.isAuth0, let origin = HTTPOrigin(server.issuer) {
            (page, other) = (URL(encodingOnce: "\(origin)/v2/logout"), "returnTo")
        }
        guard let page else { throw OAuthError.missingEndpoint("end_session_endpoint") }
        let parameters = [
            ("id_token_hint", other == nil ? tokens?.idToken ?? "" : ""),
            ("client_id", configuration.registration.clientID ?? ""),
            (other ?? "post_logout_redirect_uri", redirectURI?.absoluteString ?? ""), ("state", state ?? ""),
        ]
        return try page.adding(parameters.filter { !$0.1.isEmpty })
    }

    /// Returns the session that the server has ended, from the token that it posts to this program.
    ///
    /// The specification is OpenID Connect Back-Channel Logout §2.4.
    ///
    /// This object accepts each token once. Respond with 200, and end the sessions of the result.
    ///
    /// - Parameter token: The `logout_token` of the form.
    /// - Throws: `OAuthError.invalidLogoutToken`; respond to it with 400.
    public func endedSession(ofLogoutToken token: String) async throws -> EndedSession {
        guard let verifier = try await resolved().idTokens else { throw OAuthError.keysNotPublished }
        let (session, id, expiry) = try await verifier.endedSession(of: token)
        // §2.6, rule 7: a token with the same identifier is a replay.
        let isNew = seenLogoutTokens.withLock { seen in
            seen = seen.filter { $0.value > clock.now }
            return seen.updateValue(expiry.addingTimeInterval(IDTokenVerifier.leeway), forKey: id) == nil
        }
        guard isNew else { throw OAuthError.invalidLogoutToken("it was received before") }
        return session
    }

    /// Returns the session that the server has ended, from the parameters of the page that it loads in the user's
    /// browser.
    ///
    /// The specification is OpenID Connect Front-Channel Logout §3.
    ///
    /// Any website can load the page. Before you end a session, compare both values with those of the signed-in user.
    ///
    /// - Throws: `OAuthError.issuerMismatch` if the URL names another issuer.
    public func endedSession(ofFrontChannel url: URL) throws -> EndedSession? {
        let parameters = try AuthorizationResponse(url).parameters
        guard let issuer = parameters["iss"], let session = parameters["sid"] else { return nil }
        let expected = configuration.issuer.absoluteString
        guard issuer.utf8.elementsEqual(expected.utf8) else {
            throw OAuthError.issuerMismatch(expected: expected, actual: issuer)
        }
        return EndedSession(subject: nil, sessionID: session)
    }
}

/// A session that an authorization server has ended.
public struct EndedSession: Sendable, Hashable {
    /// The user (`sub`); nil if the server names only the session.
    public let subject: String?
    /// The server's session (`sid`), which is the only one that has ended, even if `subject` names its user.
    ///
    /// Nil if all sessions of the user have ended (OpenID Connect Back-Channel Logout §2.4).
    public let sessionID: String?
}

extension IDTokenVerifier {
    /// Returns the session in a logout token (OpenID Connect Back-Channel Logout §2.6), with the token's ID and expiry.
    func endedSession(of token: String) async throws -> (EndedSession, id: String, expiry: Date) {
        let verified: JWT
        do {
            // §2.4: the token is encrypted in the same way as ID tokens.
            verified = try await tokens.verify(try opened(token))
        } catch let error as JOSEError {
            throw OAuthError.invalidLogoutToken(OAuthError.clause(of: error))
        } catch OAuthError.invalidIDToken {
            throw OAuthError.invalidLogoutToken("it cannot be decrypted, or is not encrypted though it must be")
        }
        guard algorithms.accepted(for: .logoutToken).contains(verified.header.algorithm) else {
            throw OAuthError.invalidLogoutToken("its algorithm is not that of the ID tokens")
        }
        // §2.4: an explicit type excludes other tokens.
        let type = verified.header.type?.lowercasedASCII()
        guard type == nil || type == "logout+jwt" || type == "jwt" else {
            throw OAuthError.invalidLogoutToken("it is of another type")
        }
        let claims = verified.claims
        try checkIssuer(claims)
        let event = claims["events"]?["http://schemas.openid.net/event/backchannel-logout"]
        guard event?.objectValue != nil else { throw OAuthError.invalidLogoutToken("it reports no logout") }
        // §2.6, rule 6: an ID token has a nonce, and must not pass for a logout token.
        guard claims["nonce"] == nil else { throw OAuthError.invalidLogoutToken("it has a nonce") }
        guard let issued = claims.issuedAt, issued <= clock.now.addingTimeInterval(Self.leeway),
            let id = claims.id, let expiry = claims.expiry
        else { throw OAuthError.invalidLogoutToken("it lacks an identifier or a time") }
        let session = EndedSession(subject: claims.subject, sessionID: claims.string("sid"))
        guard session.subject != nil || session.sessionID != nil else {
            throw OAuthError.invalidLogoutToken("it names neither a user nor a session")
        }
        return (session, id, expiry)
    }
}
