// SPDX-License-Identifier: Apache-2.0

/// What a session hands to the closure that renews.
public struct Renewal<Value: Sendable>: Sendable {
    /// The credential to be replaced.
    public let credential: Value

    /// A random identifier that stays the same when the same renewal is repeated.
    ///
    /// Send it as `Idempotency-Key`: a server that knows it answers a repeat with the same successor, so that an answer
    /// lost on the way costs nothing.
    public let idempotencyKey: String

    /// A renewal of a credential, as a session makes it.
    public init(credential: Value, idempotencyKey: String) {
        self.credential = credential
        self.idempotencyKey = idempotencyKey
    }
}

/// When a session renews.
public struct RenewalPolicy: Sendable {
    /// How long before expiry a renewal is due; never more than `greatestShare` of the credential's whole life.
    ///
    /// A negative one counts as zero.
    public var lead: Duration

    /// How much of a credential's life the lead may be, from 0 to 0.5; a fifth where nothing else is said.
    ///
    /// What lies outside counts as the nearest of the two.
    public var greatestShare: Double

    /// By how much at most a renewal is put off within the lead, at random, so that many devices do not come at once.
    ///
    /// Never more than half of the lead; a negative one counts as zero.
    public var jitter: Duration

    /// How long to use the old credential after a failed renewal, while it is still accepted, before the next attempt.
    public var pauseAfterFailure: Duration

    /// Whether the session renews on its own when a renewal is due, and not only when somebody asks.
    public var renewsInBackground: Bool

    /// Whether a credential is renewed only by what it holds, such as a refresh token.
    ///
    /// One that holds nothing is then used until its time is over or it is refused.
    package var needsRefreshToken = false

    /// A policy from its parts.
    public init(
        lead: Duration = .seconds(300), jitter: Duration = .seconds(30), pauseAfterFailure: Duration = .seconds(15),
        renewsInBackground: Bool = false, greatestShare: Double = 0.2
    ) {
        self.lead = lead
        self.jitter = jitter
        self.pauseAfterFailure = pauseAfterFailure
        self.renewsInBackground = renewsInBackground
        self.greatestShare = greatestShare
    }
}

/// The sessions whose renewal the current task is part of.
///
/// A renewal that goes through a client which carries the same session would wait for itself for ever; this is how it
/// is noticed.
package enum RenewalScope {
    /// By identity of the actor; outermost first, since a renewal may need another session's credential.
    @TaskLocal package static var sessions: [ObjectIdentifier] = []
}
