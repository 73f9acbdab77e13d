// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
public import LatchCore
public import LatchTexts

/// The password reset: it asks for the address, waits for the link in an email, and asks for the new password.
///
/// The notice after the first step is the same for known and unknown addresses. An app that ended while it waited
/// restores the screen from its encoded form, which has no secret.
public struct PasswordResetScreen: Screen {
    /// The step of a reset.
    public enum Step: Hashable, Sendable {
        /// The user enters the address.
        case address
        /// The user looks for the email.
        case waiting(email: String)
        /// The link with this token was opened, and the user chooses a password.
        case password(FieldText)
        /// The password is set.
        case done
    }

    /// A request of the screen.
    public enum Request: Hashable, Sendable {
        case send(email: String)
        /// Set the password; with the address to which this device requested an email, empty if it has not.
        case reset(token: FieldText, password: FieldText, email: String)
    }

    /// The response to a request.
    public enum Response: Hashable, Sendable {
        /// An email was sent if the address has an account.
        case sent(email: String)
        /// The password is set; the server may state the address of the account.
        case reset(email: String?)
        /// The password is set, and the user is signed in with it.
        case signedIn

        /// The password is set, of an account that the server did not name.
        public static var reset: Response { .reset(email: nil) }
    }

    /// The end of the screen, or a screen that follows it.
    public enum Outcome: Hashable, Sendable {
        /// The password is set, and the user signs in with it; the address is empty if only the link is known.
        case signIn(email: String)
        /// The password is set, and the user is signed in with it.
        case signedIn
        /// The user has left the screen.
        case cancelled
    }

    /// The step: the address, the email, the new password, the end.
    public private(set) var step = Step.address
    /// The fields of the step.
    public var fields = Fields()
    /// The address as typed, or to which the email was sent; empty if it is not known.
    private(set) var email: String
    /// The address of the account with the new password; nil if the server did not state it.
    public private(set) var resetEmail: String?
    /// Whether the screen leads to the sign-in at its end, and not to the content of another user.
    var leadsToSignIn = true
    private var isSentAgain = false
    /// Whether the late response to a canceled request has said that the password is set.
    private var isSet = false
    private var lostAnswer = LostAnswer()
    /// Whether the password may be set: the response was lost, and the link is used.
    private var isUnsure = false

    /// Creates the screen.
    ///
    /// - Parameter email: The address, if it is known.
    public init(email: String = "") {
        self.email = email
        show(.address)
    }

    /// The screen without the state of an opened link.
    public var beginning: PasswordResetScreen {
        var screen = PasswordResetScreen(email: email)
        screen.leadsToSignIn = leadsToSignIn
        return screen
    }

    /// The heading of the step; the first two steps share one.
    public var title: Phrase {
        switch step {
        case .address, .waiting: Phrase("reset.title")
        case .password: Phrase("reset.password.title")
        case .done: Phrase("reset.done.title")
        }
    }

    /// The fields or the notice of the step, and the buttons that leave it.
    public var content: [Control] {
        switch step {
        case .address:
            addressControls
        case .waiting(let email):
            [
                .notice(.information, Phrase(isSentAgain ? "reset.sentAgain" : "reset.sent", .text(email))),
                .button(.resend, .secondary, Phrase("reset.resend")),
                .button(.back, .link, Phrase("reset.otherAddress")),
                .button(.cancel, .cancel, Phrase("button.cancel")),
            ]
        case .password:
            [.text(Phrase("reset.password.explanation"))] + fields.controls + [
                .button(.submit, .primary, Phrase("reset.password.submit")),
                .button(.cancel, .cancel, Phrase("button.cancel")),
            ]
        case .done:
            [
                .notice(.success, resetEmail.map { Phrase("reset.done.address", .text($0)) } ?? Phrase("reset.done")),
                .button(.done, .primary, Phrase(leadsToSignIn ? "signIn.submit" : "button.continue")),
            ]
        }
    }

