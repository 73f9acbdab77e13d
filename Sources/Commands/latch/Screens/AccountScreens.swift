// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchAuth
import LatchCommand
import LatchHTTP
import LatchTexts
import LatchUI

/// The screens of an issuer's accounts on a terminal, for users who are not signed in.
struct AccountScreens: Sendable {
    let console: ScreenConsole
    private let client: AuthClient

    init(_ accounts: ClientAccounts, _ environment: Environment, _ issuer: IssuerURL) {
        console = ScreenConsole(environment, server: issuer.origin.description)
        client = accounts.openClient(of: issuer)
    }

    /// Lets the user create an account.
    ///
    /// - Returns: The address; nil if the user already has an account, with the address as typed so far.
    /// - Throws: `CommandError.failed` if the user leaves the screen.
    func register(
        email: String, name: String = "", acceptedTerms: String? = nil
    ) async throws -> (created: String?, typed: String) {
        var registration = RegistrationScreen(email: email)
        registration.fields.set(name, of: .name)
        let perform = RegistrationScreen.requests(to: client)
        var screen = TerminalScreen(registration, on: console) { request in
            switch request {
            case .signUp(let name, let email, let password, _, _):
                try await perform(.signUp(name: name, email: email, password: password, acceptedTerms: acceptedTerms))
            }
        }
        switch try await screen.run() {
        case .registered(let email): return (email, email)
        case .signIn(let email): return (nil, email)
        case .cancelled: throw console.cancelled
        }
    }

    /// Lets the user confirm the address of a new account with the mailed link or the code beside it, now or
    /// later.
    ///
    /// - Returns: Whether it is confirmed.
    func verify(email: String) async throws -> Bool {
        let perform = EmailVerificationScreen.requests(to: client)
        var screen = TerminalScreen(
            EmailVerificationScreen(email: email), on: console, awaiting: .verifyEmail
        ) { [client, console] request in
            guard case .verify(let token, let password) = request, token.value.isMailedCode else {
                return try await perform(request)
            }
            do {
                let result = try await client.verifyEmail(code: token.value, of: email, password: password?.value)
                return .verified(email: result.email, isChangePending: result.isChangePending)
            } catch AccountError.wrongMailedCode {
                console.line(.wrongMailedCode)
                return .waiting
            }
        }
        console.line(Phrase("page.verify.byCode"))
        return switch try await screen.run() {
        // The sign-in checks whether this is true.
        case .verified, .signIn, .signedIn: true
        case .later: false
        }
    }

    /// Lets the user set a new password with a mailed link.
    ///
    /// - Returns: The address of the account.
    /// - Throws: `CommandError.failed` if the user leaves the screen.
    func resetPassword(email: String) async throws -> String {
        var screen = TerminalScreen(
            PasswordResetScreen(email: email), on: console, awaiting: .resetPassword,
            perform: PasswordResetScreen.requests(to: client))
        switch try await screen.run() {
        case .signIn(let email): return email
        case .signedIn: return email
        case .cancelled: throw console.cancelled
        }
    }
}

extension ClientAccounts {
    /// Returns a client of an issuer's routes for signed-out users, which stores nothing.
    func openClient(of issuer: IssuerURL) -> AuthClient {
        AuthClient(
            baseURL: issuer.url, store: InMemoryTokenStore<Tokens>(), transport: transport, timeout: .seconds(60))
    }
}
