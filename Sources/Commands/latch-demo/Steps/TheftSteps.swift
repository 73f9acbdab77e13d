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
        DemoStep(code: "other-device", name: "the other device does not notice", play: otherDevice),
        DemoStep(code: "reset", name: "a password reset by mail ends all sessions", play: reset),
    ]

    /// Uses a token that has been replaced, as a thief would who copied it earlier.
    ///
    /// The server cannot tell the thief from the owner, so both lose the session (RFC 9700 §4.14.2), and the honest one logs
    /// in again.
    ///
    /// `familiesRevoked` must rise by one and no more: a second count would be the honest device taken for a second
    /// thief.
    private static func theft(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let phone = try stage.requirePhone()
        let copied = try await phone.session.credential()
        // The owner goes on, so that the copy is old when it is used.
        for _ in 0..<2 { _ = try await phone.session.refreshed(replacing: try await phone.session.credential()) }
        let thief = stage.client(holding: copied)
        let before = try await stage.metrics()
        let error = try await refusal("a refresh token that was used before") {
            _ = try await thief.session.refreshed(replacing: copied)
        }
        guard case AuthError.reauthenticationRequired = error else { throw error }
        let revoked = try await stage.metrics().revoked - before.revoked
        try expect(revoked == 1, "the server ended \(DemoReport.counted(revoked, "family", plural: "families"))")
        let end = try await refusal("the stolen family") { _ = try await phone.profile() }
        guard case AuthError.reauthenticationRequired = end else { throw end }
        try expect(phone.session.currentState == .signedOut(.issuer), "the device does not know that it is signed out")
        return .init("refused; the device has to sign in again and knows why", ["familiesRevoked": 1])
    }

    /// The other device has a family of its own, which the theft must not touch.
    ///
    /// The first device signs in again at the end, since later steps need both.
    private static func otherDevice(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let laptop = try stage.requireLaptop()
        try await laptop.http.perform(.get("user/profile"))
        stage.calls += 1
        guard let before = laptop.tokens else { throw DemoFailure("the second device has no tokens") }
        let renewed = try await laptop.session.refreshed(replacing: before)
        try expect(renewed.accessToken == laptop.tokens?.accessToken, "the second device holds another token")
        let tokens = try await stage.requirePhone().signIn(email: stage.email, password: stage.password)
        try expect(tokens.refresh != nil, "the first device got no refresh token")
        return .init("it calls and renews; the first one signs in anew")
    }

    /// Resets the password by the mail, and finds every session ended and the old password worthless.
    ///
    /// It asks for a stranger's address as well, whose answer must be the same.
    private static func reset(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let (phone, laptop) = (try stage.requirePhone(), try stage.requireLaptop())
        let response = try await laptop.requestPasswordReset(email: stage.email)
        let responseForStranger = try await laptop.requestPasswordReset(email: "nobody@example.com")
        try expect(response == responseForStranger, "the response discloses who has an account")
        let mails = MailFolder(path: stage.folder.path("mails"))
        let token = try await mails.token(subject: "Reset your password", to: stage.email)
        let old = stage.password
        stage.password = "another horse leaves the library"
        try await phone.resetPassword(token: token, newPassword: stage.password)
        let phoneEnd = try await refusal("a session from before the reset") { _ = try await phone.profile() }
        guard case AuthError.reauthenticationRequired = phoneEnd else { throw phoneEnd }
        let laptopEnd = try await refusal("a session from before the reset") {
            try await laptop.http.perform(.get("user/profile"))
        }
        guard case AuthError.reauthenticationRequired = laptopEnd else { throw laptopEnd }
        let email = stage.email
        let error = try await refusal("the old password") { try await phone.signIn(email: email, password: old) }
        guard case AccountError.wrongCredentials = error else { throw error }
        try await phone.signIn(email: email, password: stage.password)
        return .init("both devices are out, only the new password opens")
    }
}
