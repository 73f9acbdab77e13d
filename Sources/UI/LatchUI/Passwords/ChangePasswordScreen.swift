// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
public import LatchCore
public import LatchTexts

/// The change of a password by the signed-in user.
public struct ChangePasswordScreen: Screen {
    /// A request of the screen.
    public enum Request: Hashable, Sendable {
        /// Change the password.
        case change(current: FieldText, new: FieldText, signsOutOthers: Bool)
    }

    /// The response to a request.
    public enum Response: Hashable, Sendable {
        /// The password is changed.
        case changed
    }

    /// The end of the screen, or a screen that follows it.
    public enum Outcome: Hashable, Sendable {
        /// The password is changed.
        case changed
        /// To the password reset: an account that signs in through a provider may have no password.
        case passwordReset
        /// The user has left the screen.
        case cancelled
    }

    /// The current and the new password; requests take their texts.
    public var fields: Fields
    /// Whether all other devices are signed out.
    public private(set) var signsOutOthers = true
    /// Whether the password is changed.
    public private(set) var isChanged = false
    /// Whether the late response to a canceled request has said that the password is changed.
    private var wasChanged = false
    private var lostAnswer = LostAnswer()

    /// Creates the screen.
    ///
    /// - Parameter email: The address of the user, with which the system saves the password; empty if it is not known.
    public init(email: String = "") {
        let passwords = [
            Field(.password, .password, Phrase("field.currentPassword")),
            Field(.newPassword, .newPassword, Phrase("field.newPassword")),
        ]
        fields = Fields([Field.account(email)].compactMap(\.self) + passwords)
    }

    /// The heading, which stays after the change.
    public var title: Phrase { Phrase("changePassword.title") }

    /// The fields, or the notice of the change.
    public var content: [Control] {
        if isChanged {
            return [
                .notice(.success, Phrase(signsOutOthers ? "changePassword.done.others" : "changePassword.done")),
                .button(.done, .primary, Phrase("button.continue")),
            ]
        }
        return fields.controls + [
            .toggle(.signOutOthers, Phrase("changePassword.signOutOthers"), isOn: signsOutOthers),
            .button(.submit, .primary, Phrase("changePassword.submit")),
            .button(.forgotPassword, .link, Phrase("stepUp.noPassword")),
            .button(.cancel, .cancel, Phrase("button.cancel")),
        ]
    }

    /// Handles the press of a button.
    public mutating func press(_ control: ControlID) -> ScreenStep<Self> {
        switch control {
        case .submit:
            let signsOutOthers = signsOutOthers
            let step = submitting {
                .change(
                    current: $0.secret(.password), new: $0.secret(.newPassword), signsOutOthers: signsOutOthers)
            }
            if case .perform = step { lostAnswer.begin() }
            return step
        case .done: return .finish(.changed)
        case .forgotPassword: return .navigate(.passwordReset)
        default: return .finish(.cancelled)
        }
    }

    /// Handles the change of the switch.
    public mutating func set(_ control: ControlID, to isOn: Bool) -> ScreenStep<Self> {
        signsOutOthers = isOn
        return .stay
    }

    /// Handles the response, and shows the notice.
    public mutating func receive(_ response: Response) -> ScreenStep<Self> {
        isChanged = true
        fields = Fields()
        lostAnswer = LostAnswer()
        return .stay
    }

    /// Records that the response to a canceled request may be lost.
    public mutating func leave() { lostAnswer.lose() }

    /// Handles a late response, even during another request, which does not know that the password has changed.
    public mutating func receiveLate(_ response: Response, isBusy: Bool) -> ScreenStep<Self> {
        guard isBusy else { return receive(response) }
        wasChanged = true
        return .stay
    }

    /// Handles a failure; a problem with a text is shown at its field.
    public mutating func receive(_ failure: ScreenFailure) -> ScreenFailure? {
        lostAnswer.receive(failure)
        switch failure.reason {
        // An earlier attempt, perhaps with another new password, has changed it or may have changed it.
        case .wrongCredentials where wasChanged || lostAnswer.mayHaveDone():
            fields.setProblem(Phrase("field.currentPassword.unsure"), of: .password)
        case .wrongCredentials: fields.setProblem(Phrase("field.currentPassword.wrong"), of: .password)
        case .weakPassword: fields.setProblem(failure.phrase, of: .newPassword)
        default: return failure
        }
        return nil
    }
}

extension ControlID {
    /// The switch that signs all other devices out.
    public static let signOutOthers: ControlID = "signOutOthers"
}

/// The model of a ``ChangePasswordScreen``.
public typealias ChangePasswordModel = ScreenModel<ChangePasswordScreen>

extension ScreenModel where S == ChangePasswordScreen {
    /// Creates the change of the password of a client's user.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - email: The address of the user; nil for the token's address.
    ///   - clock: The clock of locks.
    ///   - onFinish: Is called when the password is changed, or the user goes another way.
    public convenience init(
        _ client: AuthClient, email: String? = nil, clock: WallClock = .system,
        onFinish: @escaping @MainActor (ChangePasswordScreen.Outcome) -> Void = { _ in }
    ) {
        let screen = ChangePasswordScreen(email: email ?? client.account?.email ?? "")
        self.init(screen, clock: clock, onFinish: onFinish, perform: S.requests(to: client))
    }
}

extension ChangePasswordScreen {
    /// Returns the function that sends the screen's requests to a client's backend.
    package static func requests(to client: AuthClient) -> ScreenModel<Self>.Perform {
        { request in
            switch request {
            case .change(let current, let new, let signsOutOthers):
                try await client.changePassword(
                    from: current.value, to: new.value, signingOutOthers: signsOutOthers)
                return .changed
            }
        }
    }
}

// MARK: - In an app

extension AuthRoute {
    /// The route to the form for a new password.
    public static var changePassword: AuthRoute { AuthRoute(.changePassword) }
}

extension ChangePasswordScreen: RoutedScreen {
    static var kind: AuthRoute.Kind { .changePassword }

    static func isAvailable(in flow: AuthFlow) -> Bool { flow.hasUser }

    static func makeModel(at route: AuthRoute, by factory: AuthScreenFactory) -> ChangePasswordModel? {
        ChangePasswordModel(factory.client, email: factory.user?.email, clock: factory.clock)
    }

    static func move(after outcome: Outcome) -> AuthFlow.Move {
        switch outcome {
        case .passwordReset: .resetPassword
        case .changed, .cancelled: .close()
        }
    }
}

extension ChangePasswordScreen: ReplaceableScreen {
    /// The change of the password.
    public static var replacement: ScreenReplacement<Outcome> { ScreenReplacement(of: Self.self) }
}
