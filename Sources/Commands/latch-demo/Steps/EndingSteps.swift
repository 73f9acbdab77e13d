// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchAuth
import LatchCore

/// The steps that end a session and a server.
enum EndingSteps {
    /// The steps in order; the first two need a running server.
    static let all: [DemoStep] = [
        DemoStep(code: "sign-out", name: "sign-out during a refresh", play: signOut),
        DemoStep(code: "revoked", name: "the server has revoked the device too", play: revoked),
        DemoStep(code: "terminate", name: "SIGTERM: the server ends with exit 0", play: terminate),
    ]

    /// Signs out during a refresh, and checks the file before and after the refresh has ended.
    ///
    /// The order of the two is left open on purpose: in either order, no tokens may remain.
    private static func signOut(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let phone = try stage.requirePhone()
        let tokens = try await phone.session.credential()
        let refresh = Task { try await phone.session.refreshed(replacing: tokens) }
        let confirmed = try await phone.signOut()
        try expect(phone.session.currentState == .signedOut(.user), "the device does not count as signed out")
        try expect(try await stage.tokenFile.load() == nil, "tokens are left in the file")
        // Whatever the result of the refresh is, it must not restore the session.
        let result = await refresh.result
        try expect(phone.session.currentState == .signedOut(.user), "a late refresh signed the user in again")
        try expect(try await stage.tokenFile.load() == nil, "a late refresh left tokens in the file")
        try await expect(AuthError.missingToken, from: "a call after the sign-out") { _ = try await phone.profile() }
        try expect(confirmed, "the server did not confirm")
        let ending = if case .success = result { "came first" } else { "was dropped" }
        return .init("nothing is left in the file; the refresh \(ending)")
    }

    /// Presents a copy of the tokens of a device that has signed out.
    ///
    /// The access token has not expired, so the server must check the device and not only the signature.
    private static func revoked(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let phone = try stage.requirePhone()
        let tokens = try await phone.signIn(email: stage.email, password: stage.password)
        try await phone.signOut()
        let before = try await stage.metrics()
        let copy = stage.client(holding: tokens)
        try await expect(AuthError.reauthenticationRequired, from: "the tokens of a device that signed out") {
            _ = try await copy.profile()
        }
        let refreshes = try await stage.metrics().refreshes - before.refreshes
        try expect(refreshes == 0, "the server refreshed for a device that signed out")
        return .init("a copy of its tokens is refused, expired or not")
    }

    /// Reads the exit code, and all of the server's standard error: the kills must not have left problems.
    ///
    /// The grace period must not be used up. No request is open anymore, so a server that waited would be a defect.
    private static func terminate(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let code = await stage.server.terminate()
        try expect(code == 0, code.map { "the server ended with exit \($0)" } ?? "a signal ended the server")
        let log = stage.folder.text("server.log").split(separator: "\n")
        let unexpected = log.filter { !$0.contains("have been read again") }
        try expect(unexpected.isEmpty, "the server complained: \(unexpected.joined(separator: " / "))")
        return .init("its log holds no warning and no error", ["exitCode": 0])
    }
}
