// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityStorage
package import LatchServer

/// The routes on which apps verify the phone number of a user.
package struct PhoneRoutes: Sendable {
    package let limits: RateLimits
    package let accounts: AccountService
    package let phones: PhoneService
    package let tokens: TokenService

    package init(limits: RateLimits, accounts: AccountService, phones: PhoneService, tokens: TokenService) {
        self.limits = limits
        self.accounts = accounts
        self.phones = phones
        self.tokens = tokens
    }

    package func add(to router: inout Router) {
        router.group(interceptors: limits.limiting(.link)) { phone in
            phone.post("/api/auth/phone", .setPhone, begin)
            phone.post("/api/auth/phone/verify", .verifyPhone, verify)
            phone.delete("/api/auth/phone", .deletePhone, remove)
        }
    }

    /// Sends a code, and returns 202 with the challenge.
    @Sendable private func begin(_ request: HTTPRequest) async throws -> HTTPResponse {
        let session = try await tokens.authenticate(request)
        let challenge = try await phones.begin(
            try request.jsonObject().text("phone"), for: session, from: request.requestOrigin)
        return .json(
            ["challenge": .string(challenge), "expiresIn": .integer(Int64(AddressChallenge.lifetime))],
            status: .accepted)
    }

    /// Verifies the number by the code, and returns the account.
    @Sendable private func verify(_ request: HTTPRequest) async throws -> HTTPResponse {
        let session = try await tokens.authenticate(request)
        let body = try request.jsonObject()
        let account = try await phones.verify(
            try body.text("code"), of: try body.text("challenge"), for: session)
        return .json(account.json(by: accounts.attributes))
    }

    @Sendable private func remove(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await phones.remove(for: try await tokens.authenticate(request))
        return HTTPResponse(status: .noContent, fields: [.cacheControl: "no-store"])
    }
}
