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

    /// The number of requests under `refreshKey` for a resource; nil for the session's own.
    package var refreshRequests: Int?

    /// The date at which a refresh of this credential was first refused, perhaps by a gateway, by this device's clock.
    package var doubted: Date?

    /// The reason for which there is no credential; nil while there is one.
    package var end: SignedOutReason?

    /// The date of issue by the issuer's clock, if the credential itself does not state it.
    ///
    /// Without it a program that starts late would take the remaining lifetime for the whole one.
    package var issued: Date?

    /// The issuer's clock minus this device's, in seconds, as the response with this credential showed it.
    ///
    /// Without it each start of a program on a device with a wrong clock would refresh once.
    package var clockOffset: Double?

    /// Creates a record.
    package init(
        credential: Value?, sessionID: String? = nil, end: SignedOutReason? = nil, issued: Date? = nil
    ) {
        self.credential = credential
        self.sessionID = sessionID
        self.end = end
        self.issued = issued
    }

    /// Takes over what another record says about the refresh that has begun; nothing for nil.
    mutating func keepRefresh(of record: TokenRecord?) {
        (refreshKey, refreshTarget) = (record?.refreshKey, record?.refreshTarget)
        (refreshRequests, doubted) = (record?.refreshRequests, record?.doubted)
    }

    /// The version of the format; one that an older program cannot use would have a greater number.
    private static var version: Int { 1 }

    private enum CodingKeys: String, CodingKey {
        case version, credential, refreshKey, refreshTarget, refreshRequests, doubted, end, clockOffset
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
        try container.encodeIfPresent(refreshRequests, forKey: .refreshRequests)
        try container.encodeIfPresent(doubted, forKey: .doubted)
        try container.encodeIfPresent(end, forKey: .end)
        try container.encodeIfPresent(issued, forKey: .issued)
        try container.encodeIfPresent(clockOffset, forKey: .clockOffset)
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
        refreshRequests = try container.decodeIfPresent(Int.self, forKey: .refreshRequests)
        doubted = try container.decodeIfPresent(Date.self, forKey: .doubted)
        end = try container.decodeIfPresent(SignedOutReason.self, forKey: .end)
        issued = try container.decodeIfPresent(Date.self, forKey: .issued)
        clockOffset = try container.decodeIfPresent(Double.self, forKey: .clockOffset)
    }
}
extension TokenRecord: Equatable where Value: Equatable {}
extension TokenRecord: Hashable where Value: Hashable {}
