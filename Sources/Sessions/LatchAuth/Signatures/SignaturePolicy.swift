// SPDX-License-Identifier: Apache-2.0

internal import PortableFoundation
public import LatchCore
internal import LatchHTTP

/// Which signatures of a message are believed (RFC 9421 §3.2.1).
public struct SignaturePolicy: Sendable {
    /// What a signature has to cover at least.
    public var required: [SignatureComponent]
    /// The label that it has to have; nil takes any.
    public var label: String?
    /// The tag that it has to have; nil takes any.
    public var tag: String?
    /// How long after its making it is believed; nil for ever, and then it need not say when it was made.
    public var maximumAge: Duration?
    /// By how much the clock of the signer may be ahead.
    public var clockSkew: Duration
    /// Whether it has to say when it ends.
    public var requiresExpiry = false
    /// Whether content has to be covered by `content-digest` where there is any, and be what that says.
    public var checksContent = true
    /// Says whether a nonce is new, and remembers it; where it is set, a signature without a nonce is refused.
    ///
    /// It is asked last, about signatures that are otherwise good. Nonces need to be remembered for `maximumAge` and twice
    /// the skew.
    public var isFresh: (@Sendable (_ nonce: String, _ keyID: String?) async throws -> Bool)?
    /// Which fields are structured, for components with `sf`.
    public var structured: StructuredKinds = .registered
    /// The clock that ages are measured by.
    public var clock: WallClock

    /// What a request's signature covers at least, unless something else is asked for: method, host, path and query.
    public static let requestComponents: [SignatureComponent] = ["@method", "@authority", "@path", "@query"]

    /// A policy for requests; for responses give other components, such as `@status`.
    public init(
        required: [SignatureComponent] = requestComponents, label: String? = nil, tag: String? = nil,
        maximumAge: Duration? = .seconds(300), clockSkew: Duration = .seconds(30), clock: WallClock = .system
    ) {
        self.required = required
        self.label = label
        self.tag = tag
        self.maximumAge = maximumAge
        self.clockSkew = clockSkew
        self.clock = clock
    }

    /// Whether a signature of that label comes into question at all.
    func takes(label: String) -> Bool { self.label == nil || self.label == label }

    /// Whether a signature of that tag does.
    func takes(tag: String?) -> Bool { self.tag == nil || self.tag == tag }

    /// Everything that can be said without the key.
    func check(_ candidate: SignatureCandidate, of message: SignedMessage) throws(AuthError) {
        guard required.allSatisfy(candidate.components.contains) else {
            throw .refusedSignature("it does not cover what the policy requires")
        }
        // A length that is not known beforehand may turn out to be none; whoever signs nothing signs its digest.
        guard !checksContent || message.body.isEmpty || candidate.components.contains(where: \.isContentDigest) else {
            throw .refusedSignature("it does not cover the content")
        }
        try checkTimes(candidate.parameters)
    }

    private func checkTimes(_ parameters: SignatureParameters) throws(AuthError) {
        let now = clock.now
        if let created = parameters.created {
            guard created.timeIntervalSince(now) <= clockSkew.inSeconds else {
                throw .refusedSignature("it was made in the future")
            }
        }
        if let maximumAge {
            guard let created = parameters.created, now.timeIntervalSince(created) <= maximumAge.inSeconds else {
                throw .refusedSignature("it is too old, or does not say when it was made")
            }
        }
        guard !requiresExpiry || parameters.expires != nil else {
            throw .refusedSignature("it does not say when it ends")
        }
        if let expires = parameters.expires {
            guard now < expires else { throw .refusedSignature("it has expired") }
        }
    }
}
