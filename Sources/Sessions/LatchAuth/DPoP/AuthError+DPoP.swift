// SPDX-License-Identifier: Apache-2.0

extension AuthError {
    /// The tokens are bound to a key that is not there.
    public static let missingProofKey = AuthError(
        code: "missingProofKey", message: "The tokens are bound to a key that was not stored with them.",
        hint: "Sign in again; a key that is lost cannot be had back.")

    /// The tokens are of a type that is not known here, and it is not known how to send them.
    ///
    /// RFC 6749 §7.1: a client must not use a token whose type it does not understand.
    public static let unknownTokenType = AuthError(
        code: "unknownTokenType", message: "The tokens are of a type that is neither Bearer nor DPoP.",
        hint: "Have the issuer hand out bearer tokens, or send them by a credential of your own.")

    /// A message lacks the proof that its token is bound to, or the proof is not believed.
    public static let refusedProof = AuthError.refusedProof("it is wrong")

    /// The proof lacks the nonce that the server wants, or has an old one: a client tries again with the new one.
    public static let staleProofNonce = AuthError(
        code: "staleProofNonce", message: "The proof lacks the server's nonce, or has an old one.",
        hint: "Answer with the current nonce and use_dpop_nonce; the client then tries again.")

    /// `why` completes a sentence and quotes nothing of the proof.
    package static func refusedProof(_ why: String) -> AuthError {
        AuthError(
            code: "refusedProof", message: "The proof of the key was refused: \(why).",
            hint: "Check the clocks of both machines, the address and the key.")
    }
}
