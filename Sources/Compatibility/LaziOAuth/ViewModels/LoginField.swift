// SPDX-License-Identifier: Apache-2.0

import LatchUI

/// A text field of the login screen, in the order in which it is shown.
enum LoginField: String, Hashable, CaseIterable {
    case username, email, password, confirmPassword, code

    /// The identifier of its control.
    var id: ControlID { ControlID(rawValue) }
}

extension AuthViewModel {
    /// The effect of the return key.
    enum ReturnEffect: Hashable {
        /// The focus moves to another field.
        case focus(LoginField)
        /// The form is sent.
        case submit
    }

    /// The fields of the current mode.
    var fields: [LoginField] {
        guard isLoginMode else { return [.username, .email, .password, .confirmPassword] }
        return isCodeRequired ? [.username, .password, .code] : [.username, .password]
    }

    /// The text of a field.
    subscript(field: LoginField) -> String {
        get {
            switch field {
            case .username: username
            case .email: email
            case .password: password
            case .confirmPassword: confirmPassword
            case .code: code
            }
        }
        set {
            switch field {
            case .username: username = newValue
            case .email: email = newValue
            case .password: password = newValue
            case .confirmPassword: confirmPassword = newValue
            case .code: code = newValue
            }
        }
    }

    /// Returns the kind of a field; for a new account, the system may suggest and store the password.
    func kind(of field: LoginField) -> FieldKind {
        switch field {
        case .username: .username
        case .email: .email
        case .password: isLoginMode ? .password : .newPassword
        case .confirmPassword: .newPassword
        case .code: .oneTimeCode
        }
    }

    /// Returns the effect of the return key in a field: the next empty field, or else the button; nil for none.
    func returnKey(in field: LoginField) -> ReturnEffect? {
        guard !isLoading else { return nil }
        let rest = fields.drop { $0 != field }.dropFirst()
        if let next = rest.first(where: { self[$0].isEmpty }) { return .focus(next) }
        if isFormValid { return .submit }
        let wrong = fields.first { self[$0].isEmpty } ?? fields.first { problem(of: $0) != nil }
        return wrong.map(ReturnEffect.focus)
    }
}
