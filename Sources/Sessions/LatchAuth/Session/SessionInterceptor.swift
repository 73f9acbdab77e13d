// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import LatchHTTP

/// Joins a session to a client: authorises each request, and when the server refuses the credential renews it and sends
/// the request once more.
///
/// A request outside of `scope` passes without a credential. So does a request that is part of the session's own
/// renewal or step-up, which would otherwise wait for itself.
///
/// ```swift
/// SessionInterceptor(session, for: .host("api.example.com")) { requirement in
///     try await authorize(acrValues: requirement.contextClasses, maxAge: requirement.maximumAge)
/// }
/// ```
public struct SessionInterceptor<Value: SessionCredential>: Interceptor {
    /// Shared with whoever signs in and out; the interceptor keeps it alive.
    private let session: Session<Value>
    /// Checked for each request, so that a redirect or a wrong URL takes no credential along.
    private let scope: CredentialScope
    private let renews: Bool
    private let stepUp: Session<Value>.StepUp?

    /// An interceptor for `session` whose credential goes nowhere but to `scope`.
    ///
    /// - Parameters:
    ///   - renews: Whether a renewal may be made before a request, and after a refusal. Without it the credential
    ///     is sent as it is, and the server's refusal is the answer.
    ///   - stepUp: Lets the person authenticate as a server asks for (RFC 9470), once for all requests that wait for it;
    ///     they are then sent once more. Without it they fail, and `Session.stepUp` says what is asked for.
    public init(
        _ session: Session<Value>, for scope: CredentialScope, renews: Bool = true,
        stepUp: Session<Value>.StepUp? = nil
    ) {
        self.session = session
        self.scope = scope
        self.renews = renews
        self.stepUp = stepUp
    }

    /// Sends the request with the session's credential; once more with a renewed one after a 401, and once more after a
    /// step-up where the server asks for that.
    ///
    /// - Throws: What `Session.credential()` throws when there is no credential to be had, and `AuthError.stepUpRequired`
    ///   where the person has to authenticate again; a 401 to the renewed credential is a response.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        guard scope.allows(request.origin), !RenewalScope.sessions.contains(ObjectIdentifier(session)) else {
            return try await next.respond(to: request)
        }
        var step = SessionStep(session, try await renews ? session.lease() : session.currentLease())
        var (mayProve, mayRenew, mayStepUp) = (true, renews, true)
        while true {
            let response = try await send(request, with: step, to: next)
            // Nearly every answer ends here; 400 is how some servers ask for another proof (RFC 9449 §5).
            guard response.status == .unauthorized || response.status == .badRequest, !step.leadsElsewhere else {
                return response
            }
            if mayProve, step.isWorthRepeating, request.body.isReplayable {
                mayProve = false
                step = SessionStep(session, step.lease)
                continue
            }
            let lease: Lease<Value>
            switch response.credentialRefusal {
            case .credential where mayRenew:
                mayRenew = false
                lease = try await session.renewed(replacing: step.lease)
            case .authentication(let asked):
                let hook = mayStepUp ? stepUp : nil
                mayStepUp = false
                lease = try await session.steppedUp(for: asked, refusing: step.lease, by: hook)
            case .credential, .scope, .proof, nil: return response
            }
            // Another credential may be asked for another nonce.
            mayProve = true
            step = SessionStep(session, lease)
        }
    }

    /// Sends the request with one credential, and learns the issuer's clock from the answer.
    ///
    /// The `Date` field (RFC 9110 §6.6.1) is read from refusals, whose reason may be a wrong clock, and otherwise once a
    /// minute at most: it costs a parse and a lock.
    private func send(
        _ request: HTTPRequest, with step: SessionStep<Value>, to next: any Handler
    ) async throws -> HTTPResponse {
        var authorized = request
        authorized.steps.append(step)
        let sent = session.clock.now
        let response = try await next.respond(to: authorized)
        // Another origin's clock is not the issuer's.
        if response.status == .unauthorized || session.wantsIssuerDate, !step.leadsElsewhere,
            let date = response.fields[.date].flatMap(HTTPDate.init)
        {
            session.observe(issuerDate: date.date, ofRequestSentAt: sent)
        }
        return response
    }
}
