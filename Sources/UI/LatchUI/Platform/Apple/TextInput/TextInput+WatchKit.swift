// SPDX-License-Identifier: Apache-2.0

#if os(watchOS)
import SwiftUI
import WatchKit

extension TextContentType {
    /// The type of the system, by which it suggests and fills in texts.
    var systemType: WKTextContentType {
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
            .textInputAutocapitalization(.never)
            .autocorrectionDisabled(kind != .paragraph)
    }
}
#endif
