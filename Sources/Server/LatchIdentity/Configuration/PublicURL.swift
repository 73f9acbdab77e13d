// SPDX-License-Identifier: Apache-2.0

/// What a setting that is the beginning of links, or an origin, must look like.
///
/// It is a check of spelling, so that a slip is met at the start and not in a mail: whether the name leads anywhere is
/// for the network to say.
enum PublicURL {
    /// Whether the text is an http or https URL without user, query and fragment, in characters that need no escape
    /// (RFC 3986 §2).
    static func isOne(_ text: String) -> Bool { rest(of: text) != nil }

    /// Whether the text is such a URL without a path, but for the one slash that people add.
    static func isOrigin(_ text: String) -> Bool {
        guard let rest = rest(of: text), let slash = rest.firstIndex(of: "/") else { return isOne(text) }
        return rest.index(after: slash) == rest.endIndex
    }

    /// Whether the text is an http or https URL with any path, query and fragment, but without a user, who would only be
    /// there to look like another host.
    static func isLink(_ text: String) -> Bool {
        guard let start = text.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return isOne(text) }
        let isPlain = text[start...].utf8.allSatisfy {
            (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x3C && $0 != 0x3E
        }
        return isPlain && isOne(String(text[..<start]))
    }

    /// What follows the scheme; nil where the text is no such URL.
    private static func rest(of text: String) -> Substring? {
        guard let scheme = ["https://", "http://"].first(where: { text.lowercased().hasPrefix($0) }) else { return nil }
        let rest = text.dropFirst(scheme.count)
        let refused = Array("\"<>\\^`{|}?#@".utf8)
        guard let first = rest.first, first != "/", first != ":",
            rest.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !refused.contains($0) })
        else { return nil }
        return rest
    }
}
