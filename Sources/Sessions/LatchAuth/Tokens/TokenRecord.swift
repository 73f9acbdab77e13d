// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

/// The stored record of one account: the credential, and the facts that several processes share about it.
package struct TokenRecord<Value: Sendable>: Sendable {
    /// The credential; nil if the session has ended.
    package var credential: Value?

    /// The identifier of the sign-in that the credential comes from; it stays the same through all refreshes.
    ///
    /// It distinguishes another process's refresh from the sign-in of another user. Nil if the store does not keep it.
    package var sessionID: String?

    /// The key of the refresh of this credential that has begun and not finished, stored before it is requested.
    ///
    /// A request uses up the refresh token. A process that finds the key after a crash sends it again, and an issuer
    /// that recognizes the key returns the same successor again.
    package var refreshKey: String?

    /// The resource that the refresh of `refreshKey` is for; nil for the session's own access token.
    package var refreshTarget: TokenTarget?

    /// The reason for which there is no credential; nil while there is one.
    package var end: SignedOutReason?

    /// The date of issue by the issuer's clock, if the credential itself does not state it.
    ///
    /// Without it a program that starts late would take the remaining lifetime for the whole one.
    package var issued: Date?

    /// Creates a record.
    package init(
        credential: Value?, sessionID: String? = nil, end: SignedOutReason? = nil, issued: Date? = nil
    ) {
        self.credential = credential
        self.sessionID = sessionID
        self.end = end
        self.issued = issued
    }

    /// The version of the format; one that an older program cannot use would have a greater number.
    private static var version: Int { 1 }

    private enum CodingKeys: String, CodingKey {
        case version, credential, refreshKey, refreshTarget, end
        case sessionID = "signIn"
        case issued = "handedOut"
    }
}

extension TokenRecord: Encodable where Value: Encodable {
    /// Encodes the record; without a version, as before there were any.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(credential, forKey: .credential)
        try container.encodeIfPresent(sessionID, forKey: .sessionID)
        try container.encodeIfPresent(refreshKey, forKey: .refreshKey)
        try container.encodeIfPresent(refreshTarget, forKey: .refreshTarget)
        try container.encodeIfPresent(end, forKey: .end)
        try container.encodeIfPresent(issued, forKey: .issued)
    }
}

extension TokenRecord: Decodable where Value: Decodable {
    /// Decodes a record.
    ///
    /// - Throws: `AuthError.storeNewer` for a version that this program does not know: it must not be replaced as damaged.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard try container.decodeIfPresent(Int.self, forKey: .version) ?? 1 <= Self.version else {
            throw AuthError.storeNewer
        }
        credential = try container.decodeIfPresent(Value.self, forKey: .credential)
        sessionID = try container.decodeIfPresent(String.self, forKey: .sessionID)
        refreshKey = try container.decodeIfPresent(String.self, forKey: .refreshKey)
        refreshTarget = try container.decodeIfPresent(TokenTarget.self, forKey: .refreshTarget)
        end = try container.decodeIfPresent(SignedOutReason.self, forKey: .end)
        issued = try container.decodeIfPresent(Date.self, forKey: .issued)
    }
}
extension TokenRecord: Equatable where Value: Equatable {}
extension TokenRecord: Hashable where Value: Hashable {}
