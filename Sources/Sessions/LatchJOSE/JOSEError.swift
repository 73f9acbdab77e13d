// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// Why a token or a key was refused.
///
/// The messages are for the person who runs the service; an answer to whoever sent the token should not tell the reasons
/// apart. Nothing of the token or the key is in them.
public struct JOSEError: CodedError, Hashable {
    /// The stable name of what went wrong.
    public let code: String
    /// What happened.
    public let message: String
    /// What to do about it.
    public let hint: String?

    /// Makes an error of its parts; `code` is one of those below, since callers match by it.
    package init(code: String, message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }
}

extension JOSEError {
    /// The text is no token: its parts, its base64url, its JSON or the type of a claim is wrong, or it is too long.
    public static let malformedToken = malformedToken("its form is wrong")

    /// No key that is known here has signed it.
    ///
    /// It is what a token looks like whose issuer has taken a new key: fetching the key set again, once, may help.
    public static let unknownKey = JOSEError(
        code: "unknownKey", message: "The token is signed with a key that is not known here.",
        hint: "Fetch the issuer's current key set, or check that the token comes from this issuer.")

    /// The signature is not the key's.
    ///
    /// A key of that name and algorithm is known, so fetching the key set again does not help.
    public static let badSignature = JOSEError(
        code: "badSignature", message: "The token's signature is wrong.", hint: "Ask the issuer for a new token.")

    /// The time until which it may be used is over.
    public static let expired = JOSEError(
        code: "expired", message: "The token has expired.", hint: "Renew it, and check this machine's clock.")

    /// The time from which it may be used is yet to come.
    public static let notYetValid = JOSEError(
        code: "notYetValid", message: "The token is not valid yet.", hint: "Check the clocks of both machines.")

    /// It was issued by somebody else.
    public static let wrongIssuer = JOSEError(
        code: "wrongIssuer", message: "The token comes from another issuer.",
        hint: "Compare the configured issuer with the token's, character by character.")

    /// It was issued for somebody else.
    public static let wrongAudience = JOSEError(
        code: "wrongAudience", message: "The token is meant for another audience.",
        hint: "Give the verifier the audience for which the issuer makes tokens.")

    /// The algorithm is not among those that are accepted.
    public static let refusedAlgorithm = JOSEError(
        code: "refusedAlgorithm", message: "The token's algorithm is not accepted here.",
        hint: "List the algorithm for this verifier if the issuer really uses it.")

    /// It is a token of another kind.
    public static let wrongType = JOSEError(
        code: "wrongType", message: "The token is of another type.",
        hint: "Send the access token to an API, and each other kind only where it belongs.")

    /// Its header demands an extension that is not understood here.
    public static let refusedExtension = JOSEError(
        code: "refusedExtension", message: "The token demands an extension that is not understood.",
        hint: "Have the issuer make tokens without critical headers.")

    /// A claim that is required is missing.
    public static let missingClaim = missingClaim("?")

    /// The bytes, or the members of a header, cannot be signed in the form that was asked for.
    public static let unsignable = unsignable("the form has no place for it")

    /// The key cannot be used for this.
    public static let unsuitableKey = unsuitableKey("it does not fit")
}

extension JOSEError {
    /// Says which part has the wrong form; `why` completes a sentence and quotes nothing of the token.
    package static func malformedToken(_ why: String) -> JOSEError {
        JOSEError(
            code: "malformedToken", message: "The text is not a signed token: \(why).",
            hint: "Pass the whole token, three parts with dots between them.")
    }

    /// Names the claim that is missing; the name is the verifier's, not the token's.
    package static func missingClaim(_ name: String) -> JOSEError {
        JOSEError(
            code: "missingClaim", message: "The token lacks the claim '\(name)'.",
            hint: "Have the issuer set it, or do not require it.")
    }

    /// Says what the form has no place for; `why` completes a sentence.
    package static func unsignable(_ why: String) -> JOSEError {
        JOSEError(
            code: "unsignable", message: "It cannot be signed in this form: \(why).",
            hint: "Encode the payload in base64url, send it detached, or take the general form.")
    }

    /// Says why a key does not fit; `why` completes a sentence and holds nothing of the key.
    package static func unsuitableKey(_ why: String) -> JOSEError {
        JOSEError(
            code: "unsuitableKey", message: "The key cannot be used: \(why).",
            hint: "Check the key's kty, crv, alg and use, and that its numbers are complete.")
    }
}
