// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import LatchIdentity
import LatchTesting

package struct AuthenticatorApp: Sendable {
    package let secret: [UInt8]
    package let recoveryCodes: [String]

    package init(_ setup: SecondFactorService.Setup) {
        secret = Base32.decode(setup.secret) ?? []
        recoveryCodes = setup.recoveryCodes
    }

    package func code(at date: Date, offset: Int64 = 0) -> String {
        TOTP.code(secret, at: TOTP.step(of: date) + offset)
    }

    /// Whether the codes of the steps around a date, and of the next ones, differ.
    package func hasDifferentCodes(from date: Date) -> Bool {
        let steps = Int64(-1)...14
        return Set(steps.map { code(at: date, offset: $0) }).count == steps.count
    }

    /// A code that is none of the three of this time, nor of the next steps.
    package func wrongCode(at date: Date) -> String {
        let right = (Int64(-1)...6).map { code(at: date, offset: $0) }
        return (0...8).map { "00000\($0)" }.first { !right.contains($0) } ?? "000009"
    }
}

extension Site {
    package var signIns: SignInService { identity.services.signIns }
    package var tokens: TokenService { identity.services.tokens }

    package func bearer(_ access: String) async throws -> AuthenticatedSession {
        try await tokens.authenticate(accessToken: access)
    }

    /// Signs the account up, and in, and gives it a second factor; the next step has begun then.
    package func enrol(_ email: String = "ada@example.com") async throws -> (app: AuthenticatorApp, access: String) {
        try await signUp(email)
        let access = try await logIn(email).access
        return (try await enrol(with: access), access)
    }

    /// Gives the account of a session a second factor; the next step has begun then.
    package func enrol(with access: String) async throws -> AuthenticatorApp {
        let bearer = try await bearer(access)
        var app: AuthenticatorApp
        // By chance two steps may have one code.
        repeat {
            app = AuthenticatorApp(try await identity.secondFactors.enroll(bearer))
        } while !app.hasDifferentCodes(
            from: clock.now)
        try await identity.secondFactors.confirm(app.code(at: clock.now), bearer, from: .tests)
        clock.advance(by: 30)
        return app
    }

    package func begin(
        _ email: String = "ada@example.com", password: String = Site.password, isRemembered: Bool = true
    ) async throws -> SignInResult<IssuedTokens> {
        try await signIns.beginSignIn(name: email, password: password, isRemembered: isRemembered, from: .tests)
    }

    /// The challenge of a login that needs the second factor.
    package func challenge(_ email: String = "ada@example.com") async throws -> String {
        guard case .challenged(let text, _) = try await begin(email) else { throw IdentityError.invalidGrant }
        return text
    }

    package func complete(_ challenge: String, _ code: String) async throws -> IssuedTokens {
        try await signIns.finishSignIn(challenge: challenge, code: code, from: .tests)
    }
}

extension Site {
    /// The number of unused recovery codes, read from the file.
    package func recoveryCodeCount(of accountID: String) throws -> Int {
        try SQLiteConnection(path: folder.file(), access: .readOnly).number(
            "SELECT count(*) FROM recovery_code WHERE account_id = ? AND is_confirmed = 1", [.text(accountID)])
    }
}

extension RequestOrigin {
    package static let tests = RequestOrigin(address: "127.0.0.1", userAgent: "tests/1")
}

/// The code of what a body throws; nil where it throws nothing.
package func refusal(_ body: () async throws -> some Any) async -> String? { await failure(body)?.code }

/// Returns the error of a body; nil if it throws none.
package func failure(_ body: () async throws -> some Any) async -> IdentityError? {
    do {
        _ = try await body()
        return nil
    } catch let error as IdentityError {
        return error
    } catch {
        return IdentityError(code: "\(error)", message: "something else was thrown")
    }
}
