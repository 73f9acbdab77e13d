// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

extension Cookie: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, value, domain, isHostOnly, path, isSecure, isHTTPOnly, sameSite, expiry, created, lastAccess
    }

    /// Reads a cookie with all its parts.
    ///
    /// - Throws: `DecodingError`, also where no server could have set such a cookie: what was kept was changed.
    public init(from decoder: any Decoder) throws {
        let parts = try decoder.container(keyedBy: CodingKeys.self)
        let cookie = Cookie(
            name: try parts.decode(String.self, forKey: .name), value: try parts.decode(String.self, forKey: .value),
            domain: try parts.decode(String.self, forKey: .domain),
            isHostOnly: try parts.decode(Bool.self, forKey: .isHostOnly),
            path: try parts.decode(String.self, forKey: .path),
            isSecure: try parts.decode(Bool.self, forKey: .isSecure),
            isHTTPOnly: try parts.decode(Bool.self, forKey: .isHTTPOnly),
            sameSite: try parts.decode(SameSite.self, forKey: .sameSite),
            expiry: try parts.decodeIfPresent(Double.self, forKey: .expiry).map(Self.date),
            created: Self.date(try parts.decode(Double.self, forKey: .created)),
            lastAccess: Self.date(try parts.decode(Double.self, forKey: .lastAccess)))
        guard let cookie else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "This is no cookie."))
        }
        self = cookie
    }

    /// Writes all parts.
    ///
    /// Dates are written as the number that `Date` itself holds, whatever the encoder would do with them: each of its
    /// other forms loses some of the fraction, and the order of creation may hang on it.
    public func encode(to encoder: any Encoder) throws {
        var parts = encoder.container(keyedBy: CodingKeys.self)
        try parts.encode(name, forKey: .name)
        try parts.encode(value, forKey: .value)
        try parts.encode(domain, forKey: .domain)
        try parts.encode(isHostOnly, forKey: .isHostOnly)
        try parts.encode(path, forKey: .path)
        try parts.encode(isSecure, forKey: .isSecure)
        try parts.encode(isHTTPOnly, forKey: .isHTTPOnly)
        try parts.encode(sameSite, forKey: .sameSite)
        try parts.encodeIfPresent(expiry?.timeIntervalSinceReferenceDate, forKey: .expiry)
        try parts.encode(created.timeIntervalSinceReferenceDate, forKey: .created)
        try parts.encode(lastAccess.timeIntervalSinceReferenceDate, forKey: .lastAccess)
    }

    private static func date(_ number: Double) -> Date { Date(timeIntervalSinceReferenceDate: number) }
}
