// SPDX-License-Identifier: Apache-2.0

/// A search for the declared name that an undeclared name may be a misspelling of.
enum SimilarName {
    /// Returns the most similar name, which differs in at most two letters; nil when none is that similar.
    static func nearest(to written: String, in names: [String]) -> String? {
        let bytes = Array(written.utf8)
        // Short names are similar to nearly all others.
        let limit = bytes.count < 3 ? 0 : bytes.count < 6 ? 1 : 2
        var best: (name: String, distance: Int)?
        for name in names where abs(name.utf8.count - bytes.count) <= limit {
            let distance = distance(bytes, Array(name.utf8))
            if distance <= limit, distance < best?.distance ?? .max { best = (name, distance) }
        }
        return best?.name
    }

    /// Returns the number of letters that differ, counting a replaced letter or two swapped ones as one.
    private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        let difference = other.difference(from: one)
        return max(difference.insertions.count, difference.removals.count)
    }
}
