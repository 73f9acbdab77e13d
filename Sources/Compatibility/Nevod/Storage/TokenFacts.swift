// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCrypto

/// The facts of a token's record, and the fingerprint of the token that they describe.
struct TokenFacts: Codable, Equatable {
    /// The SHA-256 digest of the token's bytes in Base64; nil if the facts describe the absence of a token.
    let fingerprint: String?
    /// The identifier of the sign-in; see `TokenRecord.sessionID`.
    var sessionID: String?
    /// The key of the refresh that has begun; see `TokenRecord.refreshKey`.
    var refreshKey: String?
    /// The resource of the refresh that has begun; see `TokenRecord.refreshTarget`.
    var refreshTarget: TokenTarget?
    /// The number of requests for that resource; see `TokenRecord.refreshRequests`.
    var refreshRequests: Int?
    /// The date of a refusal that may come from a gateway; see `TokenRecord.doubted`.
    var doubted: Date?
    /// The reason for a missing credential; see `TokenRecord.end`.
    var end: SignedOutReason?
    /// The date of issue; see `TokenRecord.issued`.
    var issued: Date?
    /// The offset of the issuer's clock; see `TokenRecord.clockOffset`.
    var clockOffset: Double?

    /// Creates the facts of a record.
    init<Token>(_ record: TokenRecord<TokenCredential<Token>>) {
        fingerprint = Self.fingerprint(of: record.credential?.record)
        sessionID = record.sessionID
        refreshKey = record.refreshKey
        refreshTarget = record.refreshTarget
        refreshRequests = record.refreshRequests
        doubted = record.doubted
        clockOffset = record.clockOffset
        end = record.end
        issued = record.issued
    }

    /// Creates the facts of a token that earlier versions stored without facts.
    ///
    /// The bytes identify the sign-in, so all processes compute the same identifier. The next refresh stores it.
    init(ofUndescribed bytes: Data?) {
        fingerprint = Self.fingerprint(of: bytes)
        sessionID = fingerprint
    }

    /// Returns the record of a credential with these facts.
    func record<Token>(of credential: TokenCredential<Token>) -> TokenRecord<TokenCredential<Token>> {
        var record = TokenRecord(
            credential: end == nil ? credential : nil, sessionID: sessionID, end: end, issued: issued)
        (record.refreshKey, record.refreshTarget) = (refreshKey, refreshTarget)
        (record.refreshRequests, record.doubted, record.clockOffset) = (refreshRequests, doubted, clockOffset)
        return record
    }

    /// Returns the fingerprint of a token; nil for the absence of a token.
    static func fingerprint(of bytes: Data?) -> String? {
        bytes.map { Data(SHA256.hash(data: $0)).base64EncodedString() }
    }
}
