// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import LatchHTTP

/// Joins a session to a client: authorises each request, and when the server refuses the credential renews it and sends
/// the request once more.
///
/// A request outside of `scope` passes without a credential. So does a request that is part of the session's own
/// renewal, which would otherwise wait for itself.
public struct SessionInterceptor<Value: SessionCredential>: Interceptor {
    /// Shared with whoever signs in and out; the interceptor keeps it alive.
    private let session: Session<Value>
    /// Checked for each request, so that a redirect or a wrong URL takes no credential along.
    private let scope: CredentialScope
    private let renews: Bool

    /// An interceptor for `session` whose credential goes nowhere but to `scope`.
    ///
    /// - Parameter renews: Whether a renewal may be made before a request, and after a refusal. Without it the credential
    ///   is sent as it is, and the server's refusal is the answer.
    public init(_ session: Session<Value>, for scope: CredentialScope, renews: Bool = true) {
        self.session = session
        self.scope = scope
        self.renews = renews
    }

    /// Sends the request with the session's credential; after a 401 once more with a renewed one.
    ///
    /// - Throws: What `Session.credential()` throws when there is no credential to be had; a 401 to the renewed one is a
    ///   response.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        guard scope.allows(request.origin), !RenewalScope.sessions.contains(ObjectIdentifier(session)) else {
            return try await next.respond(to: request)
        }
        guard renews else {
            return try await attempt(request, with: session.currentLease(), to: next).response
        }
        let (response, refused) = try await attempt(request, with: session.lease(), to: next)
        // A refused proof says nothing of the credential, and a new one would be proved no better.
        guard response.status == .unauthorized, response.proofRefusal == nil else { return response }
        let renewed = Lease(
            credential: try await session.renewed(replacing: refused), generation: refused.generation)
        return try await attempt(request, with: renewed, to: next).response
    }

    /// Sends the request with one credential, twice where the server asks for another proof of the same one.
    ///
    /// - Returns: The answer, and what the last message carried.
    private func attempt(
        _ request: HTTPRequest, with lease: Lease<Value>, to next: any Handler
    ) async throws -> (response: HTTPResponse, sent: Lease<Value>) {
        let step = SessionStep(session, lease)
        var response = try await send(request, with: step, to: next)
        if step.isWorthRepeating, request.body.isReplayable {
            response = try await send(request, with: step, to: next)
        }
        return (response, step.lease)
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
        if response.status == .unauthorized || session.wantsIssuerDate,
            let date = response.fields[.date].flatMap(HTTPDate.init)
        {
            session.observe(issuerDate: date.date, ofRequestSentAt: sent)
        }
        return response
    }
}
