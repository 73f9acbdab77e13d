// SPDX-License-Identifier: Apache-2.0

#if os(watchOS)
import SwiftUI

extension FieldKind {
    /// The kind of text that the system suggests and fills in.
    var contentType: WKTextContentType? {
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
}

extension View {
    /// Sets suggestions and corrections for a kind of field.
    func textInput(_ kind: FieldKind) -> some View {
        textContentType(kind.contentType)
            .textInputAutocapitalization(.never)
            .autocorrectionDisabled(kind != .paragraph)
    }
}
#endif
