// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// An error of a token or a key.
///
/// The messages are for the operator of the service. A response to the sender of the token should not distinguish the
/// reasons. No message contains any part of the token or the key.
public struct JOSEError: CodedError, Hashable {
    /// The stable code of the error.
    public let code: String
    /// The description of the error.
    public let message: String
    /// A suggestion for solving the problem.
    public let hint: String?

    /// Creates an error from its parts; `code` is one of those below, because callers match by it.
    package init(code: String, message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }
}

extension JOSEError {
    /// The text is not a token: it is too long, or its parts, base64url, JSON or the type of a claim are wrong.
    public static let malformedToken = malformedToken("its form is wrong")

    /// The key set contains no key for the token.
    ///
    /// The issuer may have a new key. Fetching the key set again once may help.
    public static let unknownKey = JOSEError(
        code: "unknownKey", message: "The token is signed with a key that is not known here.",
        hint: "Fetch the issuer's current key set, or check that the token comes from this issuer.")

    /// The signature is wrong.
    ///
    /// The key set contains a key with that ID and algorithm, so fetching it again does not help.
    public static let badSignature = JOSEError(
        code: "badSignature", message: "The token's signature is wrong.", hint: "Ask the issuer for a new token.")

    /// The token could not be decrypted.
    ///
    /// A wrong key, a wrong tag, a wrong padding and a changed token have the same error. An attacker who could
    /// distinguish them would learn the plaintext (RFC 7516 §11.5).
    public static let decryptionFailed = JOSEError(
        code: "decryptionFailed", message: "The token could not be decrypted.",
        hint: "Check that it was encrypted for a key of this recipient, and ask the sender for a new one.")

    /// The token has expired.
    public static let expired = JOSEError(
        code: "expired", message: "The token has expired.", hint: "Refresh it, and check this machine's clock.")

    /// The token is not valid yet.
    public static let notYetValid = JOSEError(
        code: "notYetValid", message: "The token is not valid yet.", hint: "Check the clocks of both machines.")

    /// The token is from another issuer.
    public static let wrongIssuer = JOSEError(
        code: "wrongIssuer", message: "The token comes from another issuer.",
        hint: "Compare the configured issuer with the token's, character by character.")

    /// The token is for another audience.
    public static let wrongAudience = JOSEError(
        code: "wrongAudience", message: "The token is meant for another audience.",
        hint: "Set the verifier's audience to the one in the issuer's tokens.")

    /// The algorithm is not accepted.
    public static let refusedAlgorithm = JOSEError(
        code: "refusedAlgorithm", message: "The token's algorithm is not accepted here.",
        hint: "List the algorithm for this verifier if the issuer really uses it.")

    /// The token has another type.
    public static let wrongType = JOSEError(
        code: "wrongType", message: "The token is of another type.",
        hint: "Send the access token to an API, and each other kind only where it belongs.")

    /// The header requires an extension that is not supported.
    public static let refusedExtension = JOSEError(
        code: "refusedExtension", message: "The token demands an extension that is not understood.",
        hint: "Configure the issuer to issue tokens without critical headers.")

    /// A required claim is missing.
    public static let missingClaim = missingClaim("?")

    /// The payload or the header cannot be signed in the requested form.
    public static let unsignable = unsignable("this serialization cannot contain it")

    /// The header cannot be encrypted in the requested form.
    public static let unencryptable = unencryptable("this serialization cannot contain it")

    /// The key cannot be used for the operation.
    public static let unsuitableKey = unsuitableKey("it does not fit")
}

extension JOSEError {
    /// Returns the error for a malformed token; `why` completes a sentence and quotes nothing from the token.
    package static func malformedToken(_ why: String) -> JOSEError {
        JOSEError(
            code: "malformedToken", message: "The text is not a signed token: \(why).",
            hint: "Pass the whole token, three parts with dots between them.")
    }

    /// Returns the error for a malformed JWE; `why` completes a sentence and quotes nothing from the token.
    package static func malformedEncryption(_ why: String) -> JOSEError {
        JOSEError(
            code: malformedToken.code, message: "The text is not an encrypted token: \(why).",
            hint: "Pass the whole token, five parts with dots between them.")
    }

    /// The key set contains no key for decrypting the token.
    static let unknownDecryptionKey = JOSEError(
        code: unknownKey.code, message: "The token is encrypted for a key that is not known here.",
        hint: "Check that the sender has this recipient's current public key.")

    /// The token is compressed, or the request asks to compress it.
    static let compressed = JOSEError(
        code: refusedExtension.code, message: "The token demands compression, which is not supported.",
        hint: "Encrypt without zip: the length of compressed text reveals what is in it (RFC 8725 §3.6).")

    /// Returns the error for a missing claim; the name comes from the verifier, not from the token.
    package static func missingClaim(_ name: String) -> JOSEError {
        JOSEError(
            code: "missingClaim", message: "The token lacks the claim '\(name)'.",
            hint: "Have the issuer set it, or do not require it.")
    }

    /// Returns the error for a payload or header that cannot be signed; `why` completes a sentence.
    package static func unsignable(_ why: String) -> JOSEError {
        JOSEError(
            code: "unsignable", message: "It cannot be signed in this form: \(why).",
            hint: "Encode the payload in base64url, send it detached, or take the general form.")
    }

    /// Returns the error for a header that cannot be encrypted; `why` completes a sentence.
    package static func unencryptable(_ why: String) -> JOSEError {
        JOSEError(
            code: "unencryptable", message: "It cannot be encrypted in this form: \(why).",
            hint: "Do not set parameters that come from the key. List only protected extensions in crit.")
    }

    /// Returns the error for a key; `why` completes a sentence and contains no part of the key.
    package static func unsuitableKey(_ why: String) -> JOSEError {
        JOSEError(
            code: "unsuitableKey", message: "The key cannot be used: \(why).",
            hint: "Check the key's kty, crv, alg and use, and that its numbers are complete.")
    }
}
