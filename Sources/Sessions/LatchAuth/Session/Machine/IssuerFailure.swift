// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchFoundation
import LatchHTTP

/// The failure of a request to the issuer, and its meaning for the session.
package struct IssuerFailure: Error, Sendable {
    package enum Kind: Sendable, Hashable {
        /// The issuer has ended the session.
        case ended
        /// The session was refused, perhaps by a gateway; the session ends if that repeats after a pause.
        case doubted
        /// The issuer continues the session after the user has authenticated.
        case userRequired(StepUpRequirement)
        /// The issuer has rejected the request, and the refresh token is not used up.
        case rejected
        /// The request may have arrived, and may have used up the refresh token.
        case unanswered
        /// Any other failure, which ends nothing.
        case failed
    }

    package var kind: Kind
    package var error: any Error
    /// The pause that the issuer requests (RFC 9110 §10.2.3).
    package var retryAfter: Duration?

    /// Whether nothing was sent, for example without a connection.
    package var isUnsent: Bool {
        (error as? HTTPError)?.isUnsent ?? ((error as? any WrappingError)?.cause as? HTTPError)?.isUnsent ?? false
    }

    package init(_ kind: Kind, _ error: any Error, retryAfter: Duration? = nil) {
        (self.kind, self.error, self.retryAfter) = (kind, error, retryAfter)
    }

    /// Creates the failure from an error that a refresh closure threw.
    package init(_ error: any Error, now: Date) {
        // The session has not canceled the request. If a part of it was canceled, that must not look like a canceled
        // caller.
        let error = error is CancellationError ? AuthError.refreshFailed.caused(by: HTTPError.cancelled) : error
        self.init(Self.kind(of: error), error, retryAfter: Self.pause(requestedBy: error, now))
    }

    private static func kind(of error: any Error) -> Kind {
        switch error {
        case AuthError.reauthenticationRequired: .ended
        case let error as AuthError where error.requirement != nil: .userRequired(error.requirement ?? .init())
        case AuthError.invalidTokenResponse: .unanswered
        case let error as AuthError: error.cause.map(kindOfCause) ?? .failed
        case let error as HTTPError where error.response != nil: error.response?.refreshFailure ?? .failed
        case let error as any IssuerError where error.isDoubtfulEnd: .doubted
        case let error as any WrappingError: kindOfCause(error.cause)
        case let error as any IssuerError:
            error.mayHaveArrived ? .unanswered : error.isRejection ? .rejected : .failed
        default: .failed
        }
    }

    /// Returns the meaning of a cause, which never ends the session, because it may come from another issuer.
    private static func kindOfCause(_ cause: any Error) -> Kind {
        let kind = kind(of: cause)
        return kind == .ended || kind == .doubted ? .failed : kind
    }

    /// Returns the pause that the issuer requests, in an error or in its cause.
    private static func pause(requestedBy error: any Error, _ now: Date) -> Duration? {
        switch error {
        case let error as any WrappingError: pause(requestedBy: error.cause, now)
        case let error as any RetryAfterError: error.retryAfter
        case let error as HTTPError: error.response?.retryDelay(now: now)
        // The password is probably wrong, and repeating it would lock the account.
        case AuthError.loginWithoutCookies: .seconds(60)
        case let error as AuthError: error.cause.flatMap { pause(requestedBy: $0, now) }
        default: nil
        }
    }
}

extension IssuerFailure: Hashable {
    package static func == (one: IssuerFailure, other: IssuerFailure) -> Bool {
        one.kind == other.kind && SessionFailure(one.error) == SessionFailure(other.error)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(SessionFailure(error))
    }
}
