// SPDX-License-Identifier: Apache-2.0

/// The links of an answer (RFC 8288 §3): where they lead, and what is there for the one who asked.
///
/// ```swift
/// let next = try response.links()["next"]?.url(relativeTo: request)
/// ```
public struct LinkField: Sendable, Hashable {
    /// The links in their order.
    public let links: [Link]

    /// Links from the values of the field's lines, one after the other.
    ///
    /// - Throws: `HTTPError.malformedMessage` where a line cannot be read: what could be read of it may not be what was
    ///   meant, and a reader who takes a missing link for the end of a list would lose the rest.
    public init(_ lines: some Sequence<String>) throws(HTTPError) {
        var links: [Link] = []
        for line in lines {
            guard let more = Self.parse(line), links.count + more.count <= Self.mostLinks else {
                throw .malformedMessage("A Link field cannot be read.")
            }
            links += more
        }
        self.links = links
    }

    /// The first link of a relation type that is about the answer itself, not about another resource (RFC 8288 §3.2).
    ///
    /// Relation types compare without case (RFC 8288 §3.3).
    public subscript(relation: String) -> Link? {
        links.first { link in
            link.anchor == nil && link.relations.contains { $0.equalsIgnoringCase(relation) }
        }
    }

    /// More links, and longer lines, than anybody sends.
    private static let mostLinks = 512
    private static let longestLine = 65_536

    /// RFC 8288 §3: `#link-value`.
    private static func parse(_ line: String) -> [Link]? {
        guard line.utf8.count <= longestLine else { return nil }
        var scanner = FieldScanner(line)
        var links: [Link] = []
        while true {
            repeat { scanner.skipWhitespace() } while scanner.take(0x2C)
            if scanner.isAtEnd { return links }
            guard scanner.take(0x3C) else { return nil }
            let target = scanner.take { $0 != 0x3E }
            guard scanner.take(0x3E), let parameters = parameters(&scanner) else { return nil }
            links.append(Link(target: String(target[...].trimmingOptionalWhitespace), parameters: parameters))
        }
    }

    /// The parameters of one link, up to the comma or the end.
    private static func parameters(_ scanner: inout FieldScanner) -> [Link.Parameter]? {
        var parameters: [Link.Parameter] = []
        while true {
            scanner.skipWhitespace()
            if scanner.isAtEnd || scanner.next == 0x2C { return parameters }
            guard scanner.take(0x3B) else { return nil }
            scanner.skipWhitespace()
            // RFC 8288 §3: a semicolon may stand alone.
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

    /// A token, or what senders leave without quotation marks though it is none, such as `text/html`.
    private static func unquoted(_ scanner: inout FieldScanner) -> String? {
        let value = scanner.take { $0 > 0x20 && $0 != 0x7F && $0 != 0x22 && $0 != 0x2C && $0 != 0x3B }
        return value.isEmpty ? nil : value
    }
}

extension HTTPResponse {
    /// The links that the answer names in its Link field.
    ///
    /// - Throws: `HTTPError.malformedMessage` where they cannot be read.
    public func links() throws(HTTPError) -> LinkField { try LinkField(fields.values(of: "Link")) }
}
