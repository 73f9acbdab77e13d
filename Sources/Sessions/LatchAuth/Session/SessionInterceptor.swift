// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import LatchHTTP
import Synchronization

/// An interceptor that sends each request with a session's credential, and refreshes the credential and repeats the
/// request when the server refuses it.
///
/// A request outside `scope` passes without a credential. So does a request that is part of the session's own
/// refresh or step-up, which would otherwise wait for itself.
///
/// ```swift
/// SessionInterceptor(session, for: .host("api.example.com")) { requirement in
///     try await authorize(acrValues: requirement.contextClasses, maxAge: requirement.maximumAge)
/// }
/// ```
public struct SessionInterceptor<Value: SessionCredential>: Interceptor {
    /// The session, which the interceptor retains.
    private let session: Session<Value>
    /// The origins that get the credential; checked for each request, so that a redirect takes no credential along.
    private let scope: CredentialScope
    private let refreshes: Bool
    private let stepUp: Session<Value>.StepUp?

    /// Creates an interceptor that sends the credential of `session` to `scope` only.
    ///
    /// - Parameters:
    ///   - session: The session, which the interceptor retains.
    ///   - scope: The origins that receive the credential, checked for each request.
    ///   - refreshes: Whether the session may refresh before a request and after a refusal. Otherwise the credential is
    ///     sent as it is, and the server's refusal is the response.
    ///   - stepUp: A function that lets the user authenticate as a server requires (RFC 9470), once for all requests
    ///     that wait for it; they are then sent once more. If it is nil, they fail, and `Session.stepUp` holds the
    ///     requirement.
    public init(
        _ session: Session<Value>, for scope: CredentialScope, refreshes: Bool = true,
        stepUp: Session<Value>.StepUp? = nil
    ) {
        self.session = session
        self.scope = scope
        self.refreshes = refreshes
        self.stepUp = stepUp
    }

    /// Sends the request with the session's credential; once more with a refreshed one after a 401, and once more after
    /// a step-up if the server requires that.
    ///
    /// - Throws: The error of `Session.credential()`, and `AuthError.stepUpRequired` if the user has to authenticate
    ///   again; a 401 to the refreshed credential is a response.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        guard scope.allows(request.origin), !ActiveRefreshes.sessions.contains(ObjectIdentifier(session)) else {
            return try await next.respond(to: request)
        }
        var attempt = SessionAttempt(
            session, try await refreshes ? session.snapshot() : session.currentSnapshot())
        var (mayProve, mayRefresh, mayStepUp) = (true, refreshes, true)
        while true {
            let response = try await send(request, as: attempt, to: next)
            // Nearly every response ends here; 400 is how some servers require another proof (RFC 9449 §5).
            guard response.status == .unauthorized || response.status == .badRequest, !attempt.leadsElsewhere else {
                return response
            }
            if mayProve, attempt.isWorthRepeating, request.body.isReplayable {
                mayProve = false
                attempt = SessionAttempt(session, attempt.snapshot)
                continue
            }
            let snapshot: CredentialSnapshot<Value>
            switch response.credentialRefusal {
            case .credential where mayRefresh:
                mayRefresh = false
                snapshot = try await session.refreshed(replacing: attempt.snapshot)
            case .authentication(let requirement):
                let hook = mayStepUp ? stepUp : nil
                mayStepUp = false
                snapshot = try await session.steppedUp(for: requirement, refusing: attempt.snapshot, by: hook)
            case .credential, nil: return response
            }
            // The server may require another nonce for another credential.
            mayProve = true
            attempt = SessionAttempt(session, snapshot)
        }
    }

    /// Sends the request with one credential, and measures the issuer's clock by the response.
    ///
    /// The `Date` field (RFC 9110 §6.6.1) is read from refusals, whose reason may be a wrong clock, and otherwise once
    /// a minute at most: it costs a parse and a lock.
    private func send(
        _ request: HTTPRequest, as attempt: SessionAttempt<Value>, to next: any Handler
    ) async throws -> HTTPResponse {
        var authorized = request
        authorized.modifiers.append(attempt)
        let sent = session.clock.now
        let response = try await next.respond(to: authorized)
        // Another origin's clock is not the issuer's.
        if response.status == .unauthorized || session.wantsIssuerDate, !attempt.leadsElsewhere,
            let date = response.fields[.date].flatMap(HTTPDate.init)
        {
            session.observe(issuerDate: date.date, ofRequestSentAt: sent)
        }
        return response
    }
}

/// One attempt of a request: it authorizes each of its messages, and adopts the credentials that responses rotate.
package final class SessionAttempt<Value: SessionCredential>: RequestModifier {
    /// The result of the messages so far.
    private struct Progress: Sendable {
        var snapshot: CredentialSnapshot<Value>
        var isWorthRepeating = false
        var leadsElsewhere = false
    }

    private let session: Session<Value>
    private let progress: Mutex<Progress>

    /// Creates an attempt that begins with the credential of `snapshot`.
    package init(_ session: Session<Value>, _ snapshot: CredentialSnapshot<Value>) {
        self.session = session
        progress = Mutex(Progress(snapshot: snapshot))
    }

    /// The credential of the last message: a redirect may rotate it between two of them.
    var snapshot: CredentialSnapshot<Value> { progress.withLock { $0.snapshot } }

    /// Whether to repeat the same message with the same credential; see `Credential.learn`.
    var isWorthRepeating: Bool { progress.withLock { $0.isWorthRepeating } }

    /// Whether a redirect has led to another origin, which gets no credential, so that the response is not about it.
    var leadsElsewhere: Bool { progress.withLock { $0.leadsElsewhere } }

    package func prepare(_ request: inout HTTPRequest) async throws {
        let snapshot = progress.withLock { progress in
            progress.leadsElsewhere = false
            return progress.snapshot
        }
        try await snapshot.credential.authorize(&request)
    }

    package func observe(_ response: HTTPResponse, to request: HTTPRequest) async {
        let snapshot = snapshot
        let sent = snapshot.credential
        // The target of a redirect within the origin is prepared again.
        if response.status.isRedirection { progress.withLock { $0.leadsElsewhere = true } }
        // Only a refusal requires it, and nothing follows a refusal.
        if sent.learn(from: response, to: request) { progress.withLock { $0.isWorthRepeating = true } }
        // Nearly always nothing was rotated; then no request has to wait for the session's actor.
        guard sent.rotated(by: response, to: request, sentWith: sent) != nil,
            let rotated = await session.rotate(snapshot, by: response, to: request)
        else { return }
        progress.withLock { $0.snapshot = CredentialSnapshot(credential: rotated, generation: snapshot.generation) }
    }
}
