// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The input of a session's refresh closure.
public struct RefreshRequest<Value: Sendable>: Sendable {
    /// The credential to be replaced.
    public let credential: Value

    /// A random identifier that stays the same when the same refresh is repeated.
    ///
    /// Send it as `Idempotency-Key`: a server that supports it returns the same successor for a repeat, so that a lost
    /// response costs nothing.
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
    /// The time before expiry at which a refresh is due; never more than `greatestShare` of the credential's lifetime.
    ///
    /// A negative one counts as zero.
    package var lead: Duration

    /// The greatest share of a credential's lifetime that the lead may take, from 0 to 0.5; a fifth by default.
    ///
    /// A value outside that range counts as the nearer bound.
    package var greatestShare: Double

    /// The greatest random delay of a refresh within the lead, which spreads the requests of many devices.
    ///
    /// Never more than half of the lead; a negative one counts as zero.
    package var jitter: Duration

    /// The pause after a failed refresh, during which the old credential is used while it is still accepted.
    package var pauseAfterFailure: Duration

    /// Whether the session refreshes on its own when that is due, and not only when a caller needs the credential.
    package var refreshesInBackground: Bool

    /// Whether a refresh needs a refresh token in the credential.
    ///
    /// A credential without one is then used until it expires or is refused.
    package var needsRefreshToken = false

    /// The time limit of a refresh, with the waits for other processes and for the store.
    ///
    /// Its callers then get an error that says what it waited for. A response that comes later is stored nevertheless.
    package var timeLimit = Duration.seconds(60)

    /// The time after which a refusal that may be a gateway's ends the session if it repeats; the refresh token is kept until
    /// then.
    ///
    /// It is longer than most mistakes of a gateway, and shorter than a user waits for a page to sign in.
    package var confirmationDelay = Duration.seconds(300)

    /// The longest wait of a caller whose credential is still accepted; it then gets that one, and the refresh goes on.
    package var patience = Duration.seconds(5)

    /// Whether a request without a response is repeated under its key, at once and then for some minutes: the issuer may have
    /// used up the refresh token.
    package var repeatsUnanswered = true

    /// The greatest number of requests of one process to the issuer within `requestWindow`.
    ///
    /// A resource that refuses every credential would otherwise cost a refresh for each request to it.
    package var requestLimit = 5

    /// The window of `requestLimit`.
    package var requestWindow = Duration.seconds(30)

    /// Whether a request that fails counts towards `requestLimit`; false where the application limits failures by itself.
    package var countsFailedRequests = true

    /// Returns the seconds before its expiry at which a credential is due.
    ///
    /// - Parameters:
    ///   - life: Its lifetime, in seconds.
    ///   - share: The random share of the jitter, from 0 to 1.
    func secondsAhead(ofLife life: Double, jitter share: Double) -> Double {
        // A negative lead would make an expired credential look fresh, a negative jitter a fresh one due.
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
