// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchTexts
import LatchUI

// The texts of the login screen: properties have the original's English texts, and phrases are in the user's language.

extension AuthViewModel {
    /// The heading in English: of the sign-in or of the registration.
    public var screenTitle: String { Texts.english(titlePhrase) }

    /// The title of the button that sends the form.
    public var submitTitle: String { Texts.english(submitPhrase) }

    /// The title of the button that changes the form.
    public var toggleTitle: String { Texts.english(togglePhrase) }

    /// The error of the email address, once there is one; nil for none.
    public var emailError: String? { problem(of: .email).map(Texts.english.callAsFunction) }

    /// The error of the repeated password, once there is one; nil for none.
    public var confirmationError: String? { problem(of: .confirmPassword).map(Texts.english.callAsFunction) }

    var titlePhrase: Phrase { Phrase(isLoginMode ? "oauthLogin.title.signIn" : "oauthLogin.title.signUp") }
    var submitPhrase: Phrase { Phrase(isLoginMode ? "oauthLogin.submit.signIn" : "oauthLogin.submit.signUp") }
    var togglePhrase: Phrase { Phrase(isLoginMode ? "oauthLogin.toggle.signUp" : "oauthLogin.toggle.signIn") }

    /// Returns the name of a field.
    func label(of field: LoginField) -> Phrase {
        switch field {
        case .username: Phrase("oauthLogin.username")
        case .email: Phrase("oauthLogin.email")
        case .password: Phrase("oauthLogin.password")
        case .confirmPassword: Phrase("oauthLogin.confirmPassword")
        case .code: Phrase("field.code")
        }
    }

    /// Returns the error of a field, if it is not empty; nil for none.
    func problem(of field: LoginField) -> Phrase? {
        switch field {
        case .email: email.isEmpty || isEmailValid ? nil : Phrase("oauthLogin.email.invalid")
        case .confirmPassword:
            confirmPassword.isEmpty || passwordsMatch ? nil : Phrase("oauthLogin.confirmPassword.different")
        case .username, .password, .code: nil
        }
    }
}

extension Texts {
    /// The renderer of the original's English texts.
    static let english = Texts(languages: ["en"])
}

extension OAuthError {
    /// The error in the user's language; a server's message is unchanged.
    var phrase: Phrase {
        switch self {
        case .invalidURL: Phrase("oauthLogin.error.invalidURL")
        case .invalidResponse: Phrase("oauthLogin.error.invalidResponse")
        case .authenticationFailed: Phrase("oauthLogin.error.authenticationFailed")
        case .serverError(let message): .verbatim(message)
        case .networkError(let error): Phrase("oauthLogin.error.network", .phrase(ScreenFailure(error).phrase))
        }
    }
}

extension ScopeChoice where Option == OAuthScope {
    /// The number of selected scopes, in the user's language.
    var summaryPhrase: Phrase { Phrase("oauthLogin.selected", .count(count)) }
}
