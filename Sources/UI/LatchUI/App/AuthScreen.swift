// SPDX-License-Identifier: Apache-2.0

/// A screen of an ``AuthModel`` with its model, for a view that shows each kind with a different view.
@MainActor
public enum AuthScreen {
    /// The sign-in.
    case signIn(SignInModel)
    /// The registration.
    case registration(RegistrationModel)
    /// The verification of an address.
    case verification(EmailVerificationModel)
    /// The password reset.
    case passwordReset(PasswordResetModel)
    /// The accounts of this device.
    case accounts(AccountSwitcherModel)
    /// The profile.
    case profile(ProfileModel)
    /// The editing of the names.
    case editProfile(EditProfileModel)
    /// The change of the password.
    case changePassword(ChangePasswordModel)
    /// The set-up of a second factor.
    case secondFactor(SecondFactorModel)
    /// The devices.
    case devices(DevicesModel)
    /// The passkeys.
    case passkeys(PasskeysModel)
    /// The offer of a passkey.
    case passkeyOffer(PasskeyModel)
    /// The repeated authentication that a server requires.
    case stepUp(StepUpModel)
    /// A screen of the app, with its route: an additional screen, or a replacement for one of LatchUI's.
    case custom(any AnyScreenModel, for: AuthRoute)

    /// The model of any kind of screen.
    public var model: any AnyScreenModel {
        switch self {
        case .signIn(let model): model
        case .registration(let model): model
        case .verification(let model): model
        case .passwordReset(let model): model
        case .accounts(let model): model
        case .profile(let model): model
        case .editProfile(let model): model
        case .changePassword(let model): model
        case .secondFactor(let model): model
        case .devices(let model): model
        case .passkeys(let model): model
        case .passkeyOffer(let model): model
        case .stepUp(let model): model
        case .custom(let model, for: _): model
        }
    }

    /// The route to the screen; nil for the step-up, which the server raises again.
    public var route: AuthRoute? {
        switch self {
        case .signIn(let model): .signIn(email: model.screen.fields.storableEmail)
        case .registration(let model): .registration(email: model.screen.fields.storableEmail)
        case .verification(let model): .verification(model.screen)
        case .passwordReset(let model): .passwordReset(model.screen)
        case .accounts: .accounts
        case .profile: .profile
        case .editProfile: .editProfile
        case .changePassword: .changePassword
        case .secondFactor: .secondFactor
        case .devices: .devices
        case .passkeys: .passkeys
        case .passkeyOffer(let model): .passkeyOffer(email: model.screen.account)
        case .stepUp: nil
        case .custom(let model, for: .registration(let email)):
            .registration(email: model.control(.email)?.text.value.plausibleEmail ?? email)
        case .custom(_, for: let route): route
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
