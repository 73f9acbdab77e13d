// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

/// The stored record of one account: the credential, and the facts about it that several processes share.
package struct TokenRecord<Value: Sendable>: Sendable {
    /// The credential; nil if the session has ended.
    package var credential: Value?

    /// The identifier of the sign-in that the credential comes from, which stays the same through all refreshes.
    ///
    /// It distinguishes another process's refresh from another user's sign-in. Nil if the store does not keep it.
    package var sessionID: String?

    /// The key of an unfinished refresh of this credential, which is stored before the request.
    ///
    /// A request uses up the refresh token. After a crash, a process that finds the key sends it again. An issuer that
    /// recognizes the key returns the same successor again.
    package var refreshKey: String?

    /// The resource that the refresh of `refreshKey` is for; nil for the session's own access token.
    package var refreshTarget: TokenTarget?

    /// The number of requests under `refreshKey` for a resource; nil for the session's own access token.
    package var refreshRequests: Int?

    /// The date by this device's clock when a refresh of this credential was first refused, perhaps by a gateway.
    package var doubted: Date?

    /// The reason why the session has ended; nil if the record has a credential.
    package var end: SignedOutReason?

    /// The date of issue by the issuer's clock, if the credential itself does not state it.
    ///
    /// Without it, a program that starts late would mistake the remaining lifetime for the whole one.
    package var issued: Date?

    /// The issuer's clock minus this device's, in seconds, according to the response with this credential.
    ///
    /// Without it, each start of a program on a device with a wrong clock would cause a refresh.
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

    /// Copies the unfinished refresh from another record; does nothing for nil.
    mutating func keepRefresh(of record: TokenRecord?) {
        (refreshKey, refreshTarget) = (record?.refreshKey, record?.refreshTarget)
        (refreshRequests, doubted) = (record?.refreshRequests, record?.doubted)
    }

    /// The version of the format; a format that older programs cannot use would have a higher number.
    private static var version: Int { 1 }

    private enum CodingKeys: String, CodingKey {
        case version, credential, refreshKey, refreshTarget, refreshRequests, doubted, end, clockOffset
        case sessionID = "signIn"
        case issued = "handedOut"
    }
}

extension TokenRecord: Encodable where Value: Encodable {
    /// Encodes the record without a version, as before versions were introduced.
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
    /// - Throws: `AuthError.storeNewer` for an unknown version, which must not be replaced like a damaged record.
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
