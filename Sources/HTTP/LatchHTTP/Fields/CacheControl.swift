// SPDX-License-Identifier: Apache-2.0

import LatchCore
internal import LatchFoundation

/// The caching directives of a response (RFC 9111 §5.2).
package struct CacheControl: Sendable, Hashable {
    /// The freshness lifetime (`max-age`), counted from the creation of the response.
    package private(set) var maximumAge: Duration?
    /// The time that a stale response may be used if no newer one is available (`stale-if-error`, RFC 5861 §4).
    package private(set) var staleIfError: Duration?
    /// Whether it may be reused without validation: neither `no-store` nor `no-cache` is present.
    package private(set) var isReusable = true
    /// Whether intermediaries may change the content: `no-transform` is not present.
    package private(set) var isTransformable = true

    /// The maximum duration that is parsed; larger values mean "forever" and are limited to it.
    package static let longest = Duration.seconds(366 * 86_400)

    /// Parses the lines of a field.
    ///
    /// Ambiguous values shorten the freshness and never extend it (RFC 9111 §4.2.1): the smallest of several values
    /// counts, and an invalid number is zero.
    package init(_ lines: some Sequence<String>) {
        for line in lines {
            var scanner = FieldScanner(line)
            while !scanner.isAtEnd {
                scanner.skipWhitespace()
                if let name = scanner.token() { read(name.lowercasedASCII(), &scanner) }
                // Skips to the next comma, past anything that was not understood.
                _ = scanner.take { $0 != 0x2C }
                _ = scanner.take(0x2C)
            }
        }
    }

    private mutating func read(_ name: String, _ scanner: inout FieldScanner) {
        var value: String?
        if scanner.take(0x3D) { value = scanner.next == 0x22 ? scanner.quotedString() : scanner.token() }
        switch name {
        case "no-store", "no-cache": isReusable = false
        case "no-transform": isTransformable = false
        case "max-age": maximumAge = min(maximumAge ?? Self.longest, Self.seconds(value))
        case "stale-if-error": staleIfError = min(staleIfError ?? Self.longest, Self.seconds(value))
        default: break
        }
    }

    /// Parses delta-seconds (RFC 9111 §1.2.2); an overflow is the maximum, and anything but digits is zero.
    private static func seconds(_ text: String?) -> Duration {
        guard let text, !text.isEmpty, text.utf8.allSatisfy(isDigit) else { return .zero }
        return Int64(text).map { min(.seconds($0), longest) } ?? longest
    }
}

extension HTTPResponse {
    /// The caching directives.
    package var cacheControl: CacheControl { CacheControl(fields.values(of: .cacheControl)) }

    /// The remaining freshness, at least zero; nil if the response does not specify it.
    ///
    /// It is `max-age`, or else `Expires` minus `Date`, minus the response's `Age` (RFC 9111 §4.2).
    package var remainingFreshness: Duration? {
        let control = cacheControl
        guard control.isReusable else { return .zero }
        guard let lifetime = control.maximumAge ?? lifetimeByDates else { return nil }
        let age = fields["Age"].map { text in
            text.utf8.allSatisfy(isDigit) ? Int64(text) ?? .max : 0
        }
        return max(lifetime - .seconds(min(age ?? 0, CacheControl.longest.components.seconds)), .zero)
    }

    /// The lifetime by the dates; an invalid `Expires`, such as `0`, is in the past (RFC 9111 §5.3).
    private var lifetimeByDates: Duration? {
        guard let expires = fields["Expires"] else { return nil }
        guard let end = HTTPDate(expires)?.date, let start = fields[.date].flatMap(HTTPDate.init)?.date else {
            return .zero
        }
        return min(max(.seconds(end.timeIntervalSince(start)), .zero), CacheControl.longest)
    }
}
