// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

/// The links of a response (RFC 8288 §3).
///
/// ```swift
/// let next = try response.links()["next"]?.url(relativeTo: request)
/// ```
package struct LinkField: Sendable, Hashable {
    /// The links in their order.
    package let links: [Link]

    /// Parses the lines of a Link field.
    ///
    /// - Throws: `HTTPError.malformedMessage` if a line is malformed. A partial result could be wrong: a caller that
    ///   reads a missing link as the end of a list would lose the rest.
    package init(_ lines: some Sequence<String>) throws(HTTPError) {
        var links: [Link] = []
        for line in lines {
            guard let more = Self.parse(line), links.count + more.count <= Self.maximumLinks else {
                throw .malformedMessage("A Link field cannot be read.")
            }
            links += more
        }
        self.links = links
    }

    /// Returns the first link of a relation type whose context is the response itself (RFC 8288 §3.2).
    ///
    /// Relation types compare without case (RFC 8288 §3.3).
    package subscript(relation: String) -> Link? {
        links.first { link in
            link.anchor == nil && link.relations.contains { $0.equalsIgnoringCase(relation) }
        }
    }

    /// The maximum number of links, which legitimate servers do not reach.
    private static let maximumLinks = 512
    private static let maximumLineBytes = 65_536

    /// Parses a line (RFC 8288 §3: `#link-value`).
    private static func parse(_ line: String) -> [Link]? {
        guard line.utf8.count <= maximumLineBytes else { return nil }
        var scanner = FieldScanner(line)
        var links: [Link] = []
        while true {
            repeat { scanner.skipWhitespace() } while scanner.take(0x2C)
            if scanner.isAtEnd { return links }
            guard scanner.take(0x3C) else { return nil }
            let target = scanner.take { $0 != 0x3E }
            guard scanner.take(0x3E), let parameters = parameters(&scanner) else { return nil }
            links.append(Link(target: String(Substring(trimmed(target.utf8))), parameters: parameters))
        }
    }

    /// Parses the parameters of one link up to the comma or the end.
    private static func parameters(_ scanner: inout FieldScanner) -> [Link.Parameter]? {
        var parameters: [Link.Parameter] = []
        while true {
            scanner.skipWhitespace()
            if scanner.isAtEnd || scanner.next == 0x2C { return parameters }
            guard scanner.take(0x3B) else { return nil }
            scanner.skipWhitespace()
            // RFC 8288 §3: a semicolon without a parameter is allowed.
            guard let name = scanner.token() else { continue }
            scanner.skipWhitespace()
            guard scanner.take(0x3D) else {
                parameters.append(Link.Parameter(name: name, value: ""))
                continue
            }
            scanner.skipWhitespace()
            guard let value = scanner.next == 0x22 ? scanner.quotedString() : unquoted(&scanner) else { return nil }
            parameters.append(Link.Parameter(name: name, value: value))
        }
    }

    /// Consumes a token, or an unquoted value that is not a token, such as `text/html`.
    private static func unquoted(_ scanner: inout FieldScanner) -> String? {
        let value = scanner.take { $0 > 0x20 && $0 != 0x7F && $0 != 0x22 && $0 != 0x2C && $0 != 0x3B }
        return value.isEmpty ? nil : value
    }
}

extension HTTPResponse {
    /// Parses the links in the response's Link field.
    ///
    /// - Throws: `HTTPError.malformedMessage` if they are malformed.
    package func links() throws(HTTPError) -> LinkField { try LinkField(fields.values(of: "Link")) }
}

extension LinkField {
    /// One link: a target and its parameters.
    package struct Link: Sendable, Hashable {
        /// A parameter of a link, without quotation marks.
        package struct Parameter: Sendable, Hashable {
            /// The name as it was sent; it compares without case.
            package let name: String
            /// The value; the value of a name with a trailing `*` is still encoded (RFC 8187).
            package let value: String
        }

        /// The target reference, absolute or relative.
        package let target: String
        /// The parameters in their order; the first one of a name counts.
        package let parameters: [Parameter]

        /// The relation types; `rel` may hold several (RFC 8288 §3.3).
        package var relations: [String] {
            (self["rel"] ?? "").utf8.split(whereSeparator: isBlank).map { String(decoding: $0, as: UTF8.self) }
        }

        /// The context of the link, if it is not the response itself (RFC 8288 §3.2).
        package var anchor: String? { self["anchor"] }

        /// Returns the first value of a parameter, whose name is compared without case.
        package subscript(name: String) -> String? {
            parameters.first { $0.name.equalsIgnoringCase(name) }?.value
        }

        /// Returns the target as an absolute URL, resolved against the request's target (RFC 8288 §3.1).
        ///
        /// - Returns: The URL, or nil if it cannot be requested: another scheme, user information, or a malformed host.
        ///   A target at another origin is returned unchanged, so a caller that sends credentials must compare
        ///   `HTTPOrigin`.
        package func url(relativeTo request: HTTPRequest) -> URL? {
            guard let base = URL(encodingOnce: request.absoluteURL) else { return nil }
            return URL(encodingOnce: target, relativeTo: base).flatMap { HTTPOrigin($0) == nil ? nil : $0 }
        }
    }
}
