// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchHTTP

@testable import LatchAuth

/// The requirements for a signature (RFC 9421 §3.2.1).
struct SignaturePolicy: Sendable {
    /// The components that the signature must cover.
    var required: [SignatureComponent]
    /// The required label; nil accepts any.
    var label: String?
    /// The required tag; nil accepts any.
    var tag: String?
    /// The maximum age of the signature; nil accepts any age and a missing date.
    var maximumAge: Duration?
    /// The time by which the signer's clock may be ahead.
    var clockSkew: Duration
    /// Whether the signature needs an expiry.
    var requiresExpiry = false
    /// Whether `content-digest` must be covered and match if the message has content.
    var checksContent = true
    /// A closure that returns whether a nonce is new, and remembers it.
    ///
    /// With a closure, a signature without a nonce is refused.
    ///
    /// It is called last, and only for otherwise valid signatures. Nonces must be remembered for `maximumAge` plus
    /// twice the skew.
    var isFresh: (@Sendable (_ nonce: String, _ keyID: String?) async throws -> Bool)?
    /// The clock that measures ages.
    var clock: WallClock

    /// Creates a policy for requests; for responses, pass other components such as `@status`.
    init(
        required: [SignatureComponent] = SignatureComponent.requestDefaults, label: String? = nil, tag: String? = nil,
        maximumAge: Duration? = .seconds(300), clockSkew: Duration = .seconds(30), clock: WallClock = .system
    ) {
        self.required = required
        self.label = label
        self.tag = tag
        self.maximumAge = maximumAge
        self.clockSkew = clockSkew
        self.clock = clock
    }

    /// Runs the checks that need no key.
    func check(_ candidate: SignatureCandidate, of message: SignedMessage) throws(AuthError) {
        guard required.allSatisfy(candidate.components.contains) else {
            throw .refusedSignature("it does not cover what the policy requires")
        }
        // Content of unknown length may turn out to be empty, but its digest must be covered nevertheless.
        guard !checksContent || message.body.isEmpty || candidate.components.contains(where: \.isContentDigest) else {
            throw .refusedSignature("it does not cover the content")
        }
        try checkTimes(candidate.parameters)
    }

    private func checkTimes(_ parameters: SignatureParameters) throws(AuthError) {
        let now = clock.now
        if let created = parameters.created {
            guard created.timeIntervalSince(now) <= clockSkew.inSeconds else {
                throw .refusedSignature("it is from the future")
            }
        }
        if let maximumAge {
            guard let created = parameters.created, now.timeIntervalSince(created) <= maximumAge.inSeconds else {
                throw .refusedSignature("it is too old, or has no date")
            }
        }
        guard !requiresExpiry || parameters.expires != nil else {
            throw .refusedSignature("it has no expiry")
        }
        if let expires = parameters.expires {
            guard now < expires else { throw .refusedSignature("it has expired") }
        }
    }
}
