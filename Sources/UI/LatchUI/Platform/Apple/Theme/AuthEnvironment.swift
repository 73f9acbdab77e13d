// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import LatchTexts
public import SwiftUI

private struct ThemeKey: EnvironmentKey {
    static let defaultValue = AuthTheme()
}

private struct TextsKey: EnvironmentKey {
    static let defaultValue = Texts.system
}

extension EnvironmentValues {
    /// The theme of screens.
    public var authTheme: AuthTheme {
        get { self[ThemeKey.self] }
        set { self[ThemeKey.self] = newValue }
    }

    /// The writer of the texts of screens; by default in the user's language.
    public var authTexts: Texts {
        get { self[TextsKey.self] }
        set { self[TextsKey.self] = newValue }
    }
}

extension Texts {
    /// The texts in the user's language, with dates as the user writes them.
    public static var system: Texts {
        var texts = Texts(languages: Locale.preferredLanguages)
        texts.writeDate = { $0.formatted(date: .abbreviated, time: .omitted) }
        return texts
    }
}

extension View {
    /// Sets the theme of the screens in this view.
    public func authTheme(_ theme: AuthTheme) -> some View { environment(\.authTheme, theme) }

    /// Sets the texts of the screens in this view.
    public func authTexts(_ texts: Texts) -> some View { environment(\.authTexts, texts) }
}
#endif
