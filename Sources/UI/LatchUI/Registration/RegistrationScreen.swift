// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
public import LatchCore
public import LatchTexts

/// The registration: name, e-mail address and a chosen password.
///
/// It ends with the account; ``EmailVerificationScreen`` then waits for the mail.
public struct RegistrationScreen: Screen {
    /// The work of the screen.
    public enum Request: Hashable, Sendable {
        /// Create the account.
        case signUp(name: String, email: String, password: FieldText)
    }

    /// The answer to a request.
    public enum Response: Hashable, Sendable {
        /// The account is created, and a mail is on its way.
        case signedUp(email: String)
    }

    /// The way on.
    public enum Outcome: Hashable, Sendable {
        /// The account is created; its address waits for the verification.
        case registered(email: String)
        /// The user has an account already; with the address as typed so far.
        case signIn(email: String)
        /// The user has left the screen.
        case cancelled
    }

    /// The fields, which keep what was typed after a failure, except for the password.
    public var fields: Fields
    private var lostAnswer = LostAnswer()

    /// Creates the screen.
    ///
    /// - Parameter email: The address, if it is known.
    public init(email: String = "") {
        fields = Fields([
            Field(.name, .name, Phrase("field.name"), isRequired: false),
            Field(.email, .email, Phrase("field.email"), text: email, fills: .username),
            Field(.newPassword, .newPassword, Phrase("field.password")),
        ])
    }

    /// The title.
    public var title: Phrase { Phrase("registration.title") }

    /// The fields, their button, and the ways out.
    public var content: [Control] {
        fields.controls + [
            .text(Phrase("registration.mail")),
            .button(.submit, .primary, Phrase("registration.submit")),
            .button(.signIn, .link, Phrase("registration.signIn")),
            .button(.cancel, .cancel, Phrase("button.cancel")),
        ]
    }

    /// Takes the press of a button.
    public mutating func press(_ control: ControlID) -> ScreenStep<Self> {
        switch control {
        case .submit:
            let step = submitting {
                .signUp(name: $0.value(.name), email: $0.value(.email), password: $0.secret(.newPassword))
            }
            if case .perform = step { lostAnswer.begin(fields.value(.email)) }
            return step
        case .signIn: return .navigate(.signIn(email: fields.value(.email)))
        default: return .finish(.cancelled)
        }
    }

    /// Takes the answer: the end.
    public mutating func receive(_ response: Response) -> ScreenStep<Self> {
        lostAnswer = LostAnswer()
        switch response {
        case .signedUp(let email): return .finish(.registered(email: email))
        }
    }

    /// Notes that the answer of a cancelled request may be lost.
    public mutating func leave() { lostAnswer.lose() }

    /// Takes a failure, which belongs to a field where it is about its text.
    public mutating func receive(_ failure: ScreenFailure) -> ScreenFailure? {
        lostAnswer.receive(failure)
        switch failure.reason {
        case .taken where lostAnswer.mayHaveDone(fields.value(.email)):
            fields.setProblem(Phrase("field.email.taken.unsure"), of: .email)
        case .taken: fields.setProblem(Phrase("field.email.taken"), of: .email)
        case .invalidEmail: fields.setProblem(failure.phrase, of: .email)
        case .weakPassword: fields.setProblem(failure.phrase, of: .newPassword)
        default: return failure
        }
        return nil
    }
}

extension ControlID {
    /// The name of the user.
    public static let name: ControlID = "name"
    /// The link to the sign-in.
    public static let signIn: ControlID = "signIn"
}

/// The model of a ``RegistrationScreen``.
public typealias RegistrationModel = ScreenModel<RegistrationScreen>

extension ScreenModel where S == RegistrationScreen {
    /// Creates the registration at a client's backend.
    public convenience init(
        _ client: AuthClient, screen: RegistrationScreen = RegistrationScreen(), clock: WallClock = .system,
        onFinish: @escaping @MainActor (RegistrationScreen.Outcome) -> Void = { _ in }
    ) {
        self.init(screen, clock: clock, onFinish: onFinish, perform: S.requests(to: client))
    }
}

extension RegistrationScreen {
    /// Returns the function that sends the screen's requests to a client's backend.
    package static func requests(to client: AuthClient) -> ScreenModel<Self>.Perform {
        { request in
            switch request {
            case .signUp(let name, let email, let password):
                try await client.signUp(email: email, password: password.value, name: name)
                return .signedUp(email: email)
            }
        }
    }
}
