// SPDX-License-Identifier: Apache-2.0

package import LatchHTTP

/// The canonical request that AWS Signature Version 4 signs.
package struct SigV4CanonicalRequest: Sendable {
    /// The names of the signed fields in lowercase, separated by semicolons.
    package let signedNames: String
    /// The canonical request: method, path, query, fields, names, digest of the content.
    package let text: String

    /// Creates the canonical form of a request.
    ///
    /// - Parameters:
    ///   - names: The signed fields, in lowercase and in order.
    ///   - payload: The digest of the content, or its replacement.
    ///   - keepsPath: Whether the path is that of an S3 object, which is neither normalized nor encoded twice.
    package init(_ request: HTTPRequest, names: [String], payload: String, keepsPath: Bool) {
        signedNames = names.joined(separator: ";")
        let path = request.pathWithoutQuery
        let lines = [
            request.method.rawValue, keepsPath ? Self.objectPath(path) : Self.normalizedPath(path),
            Self.query(of: request), names.map { "\($0):\(Self.value(of: $0, in: request))\n" }.joined(), signedNames,
            payload,
        ]
        text = lines.joined(separator: "\n")
    }

    /// Returns the names of the signed fields: `host` and all fields that no proxy changes.
    package static func signedNames(of request: HTTPRequest) -> [String] {
        let names = request.fields.map(\.name.canonicalName) + ["host"]
        return Set(names).filter { !changing.contains($0) }.sorted()
    }

    /// The fields that a proxy or the transport adds, changes or removes, and the signature itself.
    private static let changing: Set<String> = [
        "authorization", "connection", "content-length", "expect", "keep-alive", "proxy-authorization", "te", "trailer",
        "transfer-encoding", "upgrade", "user-agent", "x-amzn-trace-id",
    ]

    /// Returns the path of an S3 object: each segment is decoded, and encoded again canonically.
    ///
    /// A canonical path stays as it is on the wire, including `%2F`, because S3 compares with the wire.
    private static func objectPath(_ path: String) -> String {
        let segments = path.utf8.split(separator: 0x2F, omittingEmptySubsequences: false).map {
            PercentEncoding.encode(PercentEncoding.decode($0, plusIsSpace: false))
        }
        return path.isEmpty ? "/" : segments.joined(separator: "/")
    }

    /// Removes dot segments (RFC 3986 §5.2.4) and doubled slashes, and encodes everything once more, including percent
    /// signs.
    private static func normalizedPath(_ path: String) -> String {
        var segments: [Substring.UTF8View.SubSequence] = []
        for piece in path.utf8.split(separator: 0x2F) {
            switch Array(piece) {
            case [0x2E]: continue
            case [0x2E, 0x2E]: _ = segments.popLast()
            default: segments.append(piece)
            }
        }
        // A trailing slash stays.
        let isFolder = path.utf8.last == 0x2F
        let joined = segments.map { PercentEncoding.encode($0) }.joined(separator: "/")
        return "/" + joined + (isFolder && !segments.isEmpty ? "/" : "")
    }

    /// Returns the query sorted by name and then by value, each encoded canonically.
    private static func query(of request: HTTPRequest) -> String {
        func encoded(_ text: Substring) -> String {
            PercentEncoding.encode(PercentEncoding.decode(text.utf8, plusIsSpace: false))
        }
        let pairs = request.rawQueryPairs.map { (encoded($0.name), encoded($0.value)) }
        return pairs.sorted { $0 < $1 }.map { "\($0)=\($1)" }.joined(separator: "&")
    }

    /// Returns all lines of a field without extra spaces, joined with commas.
    private static func value(of name: String, in request: HTTPRequest) -> String {
        guard name != "host" else { return host(of: request) }
        return request.fields.values(of: HTTPFieldName(name)).map { value in
            value.utf8.split { $0 == 0x20 || $0 == 0x09 }.map { String(Substring($0)) }.joined(separator: " ")
        }.joined(separator: ",")
    }

    /// Returns the host as the transport writes it: the authority without the scheme's default port.
    private static func host(of request: HTTPRequest) -> String {
        let normal = request.origin.authority
        return request.authority.utf8.count == normal.utf8.count ? request.authority : normal
    }
}
