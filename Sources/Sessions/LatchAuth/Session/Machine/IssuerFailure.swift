// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
package import PortableFoundation

/// The failure of a request to the issuer, and its meaning for the session.
package struct IssuerFailure: Error, Sendable {
    /// The meaning of a failure.
    package enum Kind: Sendable, Hashable {
        /// The issuer has ended the session.
        case ended
        /// The session was refused, perhaps by a gateway: it ends if that repeats after a pause.
        case doubted
        /// The issuer continues the session once the user has authenticated.
        case userRequired(StepUpRequirement)
        /// The issuer has rejected the request, and used nothing up.
        case rejected
        /// The request may have arrived, and have used up the refresh token.
        case unanswered
        /// Any other failure, which ends nothing.
        case failed
    }

    package var kind: Kind
    /// The error that callers get.
    package var error: any Error
    /// The pause that the issuer requests (RFC 9110 §10.2.3).
    package var retryAfter: Duration?

    /// Whether nothing was sent, as without a connection.
    package var isUnsent: Bool {
        (error as? HTTPError)?.isUnsent ?? ((error as? any WrappingError)?.cause as? HTTPError)?.isUnsent ?? false
    }

    /// Creates a failure.
    package init(_ kind: Kind, _ error: any Error, retryAfter: Duration? = nil) {
        (self.kind, self.error, self.retryAfter) = (kind, error, retryAfter)
    }

    /// Creates the failure of an error that a refresh closure threw.
    package init(_ error: any Error, now: Date) {
        // The session has not cancelled the request; a cancelled part of it must not look like a cancelled caller.
        let error = error is CancellationError ? AuthError.refreshFailed.caused(by: HTTPError.cancelled) : error
        self.init(Self.kind(of: error), error, retryAfter: Self.pause(requestedBy: error, now))
    }

    private static func kind(of error: any Error) -> Kind {
        switch error {
        case AuthError.reauthenticationRequired: .ended
        case let error as AuthError where error.requirement != nil: .userRequired(error.requirement ?? .init())
        case AuthError.invalidTokenResponse: .unanswered
        case let error as AuthError: error.cause.map(kindOfCause) ?? .failed
        case let error as HTTPError where error.response != nil: error.response.map(kind) ?? .failed
        case let error as any IssuerError where error.isDoubtfulEnd: .doubted
        case let error as any WrappingError: kindOfCause(error.cause)
        case let error as any IssuerError:
            error.mayHaveArrived ? .unanswered : error.isRejection ? .rejected : .failed
        default: .failed
        }
    }

    /// Returns the meaning of a cause, which ends nothing: it may come from another issuer.
    private static func kindOfCause(_ cause: any Error) -> Kind {
        let kind = kind(of: cause)
        return kind == .ended || kind == .doubted ? .failed : kind
    }

    /// Returns the meaning of a response that is not a success.
    private static func kind(of response: HTTPResponse) -> Kind {
        switch response.refreshRefusal {
        case .tokenEndpoint, .backend: return .ended
        case .doubtful: return .doubted
        case nil: break
        }
        // A gateway's words, which say nothing about the issuer.
        if response.status == 502 || response.status == 504 { return .unanswered }
        // RFC 6749 §5.2: 400 is also the status of mistakes in the request, which end nothing.
        guard [400, 401, 403].contains(response.status.rawValue),
            let code = (try? JSONValue(parsing: response.body.bytes))?["error"]?.stringValue
        else { return .failed }
        if let requirement = StepUpRequirement(errorCode: code) { return .userRequired(requirement) }
        return response.status == .badRequest ? .rejected : .failed
    }

    /// Returns the pause that the issuer requests, in an error or in its cause.
    private static func pause(requestedBy error: any Error, _ now: Date) -> Duration? {
        switch error {
        case let error as any WrappingError: pause(requestedBy: error.cause, now)
        case let error as any RetryAfterError: error.retryAfter
        case let error as HTTPError: error.response?.retryDelay(now: now)
        // A wrong password, most likely: repeating it would lock the account.
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

extension HTTPError: IssuerError {
    package var isRejection: Bool { false }

    package var isDoubtfulEnd: Bool { response?.refreshRefusal == .doubtful }

    package var mayHaveArrived: Bool {
        guard !isUnsent else { return false }
        return [HTTPError.timeout, .offline, .cancelled, .malformedMessage, .undecodable].contains { $0.code == code }
    }
}
