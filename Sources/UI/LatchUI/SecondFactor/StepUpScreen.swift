// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
public import LatchCore
public import LatchTexts

/// The repeated authentication of the signed-in user, which a server requires before it serves a request (RFC 9470).
///
/// The session raises it: ``SessionGateState/stepUp`` is there while one is pending. The tokens stay the same, and the request that
/// failed can be sent again.
public struct StepUpScreen: Screen {
    /// The work of the screen.
    public enum Request: Hashable, Sendable {
        /// Authenticate; the code is empty unless the account has a second factor.
        case authenticate(password: FieldText, code: FieldText)
    }

    /// The answer to a request.
    public enum Response: Hashable, Sendable {
        /// The user is authenticated.
        case authenticated
    }

    /// The way on.
    public enum Outcome: Hashable, Sendable {
        /// The user is authenticated.
        case authenticated
        /// To the password reset: an account that signs in through a provider may have no password.
        case passwordReset
        /// The user does not want it; the session goes on as it is.
        case cancelled
    }

    /// The fields; with that of the code once the server has asked for it.
    public var fields = Fields([Field(.password, .password, Phrase("field.password"))])

    /// Creates the screen.
    public init() {}

    /// The title.
    public var title: Phrase { Phrase("stepUp.title") }

    /// The explanation, the fields, and their button.
    public var content: [Control] {
        let explanation: Control =
            fields[.code] == nil
            ? .text(Phrase("stepUp.explanation")) : .notice(.information, Phrase("signIn.codeToo"))
        return [explanation] + fields.controls + [
            .button(.submit, .primary, Phrase("stepUp.submit")),
            .button(.forgotPassword, .link, Phrase("stepUp.noPassword")),
            .button(.cancel, .cancel, Phrase("button.cancel")),
        ]
    }

    /// Takes the press of a button.
    public mutating func press(_ control: ControlID) -> ScreenStep<Self> {
        switch control {
        case .submit: submitting { .authenticate(password: $0.secret(.password), code: $0.secret(.code)) }
        case .forgotPassword: .navigate(.passwordReset)
        default: .finish(.cancelled)
        }
    }

    /// Takes the answer: the end.
    public mutating func receive(_ response: Response) -> ScreenStep<Self> { .finish(.authenticated) }

    /// Takes a failure: the code's field is added where the account has a second factor.
    public mutating func receive(_ failure: ScreenFailure) -> ScreenFailure? {
        switch failure.reason {
        case .codeRequired where fields[.code] == nil:
            fields = Fields(fields.all + [Field(.code, .oneTimeCode, Phrase("field.code"))])
            return nil
        case .wrongCredentials:
            fields.setProblem(Phrase("field.currentPassword.wrong"), of: .password)
            return nil
        case .wrongCode where fields[.code] != nil:
            fields.setProblem(failure.phrase, of: .code)
            return nil
        default: return failure
        }
    }
}

/// The model of a ``StepUpScreen``.
public typealias StepUpModel = ScreenModel<StepUpScreen>

extension ScreenModel where S == StepUpScreen {
    /// Creates the step-up of a client's session.
    public convenience init(
        _ client: AuthClient, clock: WallClock = .system,
        onFinish: @escaping @MainActor (StepUpScreen.Outcome) -> Void = { _ in }
    ) {
        self.init(StepUpScreen(), clock: clock, onFinish: onFinish) { request in
            switch request {
            case .authenticate(let password, let code):
                try await client.reauthenticate(
                    password: password.value, code: code.value.isEmpty ? nil : code.value)
                return .authenticated
            }
        }
    }
}
