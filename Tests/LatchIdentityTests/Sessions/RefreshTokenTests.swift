// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchCrypto
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct `A refresh token` {
    private let pepper = SymmetricKey(data: Array(repeating: 9, count: 32))

    private func device(_ number: UInt8 = 1) throws -> Device { .example(number, of: try Account.example()) }

    @Test(arguments: [0, 1, 255, 65_536, UInt32.max])
    func `comes back from its text`(counter: UInt32) throws {
        let token = RefreshToken(of: try device(), counter: counter, pepper: pepper)
        let read = try #require(RefreshToken(token.text))
        #expect(read == token)
        #expect(read.counter == counter)
        #expect(read.isAuthentic(for: try device(), pepper: pepper))
    }

    @Test func `has one text for one generation, so that it can be given again`() throws {
        let texts = try (0..<3).map { _ in RefreshToken(of: try device(), counter: 7, pepper: pepper).text }
        #expect(Set(texts).count == 1)
        #expect(texts[0].hasPrefix("lr1."))
        #expect(texts[0].utf8.count == 74)
    }

    @Test func `is authentic for its device, its generation, its secret and this server alone`() throws {
        let token = try #require(RefreshToken(RefreshToken(of: try device(), counter: 7, pepper: pepper).text))
        #expect(try !token.isAuthentic(for: device(2), pepper: pepper))
        #expect(try !token.isAuthentic(for: device(), pepper: SymmetricKey(data: [1, 2, 3])))
        let original = try device()
        let resecreted = Device(
            id: original.id, accountID: original.accountID, secret: Array(repeating: 8, count: 32),
            createdAt: noon, lastUsedAt: noon, expiresAt: noon, userAgent: nil, address: nil)
        #expect(!token.isAuthentic(for: resecreted, pepper: pepper))
    }

    @Test func `does not pass for a later generation`() throws {
        let old = RefreshToken(of: try device(), counter: 1, pepper: pepper)
        let new = RefreshToken(of: try device(), counter: 2, pepper: pepper)
        // The generation of one with the code of the other.
        let forged = String(new.text.prefix(31)) + String(old.text.dropFirst(31))
        let read = try #require(RefreshToken(forged))
        #expect(try !read.isAuthentic(for: device(), pepper: pepper))
    }

    @Test(.tags(.p12)) func `does not print`() throws {
        let token = RefreshToken(of: try device(), counter: 1, pepper: pepper)
        var dumped = ""
        dump(token, to: &dumped)
        #expect(!"\(token) \(dumped)".contains(token.text.dropFirst(31)))
        #expect("\(token)" == "RefreshToken(redacted)")
    }
}
