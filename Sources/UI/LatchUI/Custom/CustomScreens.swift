// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
public import LatchCore
import LatchTexts

/// The position of an app's screen in the flow of an ``AuthModel``: what the screen works with, and its end.
@MainActor
public struct ScreenPosition<Outcome> {
    /// The client of the signed-in user, or the client that registers users and signs them in.
    public let client: AuthClient
    /// The route to the screen.
    public let route: AuthRoute
    /// The profile of the signed-in user, as far as it is known; nil while no user is signed in.
    public let profile: AccountProfile?
    /// The clock of the model.
    public let clock: WallClock
    /// Ends the screen: the flow continues after it.
    public let end: @MainActor (Outcome) -> Void

    /// The address of the user, of the registration before it, or as typed before; empty if it is not known.
    public var email: String { route.email ?? profile?.email ?? "" }
}

extension ScreenPosition {
    /// Returns the model of a form, which ends with its last request, or when the user leaves it.
    ///
    /// - Parameters:
    ///   - form: The form.
    ///   - submit: Handles the entries; its error is shown, and the user can try again.
    ///   - outcome: Returns the outcome for the entries, without secrets; they are nil if the user has left the form.
    public func form(
        _ form: FormScreen, submit: @escaping @Sendable (FormScreen.Entries) async throws -> Void,
        outcome: @escaping @MainActor (FormScreen.Entries?) -> Outcome
    ) -> ScreenModel<FormScreen> {
        let end = end
        let finish: @MainActor (FormScreen.Outcome) -> Void = { result in
            if case .submitted(let entries) = result { end(outcome(entries)) } else { end(outcome(nil)) }
        }
        return ScreenModel(form, clock: clock, onFinish: finish, submit: submit)
    }
}

extension ScreenPosition<Void> {
    /// Returns the model of a form, which ends with its last request, or when the user leaves it.
    ///
    /// - Parameters:
    ///   - form: The form.
    ///   - submit: Handles the entries; its error is shown, and the user can try again.
    public func form(
        _ form: FormScreen, submit: @escaping @Sendable (FormScreen.Entries) async throws -> Void
    ) -> ScreenModel<FormScreen> {
        self.form(form, submit: submit) { _ in }
    }
}

extension ScreenPosition where Outcome == AuthFlow.Move {
    /// Returns the position of a screen whose outcomes are others.
    func mapped<Other>(_ move: @escaping @MainActor (Other) -> AuthFlow.Move) -> ScreenPosition<Other> {
        ScreenPosition<Other>(client: client, route: route, profile: profile, clock: clock) { [end] in
            end(move($0))
        }
    }
}

/// A screen of LatchUI that an app may replace by its screen, with ``AuthModel/Configuration/replace(_:by:)``.
public protocol ReplaceableScreen: Screen {
    /// The place of the screen in the flow.
    static var replacement: ScreenReplacement<Outcome> { get }
}

/// The place of an app's screen in the flow of an ``AuthModel``.
public struct ScreenReplacement<Outcome: Sendable>: Sendable {
    let kind: AuthRoute.Kind
    let move: @Sendable (Outcome) -> AuthFlow.Move

    init<S: RoutedScreen>(of screen: S.Type) where S.Outcome == Outcome {
        kind = S.kind
        move = { S.move(after: $0) }
    }
}

/// The screens of an app in the flow of its model.
struct CustomScreens: Sendable {
    typealias MakeModel = @MainActor (ScreenPosition<AuthFlow.Move>) -> any AnyScreenModel

    /// A screen of the app, and when it is shown.
    struct Step: Sendable {
        let name: String
        let moment: AuthModel.Configuration.Moment?
        let isNeeded: @Sendable (AuthClient) async throws -> Bool
        let make: MakeModel
    }

    var steps: [Step] = []
    var replacements: [AuthRoute.Kind: MakeModel] = [:]

    var names: [String] { steps.map(\.name) }
    var namesAfterRegistration: [String] { steps.filter { $0.moment == .registration }.map(\.name) }
    var afterSignIn: [Step] { steps.filter { $0.moment == .signIn } }

    /// The function that creates the screen of a route; nil for a screen of LatchUI.
    func maker(of route: AuthRoute) -> MakeModel? {
        guard let name = route.customName else { return replacements[route.kind] }
        return steps.first { $0.name == name }?.make
    }
}

extension AuthModel.Configuration {
    /// The moment in the flow after which a screen of the app is shown automatically.
    public enum Moment: Hashable, Sendable {
        /// A registration, before the wait for its email.
        ///
        /// A screen that is not completed before the sign-in is shown after it.
        case registration
        /// A sign-in, above the content; not the start of the app with a stored account.
        case signIn
    }

    /// Adds a screen of the app to the flow, also as `AuthRoute.custom(_:email:)` for ``AuthModel/push(_:)`` and for
    /// rows.
    ///
    /// ```swift
    /// configuration.addScreen("plan", after: .signIn) { position in
    ///     var form = FormScreen(title: .verbatim("Choose a plan"))
    ///     form.buttons = [.button("free", .secondary, .verbatim("Free")), .button("pro", .primary, .verbatim("Pro"))]
    ///     return position.form(form) { try await choosePlan($0.button.name) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The unique name of the screen, which stored paths contain.
    ///   - moment: The moment after which it is shown; nil for a screen that is only opened by its route.
    ///   - isNeeded: Whether the user needs it, only after a sign-in; after an error, it is called again after the next
    ///     sign-in.
    ///   - make: Returns the model of the screen, whose end calls `end`; any ``Screen``, or a ``FormScreen``.
    public mutating func addScreen(
        _ name: String, after moment: Moment? = nil,
        if isNeeded: @escaping @Sendable (AuthClient) async throws -> Bool = { _ in true },
        make: @escaping @MainActor (ScreenPosition<Void>) -> any AnyScreenModel
    ) {
        screens.steps.removeAll { $0.name == name }
        screens.steps.append(
            CustomScreens.Step(name: name, moment: moment, isNeeded: isNeeded) { position in
                make(position.mapped { .close() })
            })
    }

    /// Replaces a screen of LatchUI with a screen of the app, with the same outcomes.
    ///
    /// ```swift
    /// configuration.replace(RegistrationScreen.self) { position in
    ///     position.form(form, submit: register) { $0.map { .registered(email: $0[.email]) } ?? .cancelled }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - screen: The screen; its outcomes are what `end` takes.
    ///   - make: Returns the model of the app's screen.
    public mutating func replace<S: ReplaceableScreen>(
        _ screen: S.Type, by make: @escaping @MainActor (ScreenPosition<S.Outcome>) -> any AnyScreenModel
    ) {
        let replacement = S.replacement
        screens.replacements[replacement.kind] = { make($0.mapped(replacement.move)) }
    }
}
