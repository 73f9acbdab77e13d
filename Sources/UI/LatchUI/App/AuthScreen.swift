// SPDX-License-Identifier: Apache-2.0

/// A screen of an ``AuthModel`` with its model, for a view that shows some screens by views of the app.
///
/// ```swift no-check
/// if let signIn = screen.model as? SignInModel { WelcomeView(signIn) } else { AuthScreenView(screen) }
/// ```
///
/// A screen of the app has the model that the app has made, and `AuthRoute.customName` in its ``route``.
@MainActor
public struct AuthScreen {
    /// The model, such as a ``SignInModel`` or the model of an app's screen.
    public let model: any AnyScreenModel
    private let currentRoute: @MainActor () -> AuthRoute?

    /// The route to the screen as it is now; nil for the step-up, which the server raises again.
    public var route: AuthRoute? { currentRoute() }

    init(_ model: any AnyScreenModel, route: @escaping @MainActor () -> AuthRoute?) {
        (self.model, currentRoute) = (model, route)
    }

    /// Creates a screen of the app: a further one, or one in place of LatchUI's.
    init(_ model: any AnyScreenModel, inPlaceOf route: AuthRoute) {
        self.init(model) {
            guard route.kind == .registration, let email = model.control(.email) else { return route }
            return .registration(email: email.text.value.plausibleEmail)
        }
    }
}

/// The model of any kind of screen: its controls, and the inputs that it handles.
@MainActor
public protocol AnyScreenModel: AnyObject {
    /// The controls, in reading order.
    var controls: [Control] { get }
    /// The control with the focus; nil for none.
    var focus: ControlID? { get }
    /// Whether a request is running.
    var isBusy: Bool { get }
    /// Whether the user can swipe the screen away.
    var canBeDismissed: Bool { get }
    /// The last failure, until the user continues; nil if there is none.
    var failure: ScreenFailure? { get }
    /// The number of sentences announced so far.
    var announcements: Int { get }
    /// A function that is called when a request fails, unless the user has canceled it.
    var onFailure: @MainActor (ScreenFailure) -> Void { get set }
    /// Handles an input.
    func send(_ input: ScreenInput)
    /// Waits until no request is running.
    func settled() async
}

extension AnyScreenModel {
    /// Returns the control with an identifier, including the buttons of rows; nil if the screen does not show it.
    public func control(_ id: ControlID) -> Control? {
        controls.lazy.flatMap(\.withActions).first { $0.id == id }
    }

    /// Presses a button.
    public func press(_ id: ControlID) { send(.press(id)) }

    /// Changes the text of a field.
    public func edit(_ id: ControlID, _ text: String) { send(.edit(id, text)) }
}

extension ScreenModel: AnyScreenModel {
    /// The last failure, until the user continues; nil if there is none.
    public var failure: ScreenFailure? { machine.failure }
    /// Whether the user can swipe the screen away: not during a request, nor from content that is shown only once.
    public var canBeDismissed: Bool { machine.canBeDismissed }
    /// The number of sentences announced so far.
    public var announcements: Int { announcement?.number ?? 0 }
}
