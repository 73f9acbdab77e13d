// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchHTTP
import Synchronization

/// The nonces and clock offsets of the servers that have responded to a key's proofs, by origin.
///
/// It ends with the process: a missing nonce costs one additional message.
final class DPoPNonceCache: Sendable {
    /// The entry of one origin.
    struct Entry: Sendable {
        /// The nonce that proofs need (RFC 9449 §8); nil if the origin requires none.
        var nonce: String?
        /// The server's clock minus the local one, in seconds.
        var clockOffset = 0.0
    }

    /// The origins, the most recent one last.
    private let origins = Mutex<[(origin: HTTPOrigin, entry: Entry)]>([])

    /// The maximum number of origins; the least recent one is removed first.
    private static let capacity = 32

    func entry(of origin: HTTPOrigin) -> Entry {
        origins.withLock { origins in origins.first { $0.origin == origin }?.entry } ?? Entry()
    }

    /// Stores the nonce of a response and, if the proof was refused, the server's clock offset.
    ///
    /// The newest nonce is used, whatever the status (RFC 9449 §8.2). The server's date is read only if a proof was
    /// refused, because its date may be wrong.
    ///
    /// - Returns: The new entry.
    func update(
        from response: HTTPResponse, of origin: HTTPOrigin, _ mark: DPoPMark, at now: Date, after error: DPoPError?
    ) -> Entry {
        let nonce = response.dpopNonce
        let date = error == nil ? nil : response.fields[.date].flatMap(HTTPDate.init)?.date
        guard nonce != nil || date != nil else { return entry(of: origin) }
        return origins.withLock { origins in
            var entry = Entry()
            if let index = origins.firstIndex(where: { $0.origin == origin }) {
                entry = origins.remove(at: index).entry
            }
            if let nonce { entry.nonce = nonce }
            if let date { entry.clockOffset = ClockOffset.seconds(to: date, sent: mark.sent, received: now) }
            if origins.count >= Self.capacity { origins.removeFirst() }
            origins.append((origin, entry))
            return entry
        }
    }
}
