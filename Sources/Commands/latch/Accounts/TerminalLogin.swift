// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchAuth
import LatchCommand
import LatchCore
import LatchFoundation
import LatchOAuth
import LatchUI
import Synchronization

/// Sign-ins with a password on a terminal, with the screens of an app.
extension Login {
    /// Lets the user sign in; they can first create an account or choose a new password.
    ///
    /// After an error, the account's earlier session is unchanged.
    func runOnTerminal(
        _ known: AccountEntry?, _ issuer: IssuerURL, _ content: AccountList.Content, ways: SignInWays
    ) async throws -> ExitCode {
        var name = try username(known) ?? ""
        let codeClient = accounts.openClient(of: issuer)
        let work = PasswordSignIn(try accounts.endpoint(of: issuer.text), codeClient, try scopes() ?? [])
        let usesCode = invocation.has(LoginSubcommand.code) || (!ways.hasPassword && offersCode(ways))
        guard usesCode || ways.hasPassword else {
            throw CommandError.failed(
                "\(issuer.text) does not sign in with passwords.", hint: "Add '--browser' or '--device'.")
        }
        let screens = AccountScreens(accounts, environment, issuer)
        var options = SignInScreen.Options()
        options.acceptsUsername = true
        options.isDismissible = true
        options.offersCode = usesCode || offersCode(ways)
        options.offersPassword = ways.hasPassword
        options.offersRegistration = ways.hasSignUp
        while true {
            var signIn = SignInScreen(name: name, options: options)
            if usesCode { _ = signIn.press(.mailedCode) }
            var screen = TerminalScreen(signIn, on: screens.console, perform: work.perform)
            switch try await screen.run() {
            case .signedIn:
                guard let signedIn = work.result else { throw OAuthError.invalidResponse }
                return try await finish(
                    signedIn.response, as: signedIn.name, issuer: issuer.text, username: signedIn.name,
                    userID: signedIn.response.userID, content)
            case .registration(let email):
                let account = try await screens.register(email: email)
                if let created = account.created { _ = try await screens.verify(email: created) }
                name = account.typed
            case .verification(let email):
                _ = try await screens.verify(email: email)
                name = email
            case .passwordReset(let email): name = try await screens.resetPassword(email: email)
            // The screen offers no other accounts here.
            case .accounts, .cancelled: throw screens.console.cancelled
            }
        }
    }
}

/// The requests of a sign-in screen as password grants, because those can name scopes, and as mailed codes.
private final class PasswordSignIn: Sendable {
    private struct State {
        /// The grant with the right password that still lacks a code.
        var unfinished: PasswordGrant?
        var result: (name: String, response: TokenResponse)?
    }

    private let endpoint: TokenEndpoint
    /// The client for mailed codes, which stores nothing.
    private let client: AuthClient
    private let scopes: Scopes
    private let state = Mutex(State())

    init(_ endpoint: TokenEndpoint, _ client: AuthClient, _ scopes: Scopes) {
        self.endpoint = endpoint
        self.client = client
        self.scopes = scopes
    }

    /// The user name and the tokens; nil before the sign-in.
    var result: (name: String, response: TokenResponse)? { state.withLock { $0.result } }

    @Sendable func perform(_ request: SignInScreen.Request) async throws -> SignInScreen.Response {
        let finished = state.withLock { state in
            defer { state.unfinished = nil }
            return state.unfinished
        }
        switch request {
        case .signIn(let name, let password, _):
            let grant = PasswordGrant(username: name, password: password.value, scopes: scopes)
            do {
                let response = try await endpoint.tokens(for: grant)
                state.withLock { $0.result = (name, response) }
                return .signedIn
            } catch let error as OAuthError where error.issuerCode == "mfa_required" {
                state.withLock { $0.unfinished = grant }
                // The grant has no challenge: its second step repeats the password, within the lifetime of a challenge.
                return .challenged(SignInChallenge(token: "", expiryDate: Date().addingTimeInterval(300)))
            }
        case .verify(_, let code):
            guard var grant = finished else { throw ScreenFailure(.expired) }
            grant.code = code.value
            do {
                let response = try await endpoint.tokens(for: grant)
                state.withLock { $0.result = (grant.username, response) }
                return .signedIn
            } catch {
                let repeated = grant
                state.withLock { $0.unfinished = repeated }
                // The password was accepted in the first step.
                if case OAuthError.invalidGrant = error { throw ScreenFailure(.wrongCode) }
                throw error
            }
        // The sign-in has asked for them before the screen.
        case .loadWays: return .ways(nil)
        case .requestCode(let email): return .mailed(try await client.beginCodeSignIn(email: email))
        case .resendCode(let challenge): return .mailed(try await client.resendCode(challenge))
        case .redeemCode(let challenge, let code, let factor):
            let tokens = try await client.completeCodeSignIn(
                challenge, code: code.value, secondFactor: factor.value.isEmpty ? nil : factor.value)
            state.withLock { $0.result = (challenge.email, TokenResponse(tokens: tokens)) }
            return .signedIn
        case .passkey, .provider: throw ScreenFailure(.browserUnavailable)
        }
    }
}
