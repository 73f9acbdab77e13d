// SPDX-License-Identifier: Apache-2.0

internal import LatchCore
import Synchronization

/// Checks signatures against a set of keys, and remembers the headers of tokens that were signed well.
///
/// An issuer writes the same header into token after token, so it is read once: the bytes of a known header lead straight
/// to the keys. Only a token whose signature held gets its header remembered, so that nobody else can fill the memory.
final class SignatureCheck: Sendable {
    /// A header that was signed well, by its bytes, with what it led to.
    ///
    /// The key set and the algorithms never change, so neither does what a header leads to.
    private struct Known: Sendable {
        let bytes: ArraySlice<UInt8>
        let header: TokenHeader
        let keys: [Key]
    }

    /// How many headers are remembered; the oldest goes first.
    ///
    /// An issuer has one for each key in use.
    private static let mostKnown = 16

    private let keys: KeySet
    private let algorithms: Set<SignatureAlgorithm>
    private let known = Mutex<[Known]>([])

    init(keys: KeySet, algorithms: [SignatureAlgorithm]) {
        self.keys = keys
        self.algorithms = Set(algorithms)
    }

    /// The header of a token whose signature is right.
    func header(of parts: CompactParts) throws(JOSEError) -> TokenHeader {
        let remembered = known.withLock { known in known.first { $0.bytes == parts.header } }
        let (header, candidates) =
            if let remembered { (remembered.header, remembered.keys) } else { try read(parts.header) }
        let signature = try Base64URL.decode(utf8: parts.signature)
        guard candidates.contains(where: { $0.material.isValidSignature(signature, for: parts.signed) }) else {
            throw .badSignature
        }
        if remembered == nil { remember(Known(bytes: parts.header, header: header, keys: candidates)) }
        return header
    }

    /// Reads a header that is not known, and finds the keys that may have signed under it.
    private func read(_ text: ArraySlice<UInt8>) throws(JOSEError) -> (TokenHeader, [Key]) {
        let header = try TokenHeader(base64URL: text)
        // RFC 8725 §3.1: only what the verifier lists, and then only what the key itself is for.
        guard algorithms.contains(header.algorithm) else { throw .refusedAlgorithm }
        try header.refuseExtensions()
        let candidates = keys.candidates(id: header.keyID, algorithm: header.algorithm)
        guard !candidates.isEmpty else { throw .unknownKey }
        return (header, candidates)
    }

    /// Keeps a header.
    ///
    /// Two tasks may keep the same one at the same time, which costs a place and changes no answer.
    private func remember(_ one: Known) {
        // A slice would keep the whole token alive.
        let own = Known(bytes: ArraySlice(Array(one.bytes)), header: one.header, keys: one.keys)
        known.withLock { known in
            if known.count >= Self.mostKnown { known.removeFirst() }
            known.append(own)
        }
    }
}
