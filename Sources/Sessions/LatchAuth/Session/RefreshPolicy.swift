// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The input of a session's refresh closure.
public struct RefreshRequest<Value: Sendable>: Sendable {
    /// The credential to replace.
    public let credential: Value

    /// A random identifier that stays the same when the same refresh is repeated.
    ///
    /// Send it as `Idempotency-Key`. A server that supports it returns the same successor for a repetition, so that a
    /// lost response has no consequences.
    public let idempotencyKey: String

    /// The resource that the new access token is for (RFC 8707 §2.2); nil for the session's own.
    public let target: TokenTarget?

    /// Creates a request.
    package init(credential: Value, idempotencyKey: String, target: TokenTarget? = nil) {
        (self.credential, self.idempotencyKey, self.target) = (credential, idempotencyKey, target)
    }
}

/// The times at which a session refreshes its credential.
public struct RefreshPolicy: Sendable, Hashable {
    /// The time before expiry at which a refresh is due, but never more than `greatestShare` of the credential's
    /// lifetime.
    ///
    /// A negative value counts as zero.
    package var lead: Duration

    /// The maximum share of a credential's lifetime that the lead may take, from 0 to 0.5; a fifth by default.
    ///
    /// A value outside that range counts as the nearer limit.
    package var greatestShare: Double

    /// The maximum random delay of a refresh within the lead, which spreads the requests of many devices.
    ///
    /// It is never more than half of the lead; a negative value counts as zero.
    package var jitter: Duration

    /// The pause after a failed refresh, during which the old credential is used as long as it is accepted.
    package var pauseAfterFailure: Duration

    /// Whether the session refreshes in the background when a refresh is due, and not only when a caller needs the
    /// credential.
    package var refreshesInBackground: Bool

    /// Whether a refresh needs a refresh token in the credential.
    ///
    /// A credential without one is then used until it expires or is refused.
    package var needsRefreshToken = false

    /// The time limit of a refresh, including the waits for other processes and for the store.
    ///
    /// After it, the callers get an error that names what the refresh waited for. A later response is stored
    /// nevertheless.
    package var timeLimit = Duration.seconds(60)

    /// The time after which a repeated refusal ends the session if it may be a gateway's.
    ///
    /// The refresh token is kept until then.
    ///
    /// It is longer than most mistakes of a gateway last, and shorter than a user waits for a sign-in page.
    package var confirmationDelay = Duration.seconds(300)

    /// The maximum wait of a caller whose credential is still accepted.
    ///
    /// The caller then gets that credential, and the refresh continues.
    package var patience = Duration.seconds(5)

    /// Whether a request without a response is repeated under its key, immediately and then for some minutes.
    ///
    /// The issuer may have used up the refresh token.
    package var repeatsUnanswered = true

    /// The maximum number of requests of one process to the issuer within `requestWindow`.
    ///
    /// Otherwise, a resource that refuses every credential would cause a refresh for each request to it.
    package var requestLimit = 5

    /// The time window of `requestLimit`.
    package var requestWindow = Duration.seconds(30)

    /// Whether a failed request counts toward `requestLimit`; false if the application limits failures itself.
    package var countsFailedRequests = true

    /// Returns the seconds before its expiry at which a credential is due.
    ///
    /// - Parameters:
    ///   - life: The lifetime of the credential, in seconds.
    ///   - share: The random share of the jitter, from 0 to 1.
    func secondsAhead(ofLife life: Double, jitter share: Double) -> Double {
        // A negative lead would make an expired credential look fresh; a negative jitter would make a fresh one due.
        let lead = max(0, min(lead.inSeconds, max(0, life) * max(0, min(greatestShare, 0.5))))
        return lead - max(0, min(jitter.inSeconds, lead / 2)) * share
    }

    /// Creates a policy.
    public init(
        lead: Duration = .seconds(300), jitter: Duration = .seconds(30), pauseAfterFailure: Duration = .seconds(15),
        refreshesInBackground: Bool = false, greatestShare: Double = 0.2
    ) {
        self.lead = lead
        self.jitter = jitter
        self.pauseAfterFailure = pauseAfterFailure
        self.refreshesInBackground = refreshesInBackground
        self.greatestShare = greatestShare
    }
}
