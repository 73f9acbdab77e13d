// SPDX-License-Identifier: Apache-2.0

package import LatchAuth
package import LatchCore
import LatchFoundation
package import LatchIdentityAccounts
package import LatchIdentityStorage
import LatchJOSE
package import LatchServer

/// A service that decides on authorization requests, and issues and exchanges codes (RFC 6749 §4.1, RFC 7636).
package struct AuthorizationService: Sendable {
    package let store: IdentityStore
    package let clock: WallClock
    package let random: RandomSource
    package let accessTokens: AccessTokenIssuer
    package let clients: OAuthClients
    package let scopePolicy: ScopePolicy
    package let metrics: Metrics
    package let resources: ResourcePolicy
    package let admission: SignInAdmission
    package let tokens: TokenService

    // MARK: Requests

    /// A request, or its error and the response that takes the error to the client.
    package enum Reading: Sendable {
        case request(PendingAuthorization)
        case failure(IdentityError, AuthorizationReturn)
    }

    /// Reads a request.
    ///
    /// - Throws: `IdentityError.invalidAuthorization`, which is shown to the user, and `.notReady`.
    package func read(_ fields: FormFields) throws(IdentityError) -> Reading {
        guard let issuer = accessTokens.issuer else { throw .notReady }
        let target = try AuthorizationTarget(fields, clients)
        do throws(IdentityError) {
            // RFC 6749 §3.1: a parameter without a value counts as missing.
            let targets = fields.values(of: "resource").filter { !$0.isEmpty }
            try resources.requireTargets(targets)
            let request = try PendingAuthorization(fields, for: target) {
                accessTokens.expectedAccount(ofIDToken: $0, for: target.client.id)
            }
            try resources.requireScope(of: targets, in: request.scopes, for: target.client)
            return .request(request)
        } catch {
            return .failure(
                error,
                response(
                    of: error, to: target.redirect, state: target.state, issuer: issuer, mode: target.responseMode))
        }
    }

    /// Returns the response that takes an error to the client.
    package func response(
        of error: IdentityError, for request: PendingAuthorization
    ) throws(IdentityError) -> AuthorizationReturn {
        guard let issuer = accessTokens.issuer else { throw .notReady }
        return response(
            of: error, to: request.redirect, state: request.state, issuer: issuer, mode: request.responseMode)
    }

    private func response(
        of error: IdentityError, to redirect: String, state: String?, issuer: String, mode: AuthorizationReturn.Mode?
    ) -> AuthorizationReturn {
        let shown = error.form.isDisclosed ? error : .unavailable
        var parameters = [("error", shown.form.oauth)]
        // The client knows best how to explain that its user has refused.
        if shown != .authorizationDenied { parameters.append(("error_description", shown.oauthDescription)) }
        return AuthorizationReturn(parameters, to: redirect, state: state, issuer: issuer, mode: mode)
    }

    // MARK: Decisions

    /// The next step of a request.
    package enum Next: Sendable {
        case signIn
        /// The user must agree to these scopes, or refuse; `kept` are those of earlier consents.
        case consent(OAuthClient, Scopes, kept: Scopes?)
        /// The browser returns to the client.
        case respond(AuthorizationReturn)
    }

    /// Returns the next step of a request in the session of a browser.
    ///
    /// - Parameters:
    ///   - isNew: Whether the user has signed in for this request.
    ///   - agreed: The scopes that this request's page showed and the user agreed to; nil before that.
    /// - Throws: The errors for the client, which ``response(of:for:)`` takes there;
    ///   `IdentityError.invalidAuthorization` if the client is not registered any longer; or a store's error.
    package func next(
        _ request: PendingAuthorization, in session: ActivePageSession?, from origin: RequestOrigin,
        isNew: Bool = false,
        agreed: Scopes? = nil
    ) async throws(IdentityError) -> Next {
        let hasAgreed = agreed != nil
        guard let client = clients[request.clientID], client.allows(redirect: request.redirect) else {
            throw .invalidAuthorization("the app is no longer registered")
        }
        guard let session, isNew || isSufficient(session, for: request, hasAgreed: hasAgreed) else {
            guard !request.isSilent else { throw .loginRequired }
            return .signIn
        }
        // Attack B6: a client that asks for one user must not get the code of another.
        if let expected = request.expectedAccount, expected != session.account.id {
            guard !request.isSilent, !isNew else { throw .loginRequired }
            return .signIn
        }
        // Only the scopes that were shown are granted, also if a change since then would add more (decision 0087).
        let scopes: Scopes
        if let shown = try scopePolicy.agreed(agreed, to: session.account, by: client) {
            scopes = shown
        } else {
            scopes = try scopePolicy.granted(request.scopes, to: session.account, by: client)
        }
        let target = AppRedirect.origin(request.redirect)
        var kept: Consent?
        let permission: CodePermission?
        if hasAgreed {
            permission = .decision(
                keptFor: client.isTrusted ? nil : target, detail: Self.auditDetail(client.id, scopes, from: origin))
        } else if client.isTrusted {
            permission = needsPage(request, isNew: isNew) ? nil : .trusted
        } else {
            kept = try await store.consent(of: session.account.id, to: client.id, at: target)
            permission = Self.covers(kept, scopes, request) ? .kept(for: target) : nil
        }
        if let permission, let response = try await issueCode(for: request, scopes, in: session, by: permission) {
            return .respond(response)
        }
        guard !request.isSilent else { throw .consentRequired }
        return .consent(client, scopes, kept: kept?.scopes)
    }

    /// The seconds that a user has to decide after a sign-in, also if the request requires a more recent one.
    private static let timeToDecide = 300

    /// Returns whether the user need not authenticate again.
    private func isSufficient(
        _ session: ActivePageSession, for request: PendingAuthorization, hasAgreed: Bool
    ) -> Bool {
        let isForced = !request.prompts.isDisjoint(with: [.login, .selectAccount])
        guard hasAgreed || !isForced else { return false }
        guard var maximumAge = isForced ? 0 : request.maximumAge else { return true }
        if hasAgreed { maximumAge = max(maximumAge, Self.timeToDecide) }
        let age = clock.now.timeIntervalSince(session.authenticatedAt)
        // After the clock was set back, an old session must not look recent.
        return (-60...Double(maximumAge)).contains(age)
    }

    /// Returns whether the user must see which of the operator's clients makes the request.
    ///
    /// A redirect to an app on the user's device can reach any program, so the page is shown there. It is omitted only
    /// if the user has just signed in without being forced by a parameter of the request (RFC 8252 §8.6).
    private func needsPage(_ request: PendingAuthorization, isNew: Bool) -> Bool {
        guard !request.prompts.contains(.consent) else { return true }
        let isForced = request.maximumAge != nil || !request.prompts.isDisjoint(with: [.login, .selectAccount])
        return !AppRedirect.isClaimed(request.redirect) && (!isNew || isForced)
    }

    /// Returns whether a kept consent replaces the page.
    ///
    /// It does not for a program on the user's device, as which any other one can present itself (RFC 8252 §8.6).
    private static func covers(_ kept: Consent?, _ scopes: Scopes, _ request: PendingAuthorization) -> Bool {
        guard let kept, !request.prompts.contains(.consent) else { return false }
        return AppRedirect.isClaimed(request.redirect) && kept.covers(scopes)
    }

    /// Returns the response with a new code; nil if the permission has ended in the meantime.
    private func issueCode(
        for request: PendingAuthorization, _ scopes: Scopes, in session: ActivePageSession,
        by permission: CodePermission
    ) async throws(IdentityError) -> AuthorizationReturn? {
        guard let issuer = accessTokens.issuer else { throw .notReady }
        let text = "ac1." + Base64URL.encode(random.bytes(32))
        let isPermitted = try await store.insert(
            AuthorizationCode(
                digest: text.digest, clientID: request.clientID, accountID: session.account.id,
                credentialVersion: session.account.credentialVersion, browserDevice: session.device.id,
                redirect: request.redirect, codeChallenge: request.codeChallenge, nonce: request.nonce,
                scope: scopes.text, authenticatedAt: session.authenticatedAt, factorAt: session.device.factorAt,
                validUntil: clock.now.addingTimeInterval(AuthorizationCode.lifetime)),
            by: permission)
        guard isPermitted else { return nil }
        return AuthorizationReturn(
            [("code", text)], to: request.redirect, state: request.state, issuer: issuer, mode: request.responseMode)
    }

    /// Uses up the form of a decision: one page yields one code, no matter how often it is sent.
    ///
    /// - Throws: `IdentityError.alreadyAnswered`, or a store's error.
    package func answer(_ form: PageForm) async throws(IdentityError) {
        guard try await store.spend(attempt: "page \(form.id)".digest, until: form.expiresAt) else {
            throw .alreadyAnswered
        }
    }

    /// Records that a user has refused a client's request.
    package func deny(
        _ request: PendingAuthorization, in session: ActivePageSession, from origin: RequestOrigin
    ) async throws(IdentityError) {
        try await store.audit(
            "consent.denied", account: session.account.id,
            detail: Self.auditDetail(request.clientID, nil, from: origin), at: clock.now)
    }

    /// Returns the audit log's description of a decision.
    static func auditDetail(_ clientID: String, _ scopes: Scopes?, from origin: RequestOrigin) -> String? {
        "\(clientID) from \(origin.address)\(scopes.map { ": \($0.text)" } ?? "")".sanitized(200)
    }

    // MARK: Codes

    /// Exchanges a code for tokens, once (RFC 6749 §4.1.3, RFC 7636 §4.6).
    ///
    /// A code that comes a second time, or with wrong values, has been stolen. It ends, and so do the tokens that it
    /// has given, regardless of the account's state. An unused code stays valid if a parameter is missing.
    ///
    /// - Throws: `IdentityError.invalidAuthorizationCode`, the same for every cause; `.invalidInput` for a missing
    ///   redirect; `.tooManyAttempts`, or a store's error.
    package func redeem(
        _ text: String, verifier: String?, redirect: String?, by client: OAuthClient, from origin: RequestOrigin
    ) async throws(IdentityError) -> (tokens: IssuedTokens, nonce: String?) {
        guard text.utf8.count <= 100, let code = try await store.authorizationCode(text.digest) else {
            throw .invalidAuthorizationCode
        }
        guard code.usedAt == nil else { try await end(code, by: client, from: origin) }
        // RFC 7636 §4.6 has invalid_grant for this, too; but the code stays valid.
        guard verifier != nil || code.codeChallenge == nil else { throw .invalidAuthorizationCode }
        guard let redirect else { throw .missing("redirect_uri") }
        guard code.clientID == client.id, code.redirect.utf8.elementsEqual(redirect.utf8),
            Self.verify(verifier, code.codeChallenge)
        else { try await end(code, by: client, from: origin) }
        let admitted = admission.admit(
            try await store.account(id: code.accountID), redeeming: code.credentialVersion,
            grantType: .authorizationCode, authenticatedAt: code.authenticatedAt, factorAt: code.factorAt)
        guard let proof = admitted else { try await end(code, by: client, from: origin, isRefused: false) }
        let scopes = scopePolicy.allowed(Scopes(parsing: code.scope), to: proof.account, by: client)
        guard !scopes.isEmpty || code.scope.isEmpty else { throw .invalidScope }
        let issued = try await tokens.startSession(
            proof, from: origin, by: client, scopes: scopes, in: code.browserSession
        ) { device, account throws(IdentityError) in
            switch try await store.redeem(code, on: device, for: account) {
            case .redeemed: return
            case .replayed:
                metrics.count(.codeReplays)
                throw .invalidAuthorizationCode
            case .ended: throw .invalidAuthorizationCode
            }
        }
        return (issued, code.nonce)
    }

    /// Returns whether a verifier belongs to a challenge (RFC 7636 §4.6).
    ///
    /// A verifier without a challenge is refused: the challenge was taken out of the request (RFC 9700 §4.8.2).
    private static func verify(_ verifier: String?, _ challenge: String?) -> Bool {
        guard let verifier, let challenge else { return verifier == nil && challenge == nil }
        return verifier.utf8.count >= 43 && verifier.isWord(maximum: 128, also: "-._~")
            && Base64URL.encode(verifier.digest).utf8.elementsEqual(challenge.utf8)
    }

    /// Ends a code that is not exchanged, and counts a replay if the code had signed in a device: an attacker has a
    /// copy.
    ///
    /// - Parameter isRefused: Whether an unused code ends too.
    private func end(
        _ code: AuthorizationCode, by client: OAuthClient, from origin: RequestOrigin, isRefused: Bool = true
    ) async throws(IdentityError) -> Never {
        let detail = "\(client.id) from \(origin.address)".sanitized(200)
        let hasEnded = try await store.end(code, isRefused: isRefused, detail: detail, at: clock.now)
        if hasEnded { metrics.count(.codeReplays) }
        throw .invalidAuthorizationCode
    }
}
