// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAuth

/// A session's record as one text in a keychain client.
struct KeychainRecords: TokenRecordStore {
    let keychain: KeychainClient

    var coordination: (any SessionCoordination)? { keychain.coordination }

    func save(_ tokens: AuthTokens) async throws { try await save(record: TokenRecord(credential: tokens)) }

    func load() async throws -> AuthTokens? { try await loadRecord()?.credential }

    /// One write, before which nothing was taken away; a pair of the earlier layout goes once the record is there.
    func save(record: TokenRecord<AuthTokens>) async throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        let isFirst = try await keychain.load(.session) == nil
        try await keychain.save(String(decoding: encoder.encode(record), as: UTF8.self), as: .session)
        if isFirst { try await deletePair() }
    }

    /// The record, or the pair of the earlier layout; a half of one is none, and is removed.
    func loadRecord() async throws -> TokenRecord<AuthTokens>? {
        if let record = try await kept() { return record }
        switch (try await keychain.load(.accessToken), try await keychain.load(.refreshToken)) {
        case (let access?, let refresh?):
            return TokenRecord(credential: AuthTokens(access: access, refresh: refresh))
        case (nil, nil): return nil
        default:
            try await deletePair()
            return nil
        }
    }

    /// The pair goes first: whatever breaks this off, what is left is not an account that was signed out.
    func clear() async throws {
        try await deletePair()
        try await keychain.delete(.session)
    }

    private func deletePair() async throws {
        try await keychain.delete(.accessToken)
        try await keychain.delete(.refreshToken)
    }

    /// The record where there is one.
    ///
    /// - Throws: `AuthError.storeCorrupt` where it is none.
    func kept() async throws -> TokenRecord<AuthTokens>? {
        guard let text = try await keychain.load(.session) else { return nil }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        do {
            return try decoder.decode(TokenRecord<AuthTokens>.self, from: Data(text.utf8))
        } catch {
            // The decoding error may quote the record: only its kind is told.
            throw AuthError.storeCorrupt
        }
    }
}
