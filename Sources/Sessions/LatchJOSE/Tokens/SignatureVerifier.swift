// SPDX-License-Identifier: Apache-2.0

internal import LatchCore
import Synchronization

/// A verifier of signatures, which caches the headers of valid tokens.
///
/// An issuer uses the same header for many tokens, so it is decoded once: the bytes of a cached header lead to its
/// keys. Only headers of valid tokens are cached, so that an attacker cannot fill the memory.
final class SignatureVerifier: Sendable {
    /// A cached header: its bytes, and the keys that it leads to.
    ///
    /// The key set and the algorithms never change, so the entry stays valid.
    private struct Known: Sendable {
        let bytes: ArraySlice<UInt8>
        let header: JOSEHeader
        let keys: [Key]
    }

    /// The maximum number of cached headers; the oldest is removed first.
    ///
    /// An issuer has one header per key in use.
    private static let mostKnown = 16

    private let keys: KeySet
    private let algorithms: Set<SignatureAlgorithm>
    private let known = Mutex<[Known]>([])

    init(keys: KeySet, algorithms: [SignatureAlgorithm]) {
        self.keys = keys
        self.algorithms = Set(algorithms)
    }

    /// Verifies the signature of a token, and returns its header.
    func header(of parts: CompactSerialization) throws(JOSEError) -> JOSEHeader {
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

    /// Decodes a header, and finds the candidate keys.
    private func read(_ text: ArraySlice<UInt8>) throws(JOSEError) -> (JOSEHeader, [Key]) {
        let header = try JOSEHeader(base64URL: text)
        // RFC 8725 §3.1: only algorithms that the verifier lists, and then only the key's own.
        guard algorithms.contains(header.algorithm) else { throw .refusedAlgorithm }
        try header.refuseExtensions()
        let candidates = keys.candidates(id: header.keyID, algorithm: header.algorithm)
        guard !candidates.isEmpty else { throw .unknownKey }
        return (header, candidates)
    }

    /// Caches a header.
    ///
    /// Two tasks may cache the same header at the same time, which only wastes an entry.
    private func remember(_ one: Known) {
        // A slice would retain the whole token.
        let own = Known(bytes: ArraySlice(Array(one.bytes)), header: one.header, keys: one.keys)
        known.withLock { known in
            if known.count >= Self.mostKnown { known.removeFirst() }
            known.append(own)
        }
    }
}
