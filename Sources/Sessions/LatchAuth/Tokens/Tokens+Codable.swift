// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

extension Tokens: Codable {
    private enum CodingKeys: String, CodingKey {
        case access, refresh, cookie, expiry, issued, scope, idToken, userID, tokenType, key
    }

    /// Reads tokens as they are stored; those that were stored before there were types are bearer tokens.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            access: try container.decode(String.self, forKey: .access),
            refresh: try container.decodeIfPresent(String.self, forKey: .refresh),
            cookie: try container.decodeIfPresent(String.self, forKey: .cookie),
            expiry: try container.decodeIfPresent(Date.self, forKey: .expiry),
            issued: try container.decodeIfPresent(Date.self, forKey: .issued),
            scope: try container.decodeIfPresent(String.self, forKey: .scope),
            idToken: try container.decodeIfPresent(String.self, forKey: .idToken),
            userID: try container.decodeIfPresent(String.self, forKey: .userID),
            tokenType: try container.decodeIfPresent(TokenType.self, forKey: .tokenType) ?? .bearer,
            key: try container.decodeIfPresent(DPoPKey.self, forKey: .key))
    }

    /// Writes everything, for a store that keeps secrets; the key with its secret half as a JSON Web Key.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(access, forKey: .access)
        try container.encodeIfPresent(refresh, forKey: .refresh)
        try container.encodeIfPresent(cookie, forKey: .cookie)
        try container.encodeIfPresent(expiry, forKey: .expiry)
        try container.encodeIfPresent(issued, forKey: .issued)
        try container.encodeIfPresent(scope, forKey: .scope)
        try container.encodeIfPresent(idToken, forKey: .idToken)
        try container.encodeIfPresent(userID, forKey: .userID)
        // Nothing more than before for nearly all records: an older program reads them, and a test compares them.
        if tokenType != .bearer { try container.encode(tokenType, forKey: .tokenType) }
        try container.encodeIfPresent(key, forKey: .key)
    }
}
