// SPDX-License-Identifier: Apache-2.0

#if os(iOS) || os(tvOS) || os(visionOS)
import SwiftUI
import UIKit

extension TextContentType {
    /// The type of the system, by which it suggests and fills in texts.
    var systemType: UITextContentType {
        switch self {
        case .username: .username
        case .emailAddress: .emailAddress
        case .password: .password
        case .newPassword: .newPassword
        case .oneTimeCode: .oneTimeCode
        case .name: .name
        case .givenName: .givenName
        case .familyName: .familyName
        case .nickname: .nickname
        }
    }
}

extension FieldKind {
    /// The keyboard; a code has letters and digits, since recovery codes have letters.
    var keyboard: UIKeyboardType {
        switch self {
        case .email: .emailAddress
        case .username, .oneTimeCode: .asciiCapable
        case .authenticatorCode: .asciiCapableNumberPad
        case .password, .newPassword, .name, .text, .paragraph, .checkbox: .default
        }
    }
}

extension View {
    /// Sets keyboard, suggestions and corrections for a kind of field.
    func textInput(_ kind: FieldKind, _ type: TextContentType?) -> some View {
        textContentType(type?.systemType)
            .keyboardType(kind.keyboard)
            .textInputAutocapitalization(kind == .name ? .words : kind == .paragraph ? .sentences : .never)
            .autocorrectionDisabled(kind != .paragraph)
    }
}
#endif
