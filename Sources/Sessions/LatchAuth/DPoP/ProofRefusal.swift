// SPDX-License-Identifier: Apache-2.0

internal import LatchCore
internal import LatchHTTP

extension HTTPResponse {
    /// Why a server refuses a proof.
    enum ProofRefusal: String, Sendable {
        /// It wants a nonce, or another one (RFC 9449 §8, §9).
        case nonce = "use_dpop_nonce"
        /// Something about the proof is wrong, and the date is what a client can do something about (RFC 9449 §7.1).
        case proof = "invalid_dpop_proof"
    }

    /// Why the server refuses the proof of the message; nil where it says nothing of it.
    ///
    /// A resource says so in a challenge (RFC 9449 §7.1), a token endpoint in its content (§5, RFC 6749 §5.2).
    var proofRefusal: ProofRefusal? {
        switch status {
        case .unauthorized: challengeRefusal ?? contentRefusal
        case .badRequest: contentRefusal
        default: nil
        }
    }

    private var challengeRefusal: ProofRefusal? {
        challenges().lazy.compactMap { $0.isScheme("DPoP") ? $0["error"].flatMap(ProofRefusal.init) : nil }.first
    }

    /// What is not in memory is not read for it, nor what is larger than such an answer is.
    private var contentRefusal: ProofRefusal? {
        guard !body.bytes.isEmpty, body.bytes.count <= 4_096, fields.mediaType == "application/json" else { return nil }
        do {
            return try JSONValue(parsing: body.bytes)["error"]?.stringValue.flatMap(ProofRefusal.init)
        } catch {
            // No answer of a token endpoint, so it says nothing of a proof.
            return nil
        }
    }
}
