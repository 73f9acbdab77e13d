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
    package let permitted: PermittedSignIns
    package let tokens: TokenService
    package let limits: RateLimits
    package let signUpRule: SignUpRule
    package let cipher: PageFormCipher
    package let requestObjects: RequestObjects

    // MARK: Requests

    /// A request, or its error and the response that takes the error to the client.
    package enum Reading: Sendable {
        case request(PendingAuthorization)
        case failure(IdentityError, AuthorizationReturn)
    }

    /// Reads a request.
    ///
    /// - Throws: `IdentityError.invalidAuthorization`, which is shown to the user, `.notReady`, and a store's error.
    package func read(_ fields: FormFields) async throws(IdentityError) -> Reading {
        if let uri = fields["request_uri"], uri.utf8.starts(with: Self.pushedURIs.utf8) {
            return .request(try await pushedRequest(uri, fields))
        }
        let target = try await self.target(of: fields)
        do throws(IdentityError) {
            guard !target.client.requiresPushedRequests else { throw .pushedRequestRequired }
            return .request(try request(target))
        } catch {
            try Self.requireVouchedRedirect(of: target.client, for: error)
            return .failure(
                error,
                try response(
                    of: error, to: target.redirect, state: target.state, client: target.client,
                    mode: target.responseMode))
        }
    }

    /// Reads the part of a request that determines where its errors are sent.
    ///
    /// The user reads what is wrong with a request object: nothing in it counts, and nothing beside it.
    private func target(of fields: FormFields) async throws(IdentityError) -> AuthorizationTarget {
        let registered = try await AuthorizationTarget.client(of: fields, clients)
        let parameters: FormFields
        do throws(IdentityError) {
            parameters = try await requestObjects.parameters(of: registered, in: fields)
        } catch {
            guard let problem = error.detail else { throw error }
            throw .invalidAuthorization(problem).at("request")
        }
        return try AuthorizationTarget(parameters, of: registered.client)
    }

    /// Reads the rest of a request.
    ///
    /// - Parameter key: The thumbprint of the key that a pushed request has proved.
    private func request(
        _ target: AuthorizationTarget, key: String? = nil
    ) throws(IdentityError) -> PendingAuthorization {
        let fields = target.parameters
        // RFC 6749 §3.1: a parameter without a value counts as missing.
        let targets = fields.values(of: "resource").filter { !$0.isEmpty }
        var request = try PendingAuthorization(
            target, offersSignUp: signUpRule.isOffered, userClaims: accessTokens.userClaims
        ) {
            accessTokens.expectedAccount(ofIDToken: $0, for: target.client.id)
        }
        let granted = try resources.granted(targets, requesting: request.scopes, by: target.client)
        request.signInWays = target.client.signInWays
        request.details = GrantDetails(
            resources: granted,
            binding: TokenBinding(key: try Self.thumbprint(in: fields, proved: key)),
            claims: request.grantDetails.claims,
            authorization: try resources.requested(fields["authorization_details"], by: target.client, at: granted))
        return request
    }

    /// Returns the thumbprint of the key that the code is bound to (RFC 9449 §10 and §10.1); nil for none.
    private static func thumbprint(in fields: FormFields, proved key: String?) throws(IdentityError) -> String? {
        guard let named = fields["dpop_jkt"], !named.isEmpty else { return key }
        guard named.utf8.count == 43, named.isWord(maximum: 43, also: "-_"), key == nil || key == named else {
            throw .invalid("dpop_jkt", "is not the thumbprint of the key")
        }
        return named
    }

    // MARK: Pushed requests

    /// The beginning of each `request_uri` (RFC 9126 §2.2).
    private static let pushedURIs = "urn:ietf:params:oauth:request_uri:"

    /// Stores a request that a client pushes, and returns its `request_uri` (RFC 9126 §2).
    ///
    /// The request is checked as one of a browser, and its errors are for the client instead of the user.
    ///
    /// - Parameters:
    ///   - client: The authenticated client.
    ///   - key: The thumbprint of the key that the request has proved; nil without a proof.
    /// - Throws: `IdentityError.invalidInput` and the errors of a request, `.tooManyAttempts`, or a store's error.
    package func push(
        _ fields: FormFields, by client: OAuthClient, key: String?, from origin: RequestOrigin
    ) async throws(IdentityError) -> String {
        guard client.grants.contains(.authorizationCode), let registered = try await clients.registration(of: client.id)
        else { throw .unauthorizedClient }
        guard fields["request_uri"] == nil else { throw .invalid("request_uri", "is not allowed in a pushed request") }
        var request: PendingAuthorization
        do throws(IdentityError) {
            let parameters = try await requestObjects.parameters(of: registered, in: fields)
            request = try self.request(try AuthorizationTarget(parameters, of: client), key: key)
        } catch {
            guard error == .invalidAuthorization(""), let problem = error.detail else { throw error }
            throw .invalidInput(problem)
        }
        // A stranger can send requests of a public client, or can be one that registered itself.
        if !client.isConfidential || client.registersItself {
            try limits.take(limits.deviceAuthorization(from: origin.address))
        }
        let uri = Self.pushedURIs + Base64URL.encode(random.bytes(32))
        request.requestURI = uri
        let end = clock.now.addingTimeInterval(PushedRequest.lifetime)
        let form = PageForm(
            id: uri, purpose: .authorization(request), step: .request, browser: "", expiresAt: end)
        let sealed = try cipher.seal(form)
        guard sealed.utf8.count <= PushedRequest.longestContent else { throw .invalidInput("it is too long") }
        try await store.insert(
            PushedRequest(digest: uri.digest, clientID: client.id, content: sealed, validUntil: end))
        return uri
    }

    /// Returns the request of a `request_uri`; only its client can use it, until a code is issued for it.
    ///
    /// All other parameters of the browser are ignored (RFC 9126 §4).
    private func pushedRequest(
        _ uri: String, _ fields: FormFields
    ) async throws(IdentityError) -> PendingAuthorization {
        let client = try await AuthorizationTarget.client(of: fields, clients).client
        guard uri.utf8.count <= 200, let row = try await store.pushedRequest(uri.digest), row.clientID == client.id,
            case .authorization(let request)? = cipher.open(row.content, at: clock.now)?.purpose
        else { throw .invalidAuthorization("its request_uri was used before, or has expired").at("request_uri") }
        return request
    }

    // MARK: Errors for the client

    /// Requires that a browser may be sent to a client whose user has decided nothing yet.
    ///
    /// Otherwise a stranger could register a URL, and lead visitors of this server's address there (RFC 9700 §4.11.2).
    ///
    /// - Throws: `IdentityError.invalidAuthorization`, which the user reads instead.
    private static func requireVouchedRedirect(
        of client: OAuthClient, for error: IdentityError
    ) throws(IdentityError) {
        guard client.registersItself else { return }
        let problem = error.message.utf8.last == UInt8(ascii: ".") ? String(error.message.dropLast()) : error.message
        throw .invalidAuthorization(problem)
    }

    /// Returns the response that takes an error to the client.
    ///
    /// - Parameter hasUser: Whether a user has signed in or has refused, or sees no address that could deceive them.
    /// - Throws: `IdentityError.invalidAuthorization` if the user has to read it here, or a store's error.
    package func response(
        of error: IdentityError, for request: PendingAuthorization, hasUser: Bool = true
    ) async throws(IdentityError) -> AuthorizationReturn {
        guard let client = try await clients.client(request.clientID), client.allows(redirect: request.redirect) else {
            throw .invalidAuthorization("the app is no longer registered")
        }
        if !hasUser { try Self.requireVouchedRedirect(of: client, for: error) }
        return try response(
            of: error, to: request.redirect, state: request.state, client: client, mode: request.responseMode)
    }

    private func response(
        of error: IdentityError, to redirect: String, state: String?, client: OAuthClient,
        mode: AuthorizationReturn.Mode?
    ) throws(IdentityError) -> AuthorizationReturn {
        let shown = error.form.isDisclosed ? error : .unavailable
        var parameters = [("error", shown.form.oauth)]
        // The client knows best how to explain that its user has refused.
        if shown != .authorizationDenied { parameters.append(("error_description", shown.oauthDescription)) }
        return try response(parameters, to: redirect, state: state, client: client, mode: mode)
    }

    /// Returns the response with these parameters, signed if the mode says so.
    private func response(
        _ parameters: [(String, String)], to redirect: String, state: String?, client: OAuthClient,
        mode: AuthorizationReturn.Mode?
    ) throws(IdentityError) -> AuthorizationReturn {
        guard let issuer = accessTokens.issuer else { throw .notReady }
        var response = AuthorizationReturn(parameters, to: redirect, state: state, issuer: issuer, mode: mode)
        if response.mode.isSigned {
            response.replaceParameters(by: try accessTokens.signResponse(response.parameters, to: client))
        }
        return response
    }

    // MARK: Decisions

    /// The next step of a request.
    package enum Next: Sendable {
        case signIn
        /// The user creates an account.
        case signUp
        /// The user must agree to these scopes, or refuse; `kept` is the consent of earlier requests.
        case consent(OAuthClient, Scopes, kept: Consent?)
        /// The browser returns to the client.
        case respond(AuthorizationReturn)
    }

    /// Returns the next step of a request in the session of a browser.
    ///
    /// - Parameters:
    ///   - isNew: Whether the user has signed in for this request.
    ///   - agreed: The scopes that this request's page showed and the user agreed to; nil before that.
    /// - Throws: The errors for the client, which ``response(of:for:)`` takes there; `IdentityError.signInWayMissing`;
    ///   `IdentityError.invalidAuthorization` if the client is not registered any longer; or a store's error.
    package func next(
        _ request: PendingAuthorization, in session: ActivePageSession?, from origin: RequestOrigin,
        isNew: Bool = false,
        agreed: Scopes? = nil
    ) async throws(IdentityError) -> Next {
        let hasAgreed = agreed != nil
        guard let client = try await clients.client(request.clientID), client.allows(redirect: request.redirect) else {
            throw .invalidAuthorization("the app is no longer registered")
        }
        guard let session, isNew || isSufficient(session, for: request, hasAgreed: hasAgreed) else {
            guard !request.isSilent else { throw .loginRequired }
            // An account that the client expects exists.
            let signsUp =
                request.prompts.contains(.create) && request.expectedAccount == nil && signUpRule.isOffered
                && client.accepts(permitted.permits(.password) ? .password : .code) && !hasAgreed
            return signsUp ? .signUp : .signIn
        }
        // Attack B6: a client that asks for one user must not get the code of another.
        if let expected = request.expectedAccount, expected != session.account.id {
            guard !request.isSilent, !isNew else { throw .loginRequired }
            return .signIn
        }
        if try await mustStepUp(session, for: request, of: client, isNew: isNew, hasAgreed: hasAgreed) {
            return .signIn
        }
        guard client.accepts(session.way) else {
            guard !request.isSilent else { throw .loginRequired }
            try await permitted.requireWay(of: session.account, takenBy: client, in: store)
            return .signIn
        }
        // Only the scopes that were shown are granted, also if a change since then would add more (decision 0087).
        let scopes: Scopes
        if let shown = try scopePolicy.agreed(agreed, to: session.account, by: client) {
            scopes = shown
        } else {
            scopes = try scopePolicy.granted(request.scopes, to: session.account, by: client)
        }
        try resources.require(request.grantDetails.resources, with: scopes, for: client)
        let target = AppRedirect.origin(request.redirect)
        var kept: Consent?
        let permission: CodePermission?
        if hasAgreed {
            permission = .decision(
                keptFor: client.isTrusted ? nil : target, detail: Self.auditDetail(client.id, scopes, from: origin))
        } else if client.isTrusted {
            permission = needsPage(request, of: client, isNew: isNew) ? nil : .trusted
        } else {
            kept = try await store.consent(
                of: session.account.id, to: client.id, at: target, for: request.grantDetails.resources)
            permission = Self.covers(kept, scopes, request, of: client) ? .kept(for: target) : nil
        }
        if let permission,
            let response = try await issueCode(
                for: request, of: client, scopes, in: session, by: permission)
        {
            return .respond(response)
        }
        guard !request.isSilent else { throw .consentRequired }
        return .consent(client, scopes, kept: kept)
    }

    /// The seconds that a user has to decide after a sign-in, also if the request requires a more recent one.
    private static let timeToDecide = 300

    /// Returns whether the user need not authenticate again.
    private func isSufficient(
        _ session: ActivePageSession, for request: PendingAuthorization, hasAgreed: Bool
    ) -> Bool {
        let isForced = !request.prompts.isDisjoint(with: [.login, .selectAccount, .create])
        guard hasAgreed || !isForced else { return false }
        guard var maximumAge = isForced ? 0 : request.maximumAge else { return true }
        if hasAgreed { maximumAge = max(maximumAge, Self.timeToDecide) }
        // A provider may have authenticated the user before the choice of an account here.
        let date = request.requiresNewLogin ? session.authenticatedAt : session.device.createdAt
        let age = clock.now.timeIntervalSince(date)
        // After the clock was set back, an old session must not look recent.
        return (-60...Double(maximumAge)).contains(age)
    }

    /// Returns whether the user must sign in again with a second factor (OpenID Connect Core §5.5.1.1, RFC 9470 §5).
    ///
    /// The session may have another authentication context class than the request or the client asks for.
    ///
    /// - Throws: `IdentityError.unmetAuthentication` if a sign-in cannot help, `.loginRequired` if no page may be
    ///   shown, or a store's error.
    private func mustStepUp(
        _ session: ActivePageSession, for request: PendingAuthorization, of client: OAuthClient, isNew: Bool,
        hasAgreed: Bool
    ) async throws(IdentityError) -> Bool {
        let found = AuthenticationClass(factorAt: session.device.factorAt)
        let unmet = [client.requiresFactor ? .factor : nil, request.requestedClasses].compactMap(\.self)
            .filter { !$0.isMet(by: found) }
        guard !unmet.isEmpty else { return false }
        guard unmet.contains(where: \.isEssential) else {
            // A wish is worth one page, and only to a user who can fulfil it.
            guard !isNew, !hasAgreed, !request.isSilent, unmet.allSatisfy(\.canBeMet) else { return false }
            return try await admission.hasFactor(session.account, at: permitted.relyingPartyID(for: client))
        }
        let canBeMet = unmet.allSatisfy { $0.canBeMet || !$0.isEssential }
        guard canBeMet, try await admission.hasFactor(session.account, at: permitted.relyingPartyID(for: client)) else {
            throw .unmetAuthentication
        }
        guard !request.isSilent else { throw .loginRequired }
        return true
    }

    /// Returns whether the user must see which of the operator's clients makes the request.
    ///
    /// A redirect to an app on the user's device can reach any program, so the page is shown there. It is omitted only
    /// if the user has just signed in without being forced by a parameter of the request (RFC 8252 §8.6).
    private func needsPage(_ request: PendingAuthorization, of client: OAuthClient, isNew: Bool) -> Bool {
        // Rights are granted by their user, each time: any page can lead to the request.
        guard !request.prompts.contains(.consent), request.grantDetails.authorization.isEmpty else { return true }
        let isForced =
            request.maximumAge != nil || request.requestedClasses != nil
            || !request.prompts.isDisjoint(with: [.login, .selectAccount, .create])
        return !Self.isOwn(request.redirect, of: client) && (!isNew || isForced)
    }

    /// Returns whether a kept consent replaces the page.
    ///
    /// It does not for a program on the user's device, as which any other one can present itself (RFC 8252 §8.6).
    private static func covers(
        _ kept: Consent?, _ scopes: Scopes, _ request: PendingAuthorization, of client: OAuthClient
    ) -> Bool {
        // Rights are granted once, such as one payment: no consent to them is kept.
        guard request.grantDetails.authorization.isEmpty else { return false }
        guard let kept, !request.prompts.contains(.consent) else { return false }
        return isOwn(request.redirect, of: client) && kept.covers(request.grantDetails.claims.adding(to: scopes))
    }

    /// Returns whether no other program can use a code that is sent to a redirect: one of a host that is not this
    /// machine, or of a client that authenticates.
    private static func isOwn(_ redirect: String, of client: OAuthClient) -> Bool {
        AppRedirect.isClaimed(redirect) || client.isConfidential && AppRedirect.isSecure(redirect)
    }

    /// Returns the response with a new code; nil if the permission has ended in the meantime.
    private func issueCode(
        for request: PendingAuthorization, of client: OAuthClient, _ scopes: Scopes, in session: ActivePageSession,
        by permission: CodePermission
    ) async throws(IdentityError) -> AuthorizationReturn? {
        let text = "ac1." + Base64URL.encode(random.bytes(32))
        var details = request.grantDetails
        details.method = session.device.details.method
        let isPermitted = try await store.insert(
            AuthorizationCode(
                digest: text.digest, clientID: request.clientID, accountID: session.account.id,
                credentialVersion: session.account.credentialVersion, browserDevice: session.device.id,
                redirect: request.redirect, codeChallenge: request.codeChallenge, nonce: request.nonce,
                scope: scopes.text, authenticatedAt: session.authenticatedAt, factorAt: session.device.factorAt,
                details: details, validUntil: clock.now.addingTimeInterval(AuthorizationCode.lifetime)),
            by: permission, using: request.requestURI?.digest)
        guard isPermitted else { return nil }
        return try response(
            [("code", text)], to: request.redirect, state: request.state, client: client,
            mode: request.responseMode)
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
        // A refused request does not come again.
        if let uri = request.requestURI { try await store.remove(pushedRequest: uri.digest) }
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
    /// - Parameter isRemembered: Whether the session lasts for more than a day.
    /// - Throws: `IdentityError.invalidAuthorizationCode`, the same for every cause; `.invalidInput` for a missing
    ///   redirect; `.invalidTarget`, `.scopelessTarget`; `.tooManyAttempts`, or a store's error.
    package func redeem(
        _ text: String, verifier: String?, redirect: String?, by client: OAuthClient,
        on conditions: TokenConditions = TokenConditions(), isRemembered: Bool = true, from origin: RequestOrigin
    ) async throws(IdentityError) -> (tokens: IssuedTokens, nonce: String?) {
        guard text.utf8.count <= 100, let code = try await store.authorizationCode(text.digest) else {
            throw .invalidAuthorizationCode
        }
        guard code.usedAt == nil else { try await end(code, by: client, from: origin) }
        // RFC 7636 §4.6 has invalid_grant for this, too; but the code stays valid.
        guard verifier != nil || code.codeChallenge == nil else { throw .invalidAuthorizationCode }
        guard let redirect else { throw .missing("redirect_uri") }
        guard code.clientID == client.id, code.redirect.utf8.elementsEqual(redirect.utf8),
            Self.verify(verifier, code.codeChallenge),
            // RFC 9449 §10: the request has named the key.
            code.details.binding.isSatisfied(by: conditions.binding)
        else { try await end(code, by: client, from: origin) }
        let admitted = admission.readmit(
            try await store.account(id: code.accountID), redeeming: code.credentialVersion,
            grantType: .authorizationCode, authenticatedAt: code.authenticatedAt, factorAt: code.factorAt)
        guard let proof = admitted else { try await end(code, by: client, from: origin, isRefused: false) }
        let scopes = scopePolicy.allowed(Scopes(parsing: code.scope), to: proof.account, by: client)
        guard !scopes.isEmpty || code.scope.isEmpty else { throw .invalidScope }
        let plan = try await tokens.plan(
            for: proof.account, grant: proof.grantType, by: client, scopes: scopes, details: code.details,
            on: conditions)
        let issued = try await tokens.startSession(
            proof, plan, from: origin, isRemembered: isRemembered, in: code.browserSession
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
