// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import SwiftUI

/// The visible screen of an app's model.
///
/// An app replaces single screens with its views, wherever they are shown, with ``SwiftUICore/View/authScreen(_:)``.
public struct AuthView: View {
    private let auth: AuthModel
    @Environment(\.authScreen) private var replacement
    @Environment(\.authScene) private var scene

    /// Creates the view of a model, with the screens of the window.
    public init(_ auth: AuthModel) { self.auth = auth }

    /// The current screen, or the app's replacement of it; empty without one.
    public var body: some View {
        if let screen = (scene ?? auth.scene).screen {
            if let replacement { replacement(screen) } else { AuthScreenView(screen) }
        }
    }
}

/// A screen as LatchUI shows it.
public struct AuthScreenView: View {
    private let screen: AuthScreen

    /// Creates the view of a screen.
    public init(_ screen: AuthScreen) { self.screen = screen }

    /// The form of the screen's model.
    public var body: some View {
        // The gate opens the links of mails: the screens' own views would open them once more.
        (screen.model as? any FormModel)?.form
    }
}

/// A model whose form does not need its type.
@MainActor
private protocol FormModel {
    var form: AnyView { get }
}

extension ScreenModel: FormModel {
    fileprivate var form: AnyView { AnyView(ScreenForm(self)) }
}

/// The app's own views of screens.
struct AuthScreenReplacement: Sendable {
    let view: @MainActor @Sendable (AuthScreen) -> AnyView

    @MainActor func callAsFunction(_ screen: AuthScreen) -> AnyView { view(screen) }
}

private struct AuthScreenKey: EnvironmentKey {
    static let defaultValue: AuthScreenReplacement? = nil
}

private struct AuthSceneKey: EnvironmentKey {
    static let defaultValue: AuthScene? = nil
}

extension EnvironmentValues {
    /// The scene of the window, which its `SessionGate` has opened; nil outside of one.
    public internal(set) var authScene: AuthScene? {
        get { self[AuthSceneKey.self] }
        set { self[AuthSceneKey.self] = newValue }
    }

    /// The app's views of screens; nil for LatchUI's views.
    var authScreen: AuthScreenReplacement? {
        get { self[AuthScreenKey.self] }
        set { self[AuthScreenKey.self] = newValue }
    }
}

extension View {
    /// Shows screens of models in this view with views of the app, also in sheets, such as the sign-in to another
    /// account.
    ///
    /// ```swift no-check
    /// SessionGate(auth) { NotesView() }
    ///     .authScreen { screen in
    ///         if let model = screen.model as? SignInModel { WelcomeView(model) } else { AuthScreenView(screen) }
    ///     }
    /// ```
    public func authScreen(
        @ViewBuilder _ view: @escaping @MainActor @Sendable (AuthScreen) -> some View
    ) -> some View {
        environment(\.authScreen, AuthScreenReplacement { AnyView(view($0)) })
    }
}
#endif
