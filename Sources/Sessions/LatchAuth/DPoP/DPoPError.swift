// SPDX-License-Identifier: Apache-2.0

internal import LatchCore
package import LatchHTTP

/// The reason why a server refuses a proof.
enum DPoPError: String, Sendable {
    /// The server requires a nonce or a newer one (RFC 9449 §8, §9).
    case useNonce = "use_dpop_nonce"
    /// The proof is not valid; a client can correct only its date (RFC 9449 §7.1).
    case invalidProof = "invalid_dpop_proof"
}

extension HTTPFieldName {
    /// The field with the proof (RFC 9449 §4.1).
    package static let dpop: HTTPFieldName = "DPoP"
    /// The field with the server's nonce (RFC 9449 §8.1).
    package static let dpopNonce: HTTPFieldName = "DPoP-Nonce"
}

extension HTTPResponse {
    /// The nonce that the server requires in the next proof; nil if it states none, several, or a malformed one.
    var dpopNonce: String? {
        let values = fields.values(of: .dpopNonce)
        guard let only = values.first, values.count == 1, DPoPProof.isNonce(only) else { return nil }
        return only
    }

    /// The reason why the server refuses the proof of the message; nil if it does not refuse it.
    ///
    /// A resource states it in a challenge (RFC 9449 §7.1), a token endpoint in its content (§5, RFC 6749 §5.2).
    var dpopError: DPoPError? {
        switch status {
        case .unauthorized: dpopErrorInChallenge ?? dpopErrorInContent
        case .badRequest: dpopErrorInContent
        default: nil
        }
    }

    private var dpopErrorInChallenge: DPoPError? {
        challenges().lazy.compactMap { $0.isScheme("DPoP") ? $0["error"].flatMap(DPoPError.init) : nil }.first
    }

    /// The error in the content, which must be in memory and no larger than an error response.
    private var dpopErrorInContent: DPoPError? {
        guard !body.bytes.isEmpty, body.bytes.count <= 4_096, fields.mediaType == "application/json" else { return nil }
        do {
            return try JSONValue(parsing: body.bytesWithoutMark)["error"]?.stringValue.flatMap(DPoPError.init)
        } catch {
            // A token endpoint does not send a malformed body.
            return nil
        }
    }
}
