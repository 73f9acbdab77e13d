// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchAuth
import LatchCore
import LatchTexts
public import LatchUI
public import Observation

/// The model of the login screen.
@MainActor
@Observable
public final class AuthViewModel {
    /// The typed user name; spaces around it are not sent.
    public var username = "" {
        // The server has asked for a code only for this user.
        didSet { if username != oldValue { (isCodeRequired, code) = (false, "") } }
    }
    /// The typed email address; only for a new account.
    public var email = ""
    /// The typed password; cleared after it was sent, unless the server then asks for a code.
    public var password = ""
    /// The repeated password; only for a new account.
    public var confirmPassword = ""
    /// The typed code of the second factor, or a recovery code; cleared when it was sent.
    public var code = ""
    /// Whether the server has asked for a code, so that the form has a field for it.
    public private(set) var isCodeRequired = false
    /// The scopes on the screen.
    public var scopeSelection = ScopeSelection()
    /// Whether a request is running.
    public private(set) var isLoading = false
    /// The last error, for users: the original's English text, or the server's message.
    public var errorMessage: String? {
        get { error?.text }
        set { error = newValue.map { ($0, .verbatim($0)) } }
    }
    /// The last error, in the user's language.
    var errorPhrase: Phrase? { error?.phrase }
    /// Whether to show the error.
    public var showError = false
    /// Whether the screen is for signing in, or otherwise for a new account.
    public var isLoginMode = true

    private let service: OAuthService
    private var error: (text: String, phrase: Phrase)?

    /// Creates the model of a screen for a service; the default is the program's service.
    public init(service: OAuthService? = nil) { self.service = service ?? .shared }

    /// The scopes that a login requests.
    public var selectedScopes: Set<OAuthScope> {
        get { scopeSelection.selected }
        set { scopeSelection.selected = newValue }
    }

    /// Whether both passwords are equal.
    public var passwordsMatch: Bool { password == confirmPassword }

    /// Whether the text looks like an email address.
    public var isEmailValid: Bool { DotAtomAddress.isPlausible(trimmed(email)) }

    /// Whether the form can be sent.
    public var isFormValid: Bool {
        guard !trimmed(username).isEmpty, !password.isEmpty else { return false }
        if isLoginMode { return !isCodeRequired || !trimmed(code).isEmpty }
        return isEmailValid && passwordsMatch
    }

    /// Signs in with the form; an invalid form is not sent.
    public func login() async {
        let code = isCodeRequired ? trimmed(code) : nil
        await send { [username = trimmed(username), password, scopes = scopeSelection.ordered] service in
            try await service.login(username: username, password: password, scopes: scopes, code: code)
        }
    }

    /// Creates an account with the form, and signs in; an invalid form is not sent.
    public func signup() async {
        let (username, email) = (trimmed(username), trimmed(email))
        await send { [password, scopes = scopeSelection.ordered] service in
            try await service.signup(username: username, email: email, password: password, scopes: scopes)
        }
    }

    /// Switches between signing in and a new account, and clears the fields of the other form.
    public func toggleMode() {
        isLoginMode.toggle()
        email = ""
        isCodeRequired = false
        wipeSecrets()
        errorMessage = nil
        showError = false
    }

    /// Runs one request at a time, and shows its error.
    private func send(_ request: (OAuthService) async throws -> OAuthTokenResponse) async {
        guard isFormValid, !isLoading else { return }
        isLoading = true
        errorMessage = nil
        showError = false
        do {
            _ = try await request(service)
            isCodeRequired = false
            wipeSecrets()
        } catch is CancellationError {
            // The user has left the screen.
            wipeSecrets()
        } catch {
            self.error = Self.texts(of: error)
            showError = true
            // The password was correct, and is sent again with the code.
            let awaitsCode = error as? AccountError == .secondFactorRequired || error as? AccountError == .wrongCode
            isCodeRequired = isCodeRequired || awaitsCode
            if awaitsCode { code = "" } else { wipeSecrets() }
        }
        isLoading = false
    }

    private func wipeSecrets() {
        password = ""
        confirmPassword = ""
        code = ""
    }

    private func trimmed(_ text: String) -> String {
        let scalars = text.unicodeScalars.drop { $0.properties.isWhitespace }
        let end = scalars.lastIndex { !$0.properties.isWhitespace }
        return end.map { String(scalars[...$0]) } ?? ""
    }

    /// Returns the texts for an error of a login, and general texts for other errors.
    private static func texts(of error: any Error) -> (String, Phrase) {
        let general = Phrase("oauthLogin.error.other")
        switch error {
        case let error as OAuthError: return (error.errorDescription ?? Texts.english(error.phrase), error.phrase)
        case let error as AuthError: return (error.message, ScreenFailure(error).phrase)
        // The error's message is for developers.
        case let error as AccountError:
            let phrase = ScreenFailure(error).phrase
            return (Texts.english(phrase), phrase)
        default: return (Texts.english(general), general)
        }
    }

    /// Sends the form of the current mode.
    public func submit() async {
        if isLoginMode { await login() } else { await signup() }
    }
}

extension AuthViewModel: CustomReflectable {
    /// A mirror without children, so that a dump shows no password.
    public nonisolated var customMirror: Mirror { Mirror(self, children: [:]) }
}
