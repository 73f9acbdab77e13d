// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchJOSE
import LatchTesting
import TestSupport

extension ScriptedProvider {
    /// Returns a valid logout token (OpenID Connect Back-Channel Logout §2.4), changed by `change`.
    func logoutToken(
        type: String? = "logout+jwt", id: String = "j1", signedBy key: Key? = nil,
        _ change: (inout Claims) -> Void = { _ in }
    ) throws -> String {
        var claims: Claims = ["sub": "ada", "sid": "s1", "jti": .string(id)]
        claims.issuer = Self.issuer.absoluteString
        claims.audience = ["notes"]
        claims.issuedAt = clock.now
        claims.expiry = clock.now.addingTimeInterval(120)
        claims["events"] = ["http://schemas.openid.net/event/backchannel-logout": [:]]
        change(&claims)
        return try JWT.sign(claims, with: key ?? self.key, type: type)
    }
}
