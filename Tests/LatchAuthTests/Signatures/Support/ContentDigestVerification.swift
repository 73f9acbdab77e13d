// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto
import LatchHTTP

@testable import LatchAuth

extension ContentDigest {
    /// Parses the value of a field.
    ///
    /// Unknown algorithms are ignored (RFC 9530 §2).
    ///
    /// - Throws: `AuthError.malformedSignature` if the value is not a dictionary of byte sequences, or has no known
    ///   algorithm.
    init(parsing field: String) throws(AuthError) {
        var digests: [Algorithm: [UInt8]] = [:]
        do {
            for (key, member) in try StructuredDictionary(parsing: field) {
                guard let algorithm = Algorithm(rawValue: key) else { continue }
                guard let bytes = member.item?.value.bytesValue else {
                    throw AuthError.malformedSignature("a digest is not a byte sequence")
                }
                digests[algorithm] = bytes
            }
        } catch let error as AuthError {
            throw error
        } catch {
            throw .malformedSignature("a digest field is not a dictionary")
        }
        guard !digests.isEmpty else { throw .malformedSignature("it has no digest of a known algorithm") }
        self.init(digests)
    }

    /// Verifies all digests of content.
    ///
    /// - Throws: `AuthError.digestMismatch`, `AuthError.unsignableContent` if the content can be read only once, and
    ///   the error of a stream.
    func verify(_ body: HTTPBody) async throws {
        for (algorithm, digest) in digests {
            guard constantTimeEquals(try await Self.digest(of: body, by: algorithm), digest) else {
                throw AuthError.digestMismatch
            }
        }
    }
}

extension AuthError {
    /// A message carries no signature that the policy accepts.
    static let missingSignature = AuthError(
        code: "missingSignature", message: "The message carries no signature that is accepted here.",
        hint: "Compare the signature's label, tag and components with the policy.")

    /// A well-formed signature is wrong, too old, made by an unknown key, or covers other components than required.
    static let refusedSignature = AuthError.refusedSignature("it is wrong")

    /// The content does not match the message's digest.
    static let digestMismatch = AuthError(
        code: "digestMismatch", message: "The content does not match the message's digest.",
        hint: "The content was changed in transit, or the digest covers other content.")

    static func refusedSignature(_ reason: String) -> AuthError {
        AuthError(
            code: "refusedSignature", message: "The signature was refused: \(reason).",
            hint: "Check the key, the clocks of both machines and the signed components.")
    }
}
