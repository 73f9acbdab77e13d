// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import SwiftUI

/// The style of a custom Sign in with Apple button, as in Apple's guidelines: its logo, in black or white.
///
/// Source: https://developer.apple.com/design/human-interface-guidelines/sign-in-with-apple.
struct AppleButtonStyle: ButtonStyle {
    @Environment(\.colorScheme) private var scheme
    @Environment(\.authTheme) private var theme

    func makeBody(configuration: Configuration) -> some View {
        configuration.label
            .font(theme.bodyFont.bold())
            .foregroundStyle(scheme == .dark ? Color.black : .white)
            .frame(maxWidth: .infinity, minHeight: 44)
            .background(
                scheme == .dark ? Color.white : .black, in: RoundedRectangle(cornerRadius: theme.cornerRadius)
            )
            .opacity(configuration.isPressed ? 0.6 : 1)
    }
}
#endif
