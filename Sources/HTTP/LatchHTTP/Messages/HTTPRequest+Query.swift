// SPDX-License-Identifier: Apache-2.0

extension HTTPRequest {
    /// The pairs of the query as they stand in it, still percent-encoded; empty pieces between two `&` are left out.
    package var rawQueryPairs: [(name: Substring, value: Substring)] {
        // By bytes: to a `Character`, an ampersand with an accent after it is no ampersand.
        (query ?? "").utf8.split(separator: 0x26).map { piece in
            let name = piece.prefix { $0 != 0x3D }
            return (Substring(name), Substring(piece[name.endIndex...].dropFirst()))
        }
    }

    /// Leaves exactly one pair of this name in the query, at its end, with everything in it encoded.
    package mutating func setQueryParameter(_ name: String, to value: String) {
        removeQueryParameters(named: name)
        path += (path.utf8.contains(0x3F) ? (path.utf8.last == 0x3F ? "" : "&") : "?")
        path += FormEncoding.encode([(name, value)])
    }

    /// Takes all pairs of a name out of the query, whichever way the name is written there; the others stay as they are.
    package mutating func removeQueryParameters(named name: String) {
        guard let query else { return }
        let wanted = Array(name.utf8)
        let pieces = query.utf8.split(separator: 0x26, omittingEmptySubsequences: false)
        let kept = pieces.filter {
            PercentEncoding.decode($0.prefix { $0 != 0x3D }, plusIsSpace: true) != wanted
        }
        guard kept.count < pieces.count else { return }
        path = String(pathWithoutQuery)
        if !kept.isEmpty { path += "?" + kept.map { String(Substring($0)) }.joined(separator: "&") }
    }
}
