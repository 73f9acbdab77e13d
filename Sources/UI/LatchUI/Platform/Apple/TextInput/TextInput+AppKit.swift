// SPDX-License-Identifier: Apache-2.0

#if os(macOS)
import AppKit
import SwiftUI

extension TextContentType {
    /// The type of the system, by which it suggests and fills in texts.
    var systemType: NSTextContentType {
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

extension View {
    /// Sets suggestions and corrections for a kind of field.
    func textInput(_ kind: FieldKind, _ type: TextContentType?) -> some View {
        textContentType(type?.systemType)
            .textFieldStyle(.plain)
            .autocorrectionDisabled(kind != .paragraph)
    }
}
#endif