    private var addressControls: [Control] {
        var all: [Control] = [
            isUnsure ? .notice(.warning, Phrase("reset.unsure")) : .text(Phrase("reset.explanation"))
        ]
        all += fields.controls + [.button(.submit, .primary, Phrase("reset.submit"))]
        if isUnsure, leadsToSignIn { all.append(.button(.done, .link, Phrase("signIn.submit"))) }
        return all + [.button(.cancel, .cancel, Phrase("button.cancel"))]
    }

    /// Handles the press of a button.
    public mutating func press(_ control: ControlID) -> ScreenStep<Self> {
        switch (control, step) {
        case (.submit, .password(let token)):
            let email = email
            let step = submitting { .reset(token: token, password: $0.secret(.newPassword), email: email) }
            if case .perform = step { lostAnswer.begin() }
            return step
        case (.submit, _): return submitting { .send(email: $0.value(.email)) }
        case (.resend, .waiting(let email)): return .perform(.send(email: email))
        case (.back, _):
            show(.address)
            return .stay
        case (.done, _): return .finish(.signIn(email: resetEmail ?? email))
        default:
            // The token of an unused link is not kept.
            if case .password = step { show(.address) }
            return .finish(.cancelled)
        }
    }

    /// Handles the response, and continues with the next step.
    public mutating func receive(_ response: Response) -> ScreenStep<Self> {
        (lostAnswer, isUnsure) = (LostAnswer(), false)
        switch response {
        case .sent(let email):
            self.email = email
            if case .waiting = step { isSentAgain = true } else { show(.waiting(email: email)) }
        case .reset(let email):
            resetEmail = email
            show(.done)
        case .signedIn: return .finish(.signedIn)
        }
        return .stay
    }

    /// Handles a late response; a response about an email does not change the form of a link.
    public mutating func receiveLate(_ response: Response, isBusy: Bool) -> ScreenStep<Self> {
        switch (response, step) {
        case (.reset(let email), _) where isBusy: (isSet, resetEmail) = (true, email)
        case (.reset, _), (.signedIn, _), (.sent, .waiting): return receive(response)
        case (.sent, .address) where !isBusy: return receive(response)
        case (.sent, .address), (.sent, .password), (.sent, .done): break
        }
        return .stay
    }

    /// Handles a failure: a used link needs another email.
    public mutating func receive(_ failure: ScreenFailure) -> ScreenFailure? {
        lostAnswer.receive(failure)
        switch failure.reason {
        // An earlier attempt, perhaps with another password, has set it or may have set it.
        case .invalidLink where isSet || fields[.newPassword] != nil && lostAnswer.mayHaveDone():
            isUnsure = true
            show(.address)
            return nil
        case .invalidLink, .expired:
            show(.address)
            return ScreenFailure(.invalidLink)
        case .weakPassword: fields.setProblem(failure.phrase, of: .newPassword)
        case .invalidEmail:
            if case .waiting = step { show(.address) }
            fields.setProblem(failure.phrase, of: .email)
        default: return failure
        }
        return fields.firstProblem == nil ? failure : nil
    }

    /// Handles the link in the email.
    public mutating func open(_ link: ScreenLink) -> ScreenStep<Self> {
        guard link.purpose == .resetPassword else { return .stay }
        let token = FieldText(link.token, isSecret: true)
        // The system may deliver a link twice, and what is typed stays.
        if step == .password(token) { return .stay }
        (isSet, isUnsure, lostAnswer) = (false, false, LostAnswer())
        // A link does not name an account. The form may name the account only if this device waits for an email.
        let account: Field? = if case .waiting(let email) = step { Field.account(email) } else { nil }
        show(.password(token))
        if let account { fields = Fields([account] + fields.all) }
        return .stay
    }

    /// Records that the response to a canceled request may be lost.
    public mutating func leave() { lostAnswer.lose() }

