// SPDX-License-Identifier: Apache-2.0

#if os(iOS) || os(tvOS) || os(visionOS)
import SwiftUI

extension FieldKind {
    /// The kind of text that the system suggests and fills in.
    var contentType: UITextContentType? {
        switch self {
        case .email: .emailAddress
        case .username: .username
        case .password: .password
        case .newPassword: .newPassword
        case .oneTimeCode: .oneTimeCode
        case .name: .name
        case .text, .paragraph: nil
        }
    }

    /// The keyboard; recovery codes have letters, so a code has the one with both.
    var keyboard: UIKeyboardType {
        switch self {
        case .email: .emailAddress
        case .username, .oneTimeCode: .asciiCapable
        case .password, .newPassword, .name, .text, .paragraph: .default
        }
    }
}

extension View {
    /// Sets keyboard, suggestions and corrections for a kind of field.
    func textInput(_ kind: FieldKind) -> some View {
        textContentType(kind.contentType)
            .keyboardType(kind.keyboard)
            .textInputAutocapitalization(kind == .name ? .words : kind == .paragraph ? .sentences : .never)
            .autocorrectionDisabled(kind != .paragraph)
    }
}
#endif
