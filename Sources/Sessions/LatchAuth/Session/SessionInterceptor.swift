// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import LatchHTTP
import Synchronization

/// An interceptor that sends each request with a session's credential.
///
/// If the server refuses the credential, it refreshes the credential and repeats the request.
///
/// A request outside `scope` passes without a credential. So does a request of the session's own refresh or step-up,
/// which would otherwise wait for itself.
///
/// ```swift
/// SessionInterceptor(session, for: .host("api.example.com")) { requirement in
///     try await authorize(acrValues: requirement.contextClasses, maxAge: requirement.maximumAge)
/// }
/// ```
public struct SessionInterceptor<Value: SessionCredential>: Interceptor {
    /// A closure that decides whether a response refuses the credential of its request.
    public typealias Refusal = @Sendable (HTTPResponse) async throws -> CredentialRefusal?

    /// The session, which the interceptor retains.
    private let session: Session<Value>
    /// The origins that get the credential.
    ///
    /// They are checked for each request, so that a redirect does not pass it on.
    private let scope: CredentialScope
    private let target: TokenTarget?
    private let refreshes: Bool
    private let stepUp: Session<Value>.StepUp?
    private let refusal: Refusal?

    /// Creates an interceptor that sends the credential of `session` only to `scope`.
    ///
    /// - Parameters:
    ///   - session: The session, which the interceptor retains.
    ///   - scope: The origins that receive the credential, checked for each request.
    ///   - target: The resource, if it needs a separate access token (RFC 8707).
    ///   - refreshes: Whether the session may refresh before a request and after a refusal. If not, the current
    ///     credential is sent, and the server's refusal is the response.
    ///   - stepUp: A function that lets the user authenticate as a server requires (RFC 9470). It is called once for
    ///     all waiting requests, which are then sent once more. Without it, they fail, and `Session.stepUp` holds the
    ///     requirement.
    ///   - refusal: A function that returns the reason why a response refuses the credential, for servers that use
    ///     another status than 401. Nil for `CredentialRefusal.init(_:)`.
    public init(
        _ session: Session<Value>, for scope: CredentialScope, target: TokenTarget? = nil, refreshes: Bool = true,
        stepUp: Session<Value>.StepUp? = nil, refusal: Refusal? = nil
    ) {
        self.session = session
        self.scope = scope
        self.target = target
        self.refreshes = refreshes
        self.stepUp = stepUp
        self.refusal = refusal
    }

    /// Sends the request with the session's credential.
    ///
    /// After a 401 it sends the request once more with a refreshed credential, and after a step-up once more if the
    /// server requires one.
    ///
    /// - Throws: The error of `Session.credential()`, and `AuthError.stepUpRequired` if the user has to authenticate
    ///   again. A 401 to the refreshed credential is returned as the response. The same applies if the credential
    ///   cannot be refreshed, or the content can be read only once.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        guard scope.allows(request.origin), !ActiveRefreshes.contains(session) else {
            return try await next.respond(to: request)
        }
        var attempt = SessionAttempt(
            session, try await refreshes ? session.snapshot(for: target) : session.currentSnapshot(for: target))
        var (mayProve, mayRefresh, mayStepUp) = (true, refreshes, true)
        while true {
            var authorized = request
            authorized.modifiers.append(attempt)
            let response = try await next.respond(to: authorized)
            // Nearly every response ends here. Some servers require another proof with 400 (RFC 9449 §5).
            guard response.status == .unauthorized || response.status == .badRequest || refusal != nil,
                !attempt.leadsElsewhere
            else { return response }
            if mayProve, attempt.isWorthRepeating, request.body.isReplayable {
                mayProve = false
                attempt = SessionAttempt(session, attempt.snapshot)
                continue
            }
            let snapshot: CredentialSnapshot<Value>
            switch try await reason(for: response) {
            case .credential where mayRefresh:
                mayRefresh = false
                guard let refreshed = try await refreshed(replacing: attempt.snapshot) else { return response }
                snapshot = refreshed
            case .authentication(let requirement):
                let hook = mayStepUp ? stepUp : nil
                mayStepUp = false
                let steppedUp = try await session.steppedUp(for: requirement, refusing: attempt.snapshot, by: hook)
                // After a new authentication, a separate refresh obtains the access token of the resource.
                let own = try await target == nil ? steppedUp : refreshed(replacing: attempt.snapshot)
                guard let own else { return response }
                snapshot = own
            case .credential, nil: return response
            }
            guard request.body.isReplayable else { return response }
            // The server may require another nonce for another credential.
            mayProve = true
            attempt = SessionAttempt(session, snapshot)
        }
    }

    /// Returns the reason why a response refuses the credential; nil if it does not refuse it.
    private func reason(for response: HTTPResponse) async throws -> CredentialRefusal? {
        guard let refusal else { return CredentialRefusal(response) }
        return try await refusal(response)
    }

    /// Returns a successor of the refused credential; nil if the caller has to handle the refusal, which ends no
    /// session.
    private func refreshed(
        replacing refused: CredentialSnapshot<Value>
    ) async throws -> CredentialSnapshot<Value>? {
        do {
            return try await session.refreshed(replacing: refused, for: target)
        } catch AuthError.notRefreshable, AuthError.tooManyRefreshes {
            return nil
        }
    }
}

/// One attempt of a request, which authorizes each of its messages, and adopts the credentials that responses rotate.
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

    /// The credential of the last message, because a redirect may rotate it between two messages.
    var snapshot: CredentialSnapshot<Value> { progress.withLock { $0.snapshot } }

    /// Whether to repeat the same message with the same credential; see `Credential.learn`.
    var isWorthRepeating: Bool { progress.withLock { $0.isWorthRepeating } }

    /// Whether a redirect has led to another origin, which gets no credential, so that the response says nothing about
    /// it.
    package var leadsElsewhere: Bool { progress.withLock { $0.leadsElsewhere } }

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
        // Only a refusal requires a repetition, and no message follows a refusal.
        if sent.learn(from: response, to: request) { progress.withLock { $0.isWorthRepeating = true } }
        // Responses rarely rotate a credential. Without a rotation, no request has to wait for the session's actor.
        guard sent.rotated(by: response, to: request, sentWith: sent) != nil,
            let rotated = await session.rotate(snapshot, by: response, to: request)
        else { return }
        progress.withLock { $0.snapshot = CredentialSnapshot(credential: rotated, generation: snapshot.generation) }
    }
}
