// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import Testing

@testable import LatchUI

/// The routes as an app stores them.
@Suite struct AuthRouteTests {
    /// Routes as an enum, whose form Swift has made for the paths that apps have stored already.
    private enum Earlier: Hashable, Codable {
        case signIn(email: String)
        case verification(EmailVerificationScreen)
        case passwordReset(PasswordResetScreen)
        case accounts
        case custom(String, email: String? = nil)
    }

    private static let pairs: [(Earlier, AuthRoute)] = [
        (.signIn(email: ""), .signIn(email: "")),
        (.signIn(email: "ada@example.com"), .signIn(email: "ada@example.com")),
        (.verification(waiting), .verification(waiting)),
        (.passwordReset(reset), .passwordReset(reset)),
        (.accounts, .accounts),
        (.custom("plan"), .custom("plan")),
        (.custom("plan", email: "ada@example.com"), .custom("plan", email: "ada@example.com")),
    ]
    private static let waiting = EmailVerificationScreen(email: "ada@example.com", isSent: false)
    private static let reset = PasswordResetScreen(email: "ada@example.com")

    @Test(arguments: pairs.indices) func `A stored route has the form of earlier versions`(index: Int) throws {
        let (earlier, route) = Self.pairs[index]
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let stored = try encoder.encode(earlier)
        try expectEqual(encoder.encode(route), stored)
        try expectEqual(JSONDecoder().decode(AuthRoute.self, from: stored), route)
    }

    @Test(arguments: AuthRoute.Kind.allCases) func `A stored route leads to each screen`(kind: AuthRoute.Kind) throws {
        let stored = try JSONEncoder().encode(kind.route)
        try expectEqual(JSONDecoder().decode(AuthRoute.self, from: stored), kind.route)
    }

    @Test(arguments: [
        "{}", #"{"attic":{}}"#, #"{"accounts":{},"profile":{}}"#, #"{"custom":{}}"#, #"{"verification":{}}"#,
    ])
    func `A stored route of no screen of this version is an error`(stored: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(AuthRoute.self, from: Data(stored.utf8))
        }
    }

    @Test func `A stored route is printed without the address`() {
        for kind in AuthRoute.Kind.allCases { #expect(!"\(kind.route)".contains("@")) }
        expectEqual("\(AuthRoute.custom("plan", email: "ada@example.com"))", "custom(plan)")
    }
}
