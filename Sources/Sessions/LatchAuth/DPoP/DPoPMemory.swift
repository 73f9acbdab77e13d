// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore
import LatchHTTP
import Synchronization

/// What servers have let a key's holder know, by origin: the nonce that they want, and their time.
///
/// It ends with the process: a nonce that is missing costs one message more.
final class DPoPMemory: Sendable {
    /// What one origin has let know.
    struct Knowledge: Sendable {
        /// What proofs for it have to hold (RFC 9449 §8); nil where it has asked for nothing.
        var nonce: String?
        /// Its clock minus ours, in seconds.
        var clockOffset = 0.0
    }

    /// The origins, the one that was heard of last behind the others.
    private let origins = Mutex<[(origin: HTTPOrigin, known: Knowledge)]>([])

    /// How many origins are kept; the one that was silent for longest goes first.
    private static let mostOrigins = 32

    func knowledge(of origin: HTTPOrigin) -> Knowledge {
        origins.withLock { origins in origins.first { $0.origin == origin }?.known } ?? Knowledge()
    }

    /// Takes over the nonce of an answer and, where the proof was refused, the server's date.
    ///
    /// The newest nonce counts, whatever the answer's status (RFC 9449 §8.2). A refused proof may be one with a wrong
    /// date; what the clocks differ by is only then worth a look.
    ///
    /// - Returns: What is known now.
    func learn(
        from response: HTTPResponse, of origin: HTTPOrigin, _ mark: DPoPMark, at now: Date,
        after refusal: HTTPResponse.ProofRefusal?
    ) -> Knowledge {
        let nonce = response.dpopNonce
        let date = refusal == nil ? nil : response.fields[.date].flatMap(HTTPDate.init)?.date
        guard nonce != nil || date != nil else { return knowledge(of: origin) }
        return origins.withLock { origins in
            var known = Knowledge()
            if let index = origins.firstIndex(where: { $0.origin == origin }) {
                known = origins.remove(at: index).known
            }
            if let nonce { known.nonce = nonce }
            if let date { known.clockOffset = ClockOffset.seconds(to: date, sent: mark.sent, received: now) }
            if origins.count >= Self.mostOrigins { origins.removeFirst() }
            origins.append((origin, known))
            return known
        }
    }
}

extension HTTPFieldName {
    /// RFC 9449 §4.1.
    static let dpop: HTTPFieldName = "DPoP"
    /// RFC 9449 §8.1.
    static let dpopNonce: HTTPFieldName = "DPoP-Nonce"
}

extension HTTPResponse {
    /// The nonce that the server wants in the next proof; nil where it names none, or two, or one that is malformed.
    var dpopNonce: String? {
        let values = fields.values(of: .dpopNonce)
        guard let only = values.first, values.count == 1, DPoPProof.isNonce(only) else { return nil }
        return only
    }
}
