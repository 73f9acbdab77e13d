// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import LatchTexts
public import SwiftUI

/// The role of a user, in a capsule.
public struct RoleBadge: View {
    private let role: Phrase
    @Environment(\.authTheme) private var theme
    @Environment(\.authTexts) private var texts

    /// Creates the badge of a role.
    public init(_ role: Phrase) { self.role = role }

    /// Creates the badge of a role as the server writes it, such as `admin`.
    public init(role: String) { self.role = Phrase(role: role) }

    /// The role in bold caption letters.
    public var body: some View {
        Text(texts(role))
            .font(theme.captionFont.bold())
            .foregroundStyle(theme.accent)
            .padding(.horizontal, theme.spacing)
            .padding(.vertical, theme.spacing / 4)
            .background(theme.accent.opacity(0.15), in: Capsule())
            .accessibilityIdentifier(ControlID.role.description)
    }
}
#endif
