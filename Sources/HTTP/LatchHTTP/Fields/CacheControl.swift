// SPDX-License-Identifier: Apache-2.0

internal import PortableFoundation

/// How long an answer may be kept (RFC 9111 §5.2).
package struct CacheControl: Sendable, Hashable {
    /// How long it is fresh (`max-age`), counted from when it was made.
    package private(set) var maximumAge: Duration?
    /// How long it may be used beyond that while no newer one is to be had (`stale-if-error`, RFC 5861 §4).
    package private(set) var staleIfError: Duration?
    /// Whether it may be used again without asking: neither `no-store` nor `no-cache` stands there.
    package private(set) var isReusable = true

    /// The longest time that is read; what says more means "for ever" and is read as this.
    package static let longest = Duration.seconds(366 * 86_400)

    /// Reads the lines of a field.
    ///
    /// What is unclear makes an answer fresh for a shorter time, never for a longer one (RFC 9111 §4.2.1): of several values
    /// the least counts, and what is no number is zero.
    package init(_ lines: some Sequence<String>) {
        for line in lines {
            for directive in Self.directives(of: line) { read(directive) }
        }
    }

    private mutating func read(_ directive: (name: String, value: String?)) {
        switch directive.name {
        case "no-store", "no-cache": isReusable = false
        case "max-age": maximumAge = min(maximumAge ?? Self.longest, Self.seconds(directive.value))
        case "stale-if-error": staleIfError = min(staleIfError ?? Self.longest, Self.seconds(directive.value))
        default: break
        }
    }

    /// The directives of a line, their names in lower case; a piece that is none is left out.
    private static func directives(of line: String) -> [(name: String, value: String?)] {
        var scanner = FieldScanner(line)
        var directives: [(name: String, value: String?)] = []
        while !scanner.isAtEnd {
            scanner.skipWhitespace()
            if let name = scanner.token() {
                var value: String?
                if scanner.take(0x3D) { value = scanner.next == 0x22 ? scanner.quotedString() : scanner.token() }
                directives.append((name.lowercased(), value))
            }
            // On to the next comma, past whatever was not understood.
            _ = scanner.take { $0 != 0x2C }
            _ = scanner.take(0x2C)
        }
        return directives
    }

    /// RFC 9111 §1.2.2: seconds in digits; more than a machine word holds are still many, and anything else is none.
    private static func seconds(_ text: String?) -> Duration {
        guard let text, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return .zero }
        return Int(text).map { min(.seconds($0), longest) } ?? longest
    }
}

extension HTTPResponse {
    /// What the answer says about being kept.
    package var cacheControl: CacheControl { CacheControl(fields.values(of: .cacheControl)) }

    /// How long the answer is still fresh, from zero on; nil where it does not say.
    ///
    /// It is `max-age`, or else `Expires` less `Date`, less the time that caches on the way have had it (RFC 9111 §4.2).
    package var remainingFreshness: Duration? {
        let control = cacheControl
        guard control.isReusable else { return .zero }
        guard let lifetime = control.maximumAge ?? lifetimeByDates else { return nil }
        let age = fields["Age"].map { text in
            text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) ?? .max : 0
        }
        return max(lifetime - .seconds(min(age ?? 0, Int(CacheControl.longest.components.seconds))), .zero)
    }

    /// RFC 9111 §5.3: what cannot be read as a date, such as `0`, lies in the past.
    private var lifetimeByDates: Duration? {
        guard let expires = fields["Expires"] else { return nil }
        guard let end = HTTPDate(expires)?.date, let start = fields[.date].flatMap(HTTPDate.init)?.date else {
            return .zero
        }
        return min(max(.seconds(end.timeIntervalSince(start)), .zero), CacheControl.longest)
    }
}
