// SPDX-License-Identifier: Apache-2.0

/// A search for the declared name that a misspelled name probably means.
enum SimilarName {
    /// Returns the most similar name, which differs in at most two letters; nil if no name is that similar.
    static func nearest(to written: String, in names: [String]) -> String? {
        let bytes = Array(written.utf8)
        // The time of a comparison is quadratic in the length, and an untrusted repository may contain long names.
        guard bytes.count <= 100 else { return nil }
        // Short names are similar to nearly all others.
        let limit = bytes.count < 3 ? 0 : bytes.count < 6 ? 1 : 2
        var best: (name: String, distance: Int)?
        let candidates = names.lazy.filter { abs($0.utf8.count - bytes.count) <= limit }
        for name in candidates.prefix(1_000) {
            let distance = distance(bytes, Array(name.utf8))
            if distance <= limit, distance < best?.distance ?? .max { best = (name, distance) }
        }
        return best?.name
    }

    /// Returns the number of differing letters; a replaced letter or two swapped letters count as one.
    private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        let difference = other.difference(from: one)
        return max(difference.insertions.count, difference.removals.count)
    }
}