    private mutating func show(_ step: Step) {
        self.step = step
        isSentAgain = false
        switch step {
        case .address: fields = Fields([Field(.email, .email, Phrase("field.email"), text: email)])
        case .password: fields = Fields([Field(.newPassword, .newPassword, Phrase("field.newPassword"))])
        case .waiting, .done: fields = Fields()
        }
    }
}

extension PasswordResetScreen {
    /// Sets the address that was waiting for the email, unless an address is known.
    mutating func remember(_ email: String) {
        guard self.email.isEmpty else { return }
        self.email = email
    }
}

extension PasswordResetScreen: Codable {
    private enum CodingKeys: String, CodingKey {
        case email, isWaiting
    }

    /// Restores the screen in its waiting step, or at its beginning.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let email = try values.decode(String.self, forKey: .email)
        self.init(email: email)
        if try values.decode(Bool.self, forKey: .isWaiting) { show(.waiting(email: email)) }
    }

    /// Encodes the address and whether an email was sent; never a token.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(email.plausibleEmail, forKey: .email)
        if case .waiting = step {
            try values.encode(true, forKey: .isWaiting)
        } else {
            try values.encode(false, forKey: .isWaiting)
        }
    }
}

/// The model of a ``PasswordResetScreen``.
public typealias PasswordResetModel = ScreenModel<PasswordResetScreen>

extension ScreenModel where S == PasswordResetScreen {
    /// Creates the password reset at a client's backend.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - screen: The screen.
    ///   - clock: The clock of locks.
    ///   - signIn: Signs the user in with the new password, and returns whether it did; nil to leave that to the
    ///     sign-in.
    ///   - onFinish: Is called when the password is set, or the user leaves the screen.
    public convenience init(
        _ client: AuthClient, screen: PasswordResetScreen = PasswordResetScreen(), clock: WallClock = .system,
        signIn: PasswordSignIn? = nil,
        onFinish: @escaping @MainActor (PasswordResetScreen.Outcome) -> Void = { _ in }
    ) {
        self.init(screen, clock: clock, onFinish: onFinish, perform: S.requests(to: client, signIn: signIn))
        linkBases = [client.baseURL]
    }
}

extension PasswordResetScreen {
    /// Returns the function that sends the screen's requests to a client's backend.
    package static func requests(
        to client: AuthClient, signIn: PasswordSignIn? = nil
    ) -> ScreenModel<Self>.Perform {
        { request in
            switch request {
            case .send(let email):
                try await client.requestPasswordReset(email: email)
                return .sent(email: email)
            case .reset(let token, let password, let expected):
                let result = try await client.resetPassword(token: token.value, newPassword: password.value)
                // An attacker may have sent a link for the attacker's account: the user reads its address before a
                // sign-in.
                if let signIn, let email = result.email, email.lowercasedASCII() == expected.lowercasedASCII(),
                    await signIn.succeeds(email, password)
                {
                    return .signedIn
                }
                return .reset(email: result.email)
            }
        }
    }
}

// MARK: - In an app

extension AuthRoute {
    /// Returns the route to a reset that begins with this step.
    public static func passwordReset(_ screen: PasswordResetScreen) -> AuthRoute {
        AuthRoute(screen)
    }
}

extension PasswordResetScreen: MailScreen {
    static var kind: AuthRoute.Kind { .passwordReset }

    static func makeModel(at route: AuthRoute, by factory: AuthScreenFactory) -> PasswordResetModel? {
        guard var screen = route.mailScreen as? Self else { return nil }
        screen.leadsToSignIn = factory.owner == nil
        return PasswordResetModel(
            factory.signInClient, screen: screen, clock: factory.clock,
            signIn: factory.passwordSignIn(of: factory.owner))
    }

    static func move(after outcome: Outcome) -> AuthFlow.Move {
        switch outcome {
        case .signIn(let email): .passwordSet(email: email)
        case .signedIn: .signedIn(by: .password)
        case .cancelled: .close()
        }
    }
}
