// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchCrypto
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct RefreshTokenTests {
    private let pepper = SymmetricKey(data: Array(repeating: 9, count: 32))

    private func device(_ number: UInt8 = 1) throws -> Device { .example(number, of: try Account.example()) }

    @Test(arguments: [0, 1, 255, 65_536, UInt32.max])
    func `A refresh token comes back from its text`(counter: UInt32) throws {
        let token = RefreshTokenKey(of: try device(), pepper: pepper).token(counter: counter)
        let read = try #require(RefreshToken(token.text))
        expectEqual(read, token)
        expectEqual(read.counter, counter)
        #expect(RefreshTokenKey(of: try device(), pepper: pepper).isAuthentic(read))
    }

    @Test func `A refresh token has one text for one generation, so that it can be given again`() throws {
        let texts = try (0..<3).map { _ in RefreshTokenKey(of: try device(), pepper: pepper).token(counter: 7).text }
        expectEqual(Set(texts).count, 1)
        #expect(texts[0].hasPrefix("lr1."))
        expectEqual(texts[0].utf8.count, 74)
    }

    @Test func `A refresh token is authentic only for its device, its generation, its secret and this server`() throws {
        let token = try #require(RefreshToken(RefreshTokenKey(of: try device(), pepper: pepper).token(counter: 7).text))
        #expect(try !RefreshTokenKey(of: device(2), pepper: pepper).isAuthentic(token))
        #expect(try !RefreshTokenKey(of: device(), pepper: SymmetricKey(data: [1, 2, 3])).isAuthentic(token))
        let original = try device()
        let resecreted = Device(
            id: original.id, accountID: original.accountID, secret: Array(repeating: 8, count: 32),
            createdAt: noon, lastUsedAt: noon, expiresAt: noon, userAgent: nil, address: nil)
        #expect(!RefreshTokenKey(of: resecreted, pepper: pepper).isAuthentic(token))
    }

    @Test func `A refresh token does not pass for a later generation`() throws {
        let old = RefreshTokenKey(of: try device(), pepper: pepper).token(counter: 1)
        let new = RefreshTokenKey(of: try device(), pepper: pepper).token(counter: 2)
        // The generation of one with the code of the other.
        let forged = String(new.text.prefix(31)) + String(old.text.dropFirst(31))
        let read = try #require(RefreshToken(forged))
        #expect(try !RefreshTokenKey(of: device(), pepper: pepper).isAuthentic(read))
    }

    @Test(.tags(.silentTokens)) func `A refresh token does not print`() throws {
        let token = RefreshTokenKey(of: try device(), pepper: pepper).token(counter: 1)
        var dumped = ""
        dump(token, to: &dumped)
        #expect(!"\(token) \(dumped)".contains(token.text.dropFirst(31)))
        expectEqual("\(token)", "RefreshToken(redacted)")
    }
}
