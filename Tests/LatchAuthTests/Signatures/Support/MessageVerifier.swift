// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchJOSE

@testable import LatchAuth

/// A verifier of message signatures (RFC 9421 §3.2) with a policy.
///
/// ```swift
/// let verifier = MessageVerifier(keys: KeySet([partner]), policy: SignaturePolicy(tag: "partner-api"))
/// let signature = try await verifier.verify(request)
/// ```
///
/// A signature proves only the components that it covers. `SignaturePolicy.required` names the necessary ones.
struct MessageVerifier: Sendable {
    /// A closure that finds the key of a signature; it returns nil for an unknown or missing key ID.
    typealias KeyLookup = @Sendable (_ keyID: String?) async throws -> Key?

    private let policy: SignaturePolicy
    private let key: KeyLookup

    /// The maximum number of signatures of one message that are verified, because each costs time.
    private static let mostSignatures = 8

    /// Creates a verifier that finds keys with a closure.
    init(policy: SignaturePolicy = SignaturePolicy(), key: @escaping KeyLookup) {
        self.policy = policy
        self.key = key
    }

    /// Creates a verifier that finds keys by ID in a key set.
    init(keys: KeySet, policy: SignaturePolicy = SignaturePolicy()) {
        self.init(policy: policy) { keyID in keyID.flatMap { keys[$0] } }
    }

    /// Returns a signature of the request that the policy accepts.
    ///
    /// - Throws: `AuthError.missingSignature`, or the reason why the last candidate was refused: `malformedSignature`,
    ///   `refusedSignature`, `unsignableMessage` or `digestMismatch`. Also the errors of the closures.
    func verify(_ request: HTTPRequest) async throws -> VerifiedSignature {
        try await verify(.request(request))
    }

    /// Returns a signature of the response that the policy accepts.
    ///
    /// - Parameter request: The request that the response answers, for components with `req` (§2.4).
    /// - Throws: As for a request.
    func verify(_ response: HTTPResponse, answering request: HTTPRequest?) async throws -> VerifiedSignature {
        try await verify(.response(response, answering: request))
    }

    private func verify(_ message: SignedMessage) async throws -> VerifiedSignature {
        var (failure, tried) = (AuthError.missingSignature, 0)
        for unparsed in try SignatureCandidate.all(of: message.fields) {
            guard policy.label == nil || policy.label == unparsed.label else { continue }
            do {
                let candidate = try SignatureCandidate(unparsed)
                guard policy.tag == nil || policy.tag == candidate.parameters.tag else { continue }
                guard tried < Self.mostSignatures else { break }
                tried += 1
                return try await verify(candidate, of: message)
            } catch let error as AuthError {
                failure = error
            }
        }
        throw failure
    }

    /// Runs the fast checks first; only an otherwise valid signature uses up its nonce.
    private func verify(_ candidate: SignatureCandidate, of message: SignedMessage) async throws -> VerifiedSignature {
        try policy.check(candidate, of: message)
        guard let key = try await key(candidate.parameters.keyID) else {
            throw AuthError.refusedSignature("its key is unknown")
        }
        try candidate.check(message, with: key)
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

/// A signature of a message that is not yet verified.
struct SignatureCandidate: Sendable {
    let label: String
    let components: [SignatureComponent]
    let parameters: SignatureParameters
    /// The input as received, because its order and spelling are signed.
    let input: StructuredInnerList
    private let signature: [UInt8]

    /// A signature with only its label parsed, so that a malformed signature does not invalidate the others.
    typealias Unparsed = (label: String, input: StructuredMember, signature: StructuredMember?)

    /// Returns the signatures of a message in order (RFC 9421 §4.1 and §4.2).
    ///
    /// - Throws: `AuthError.malformedSignature` if one of the two fields is malformed, or has a label that the other
    ///   lacks.
    static func all(of fields: HTTPFields) throws(AuthError) -> [Unparsed] {
        let (inputs, signatures): (StructuredDictionary, StructuredDictionary)
        do {
            inputs = try fields.structuredDictionary(.signatureInput)
            signatures = try fields.structuredDictionary(.signature)
        } catch {
            throw .malformedSignature("a field is not a dictionary")
        }
        guard inputs.count == signatures.count else {
            throw .malformedSignature("a label occurs in only one of the two fields")
        }
        return inputs.map { ($0.key, $0.value, signatures[$0.key]) }
    }

    /// Parses a signature.
    ///
    /// - Throws: `AuthError.malformedSignature` if a part of it is malformed or unknown.
    init(_ unparsed: Unparsed) throws(AuthError) {
        guard let input = unparsed.input.innerList else { throw .malformedSignature("its input is not an inner list") }
        guard let signature = unparsed.signature?.item?.value.bytesValue else {
            throw .malformedSignature("it is missing, or not a byte sequence")
        }
        label = unparsed.label
        self.input = input
        self.signature = signature
        parameters = try SignatureParameters(input.parameters)
        var components: [SignatureComponent] = []
        for item in input.items { components.append(try SignatureComponent(item)) }
        self.components = components
    }

    /// Verifies only the signature, regardless of its coverage and age.
    ///
    /// - Throws: `AuthError.refusedSignature` if it is not the key's signature of this message.
    func check(_ message: SignedMessage, with key: Key) throws(AuthError) {
        guard let name = key.messageSignatureAlgorithm else {
            throw .refusedSignature("its key has no algorithm of message signatures")
        }
        // RFC 9421 §3.2, step 6: the algorithm is the key's. A message that names another one is refused.
        guard parameters.algorithm == nil || parameters.algorithm == name else {
            throw .refusedSignature("it names another algorithm than its key has")
        }
        let base = try SignatureBase.text(for: input, of: message)
        guard key.isValidSignature(signature, for: Array(base.utf8)) else { throw .refusedSignature("it is wrong") }
    }
}

struct VerifiedSignature: Sendable, Hashable {
    /// The label of the signature.
    let label: String
    /// The covered components; other parts of the message are not proven.
    let components: [SignatureComponent]
    /// The parameters of the signature.
    let parameters: SignatureParameters
}
