// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchIdentityStorage

/// Checks of URLs and origins in settings and account details.
///
/// They check the spelling, so that a typo is found at the start and not in an email; they do not resolve names.
package enum PublicURL {
    /// Returns whether the text is an http or https URL without user, query and fragment, in characters that need no
    /// escape (RFC 3986 §2).
    package static func isValid(_ text: String) -> Bool { afterScheme(text) != nil }

    /// Returns whether the text is such a URL without a path, except for a final slash, and names one host: `*` would match none.
    package static func isOrigin(_ text: String) -> Bool {
        guard !text.utf8.contains(0x2A) else { return false }
        guard let rest = afterScheme(text)?.utf8, let slash = rest.firstIndex(of: 0x2F) else { return isValid(text) }
        return rest.index(after: slash) == rest.endIndex
    }

    /// Returns the origin of a URL of any scheme in the spelling of browsers (RFC 6454 §6.2), without the default port; nil if it
    /// has none.
    package static func origin(of url: String) -> String? {
        guard let separator = url.utf8.firstRange(of: "://".utf8) else { return nil }
        let authority = url[separator.upperBound...].unicodeScalars.prefix { $0 != "/" && $0 != "?" }
        guard !authority.isEmpty else { return nil }
        return HTTPOrigin(scheme: String(url[..<separator.lowerBound]), authority: String(authority)).description
    }

    /// Returns the host of an http or https URL, with a port that is not the default one; nil for another text.
    package static func authority(of url: String) -> String? {
        do throws(HTTPError) { return try HTTPOrigin.split(url).origin.authority } catch { return nil }
    }

    /// Returns the host of an http or https URL; nil for another text.
    package static func host(of url: String) -> String? {
        do throws(HTTPError) { return try HTTPOrigin.split(url).origin.host } catch { return nil }
    }

    /// Returns the path of such a URL without its final slash; empty if it has none.
    package static func path(of text: String) -> String {
        guard let rest = afterScheme(text), let slash = rest.utf8.firstIndex(of: 0x2F) else { return "" }
        return String(String(rest[slash...]).withoutFinalSlash)
    }

    /// Returns whether the text is an http or https URL with any path, query and fragment.
    ///
    /// A user in the URL is rejected, because it could only imitate another host.
    package static func isLink(_ text: String) -> Bool {
        guard let start = text.utf8.firstIndex(where: { "?#".utf8.contains($0) }) else { return isValid(text) }
        let isPlain = text[start...].utf8.allSatisfy {
            (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x3C && $0 != 0x3E
        }
        return isPlain && isValid(String(text[..<start]))
    }

    /// Returns the part after the scheme; nil if the text is not such a URL.
    private static func afterScheme(_ text: String) -> Substring? {
        guard let scheme = ["https://", "http://"].first(where: { text.lowercasedASCII().utf8.starts(with: $0.utf8) })
        else {
            return nil
        }
        let rest = Substring(text.utf8.dropFirst(scheme.utf8.count))
        let forbidden = Array("\"<>\\^`{|}?#@".utf8)
        guard let first = rest.utf8.first, !"/:".utf8.contains(first),
            rest.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !forbidden.contains($0) })
        else { return nil }
        return rest
    }
}
