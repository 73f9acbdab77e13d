// SPDX-License-Identifier: Apache-2.0

internal import LatchCore
internal import LatchHTTP

/// The reason for which a server refuses a proof.
enum DPoPError: String, Sendable {
    /// The server requires a nonce, or another one (RFC 9449 §8, §9).
    case useNonce = "use_dpop_nonce"
    /// The proof is not valid; its date is the part that a client can correct (RFC 9449 §7.1).
    case invalidProof = "invalid_dpop_proof"
}

extension HTTPFieldName {
    /// RFC 9449 §4.1.
    static let dpop: HTTPFieldName = "DPoP"
    /// RFC 9449 §8.1.
    static let dpopNonce: HTTPFieldName = "DPoP-Nonce"
}

extension HTTPResponse {
    /// The nonce that the server requires in the next proof; nil if it names none, or two, or a malformed one.
    var dpopNonce: String? {
        let values = fields.values(of: .dpopNonce)
        guard let only = values.first, values.count == 1, DPoPProof.isNonce(only) else { return nil }
        return only
    }

    /// The reason for which the server refuses the proof of the message; nil if it does not.
    ///
    /// A resource reports it in a challenge (RFC 9449 §7.1), a token endpoint in its content (§5, RFC 6749 §5.2).
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

    /// Looks only at content that is in memory, and not larger than an error response is.
    private var dpopErrorInContent: DPoPError? {
        guard !body.bytes.isEmpty, body.bytes.count <= 4_096, fields.mediaType == "application/json" else { return nil }
        do {
            return try JSONValue(parsing: body.bytesWithoutMark)["error"]?.stringValue.flatMap(DPoPError.init)
        } catch {
            // A malformed body is not a response of a token endpoint.
            return nil
        }
    }
}
