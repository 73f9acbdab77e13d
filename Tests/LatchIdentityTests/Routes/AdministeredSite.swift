// SPDX-License-Identifier: Apache-2.0

import IdentityTestSupport
import LatchHTTP
import LatchIdentityStorage
import Testing

@testable import LatchIdentity

extension Site {
    /// The super administrator of ``administered(_:)``.
    static let root = "root@example.com"

    /// Returns a site with a super administrator, whose limits the requests of a test do not reach.
    static func administered(
        upstream: any Handler = Transport.live, _ change: (inout IdentityConfiguration) -> Void = { _ in }
    ) async throws -> Site {
        let site = try await Site(upstream: upstream) {
            $0.tokenLimitPerMinute = 10_000
            $0.requestLimitPerMinute = 10_000
            $0.loginLimitPerMinute = 10_000
            $0.mailLimitPerHour = 10_000
            change(&$0)
        }
        try await site.signUp(root, .superAdmin)
        return site
    }

    /// Creates an account with a role.
    @discardableResult
    func signUp(_ email: String, _ role: Role) async throws -> Account {
        let account = try await signUp(email)
        _ = try await identity.administration.setRole(of: account.id, to: role)
        return account
    }

    /// Returns an API key of an administrator.
    func key(
        _ scopes: [AdministrationScope], of email: String = root, lifetime: Int = 3600
    ) async throws -> String {
        let account = try #require(try await identity.services.store.account(emailKey: email))
        return try await identity.apiKeys.make(
            "test", scopes: scopes.map(\.rawValue), lifetime: lifetime, for: account, by: nil, causedBy: MailCause()
        ).text
    }
}
