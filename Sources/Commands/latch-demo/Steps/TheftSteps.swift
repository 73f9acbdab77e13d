// SPDX-License-Identifier: Apache-2.0

import AuthPackage
import LatchAccounts
import LatchAuth
import LatchCore
import LatchHTTP

/// The steps of a stolen token and a password reset.
enum TheftSteps {
    /// The steps in their order: a copied token, the other device, and the reset.
    static let all: [DemoStep] = [
        DemoStep(code: "theft", name: "a copied refresh token ends its family", play: theft),
        DemoStep(code: "other-device", name: "the other device is not affected", play: otherDevice),
        DemoStep(code: "reset", name: "a password reset by email ends all sessions", play: reset),
    ]

    /// Uses a token that was replaced, like an attacker with an earlier copy.
    ///
    /// The server cannot distinguish the two, so both lose the session (RFC 9700 §4.14.2), and the owner signs in
    /// again. `familiesRevoked` must rise only by one: two would mean that the owner's use also counted.
    private static func theft(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let phone = try stage.requirePhone()
        let copied = try await phone.session.credential()
        // The owner refreshes, so that the copy is outdated when the thief uses it.
        for _ in 0..<2 { _ = try await phone.session.refreshed(replacing: try await phone.session.credential()) }
        let thief = stage.client(holding: copied)
        let before = try await stage.metrics()
        try await expect(AuthError.reauthenticationRequired, from: "a refresh token that was used before") {
            _ = try await thief.session.refreshed(replacing: copied)
        }
        let revoked = try await stage.metrics().revoked - before.revoked
        try expect(revoked == 1, "the server revoked \(DemoReport.counted(revoked, "family", plural: "families"))")
        try await expect(AuthError.reauthenticationRequired, from: "the stolen family") {
            _ = try await phone.profile()
        }
        try expect(phone.session.currentState == .signedOut(.issuer), "the device does not count as signed out")
        return .init("refused; the device has to sign in again and reports why", ["familiesRevoked": 1])
    }

    /// Checks that the other device, which has a separate family, is not affected by the theft.
    ///
    /// The first device signs in again at the end, because later steps need both.
    private static func otherDevice(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let laptop = try stage.requireLaptop()
        try await laptop.http.perform(.get("user/profile"))
        stage.calls += 1
        let before = try require(laptop.tokens, "the second device has no tokens")
        let refreshed = try await laptop.session.refreshed(replacing: before)
        try expect(refreshed.accessToken == laptop.tokens?.accessToken, "the second device holds another token")
        let tokens = try await stage.requirePhone().signIn(email: stage.email, password: stage.password)
        try expect(tokens.refresh != nil, "the first device has no refresh token")
        return .init("it calls and refreshes; the first one signs in again")
    }

    /// Resets the password by email, which ends every session and invalidates the old password.
    ///
    /// A reset for an unknown address must get the same response.
    private static func reset(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let (phone, laptop) = (try stage.requirePhone(), try stage.requireLaptop())
        let response = try await laptop.requestPasswordReset(email: stage.email)
        let unknown = try await laptop.requestPasswordReset(email: "nobody@example.com")
        try expect(response == unknown, "the response discloses who has an account")
        let token = try await stage.mails.token(subject: "Reset your password", to: stage.email)
        let old = stage.password
        stage.password = "another horse leaves the library"
        try await phone.resetPassword(token: token, newPassword: stage.password)
        try await expect(AuthError.reauthenticationRequired, from: "a session from before the reset") {
            _ = try await phone.profile()
        }
        try await expect(AuthError.reauthenticationRequired, from: "a session from before the reset") {
            try await laptop.http.perform(.get("user/profile"))
        }
        let email = stage.email
        try await expect(AccountError.wrongCredentials, from: "the old password") {
            try await phone.signIn(email: email, password: old)
        }
        try await phone.signIn(email: email, password: stage.password)
        return .init("both devices are signed out, only the new password is accepted")
    }
}
