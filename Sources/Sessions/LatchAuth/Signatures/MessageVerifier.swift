// SPDX-License-Identifier: Apache-2.0

internal import LatchCore
public import LatchHTTP
public import LatchJOSE

/// Verifies signatures of messages (RFC 9421 §3.2) by a policy.
///
/// ```swift
/// let verifier = MessageVerifier(keys: KeySet([partner]), policy: SignaturePolicy(tag: "partner-api"))
/// let signature = try await verifier.verify(request)
/// ```
///
/// A signature is believed only for what it covers: `SignaturePolicy.required` says what that has to be.
public struct MessageVerifier: Sendable {
    /// Finds the key that a signature names; nil where it names none or one that is not known.
    public typealias KeyLookup = @Sendable (_ keyID: String?) async throws -> Key?

    private let policy: SignaturePolicy
    private let key: KeyLookup

    /// More signatures than that on one message are not looked at: each may cost a verification.
    private static let mostSignatures = 8

    /// A verifier that finds keys by a closure.
    public init(policy: SignaturePolicy = SignaturePolicy(), key: @escaping KeyLookup) {
        self.policy = policy
        self.key = key
    }

    /// A verifier that knows these keys by their names.
    public init(keys: KeySet, policy: SignaturePolicy = SignaturePolicy()) {
        self.init(policy: policy) { keyID in keyID.flatMap { keys[$0] } }
    }

    /// Finds a signature of the request that the policy accepts.
    ///
    /// - Throws: `AuthError.missingSignature`, or why the last one that came into question was refused:
    ///   `malformedSignature`, `refusedSignature`, `unsignableMessage` or `digestMismatch`; and what the closures throw.
    public func verify(_ request: HTTPRequest) async throws -> VerifiedSignature { try await verify(.request(request)) }

    /// Finds a signature of the response that the policy accepts.
    ///
    /// - Parameter request: The request that it answers, for components with `req` (§2.4).
    /// - Throws: As for a request.
    public func verify(_ response: HTTPResponse, answering request: HTTPRequest?) async throws -> VerifiedSignature {
        try await verify(.response(response, answering: request))
    }

    private func verify(_ message: SignedMessage) async throws -> VerifiedSignature {
        var (failure, tried) = (AuthError.missingSignature, 0)
        for unread in try SignatureCandidate.all(of: message.fields) where policy.takes(label: unread.label) {
            do {
                let candidate = try unread.read()
                guard policy.takes(tag: candidate.parameters.tag) else { continue }
                guard tried < Self.mostSignatures else { break }
                tried += 1
                return try await verify(candidate, of: message)
            } catch let error as AuthError {
                failure = error
            }
        }
        throw failure
    }

    /// The cheap checks come first, and the nonce is spent only by a signature that is otherwise good.
    private func verify(_ candidate: SignatureCandidate, of message: SignedMessage) async throws -> VerifiedSignature {
        try policy.check(candidate, of: message)
        guard let key = try await key(candidate.parameters.keyID) else {
            throw AuthError.refusedSignature("its key is not known")
        }
        try candidate.check(message, with: key, structured: policy.structured)
        if policy.checksContent, candidate.components.contains(where: \.isContentDigest) {
            let field = message.fields.combinedValue(of: .contentDigest) ?? ""
            try await ContentDigest(parsing: field).verify(message.body)
        }
        if let isFresh = policy.isFresh {
            guard let nonce = candidate.parameters.nonce, try await isFresh(nonce, candidate.parameters.keyID) else {
                throw AuthError.refusedSignature("its nonce is missing or was used before")
            }
        }
        return VerifiedSignature(
            label: candidate.label, components: candidate.components, parameters: candidate.parameters)
    }
}

extension MessageVerifier {
    /// How many signatures of a request are the key's, without a policy and without waiting; fuzzing calls it.
    package static func countValid(_ request: HTTPRequest, with key: Key) throws(AuthError) -> Int {
        var count = 0
        for unread in try SignatureCandidate.all(of: request.fields) {
            do throws(AuthError) {
                try unread.read().check(.request(request), with: key, structured: .registered)
                count += 1
            } catch .malformedSignature, .refusedSignature, .unsignableMessage {
                continue
            }
        }
        return count
    }
}
