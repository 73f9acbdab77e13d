// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
import LatchAuth
public import LatchCore
public import LatchTexts

/// The verification of an e-mail address: it waits for the link of a mail, which opens the app.
///
/// A server may want the password together with the link, since whoever reads the mail need not have chosen it. An app that
/// was ended while it waited restores the screen from its encoded form, which has no secret.
public struct EmailVerificationScreen: Screen {
    /// The step of a verification.
    public enum Step: Hashable, Sendable {
        /// The user looks for the mail.
        case waiting
        /// The link has come, and the password is needed as well; with the link's token.
        case password(FieldText)
        /// The address is verified.
        case verified
    }

    /// The work of the screen.
    public enum Request: Hashable, Sendable {
        /// Send another mail.
        case resend(email: String)
        /// Verify the address; with the password where the server wants it.
        case verify(token: FieldText, password: FieldText?)
        /// Ask whether the address was verified elsewhere, such as in a browser.
        case check
    }

    /// The answer to a request.
    public enum Response: Hashable, Sendable {
        /// Another mail is on its way.
        case sent
        /// The address is verified.
        case verified
        /// The address is not verified yet.
        case waiting
    }

    /// The way on.
    public enum Outcome: Hashable, Sendable {
        /// The address is verified.
        case verified(email: String)
        /// The user goes on without.
        case later
    }

    /// The address.
    public let email: String
    /// The step.
    public private(set) var step = Step.waiting
    /// The field of the password, in its step.
    public var fields = Fields()
    /// Whether another mail was sent.
    private var isSentAgain = false
    /// The token of the request that is under way, for the step after it.
    private var token: FieldText?

    /// Creates the screen of an address.
    public init(email: String) { self.email = email }

    /// The title.
    public var title: Phrase { Phrase(step == .verified ? "verification.done.title" : "verification.title") }

    /// The notice of the mail, or the password's field.
    public var content: [Control] {
        switch step {
        case .waiting:
            [
                .notice(
                    .information, Phrase(isSentAgain ? "verification.sentAgain" : "verification.sent", .text(email))),
                .text(Phrase("verification.explanation")),
                .button(.resend, .secondary, Phrase("verification.resend")),
                .button(.done, .cancel, Phrase("verification.later")),
            ]
        case .password:
            [.notice(.information, Phrase("verification.password"))] + fields.controls + [
                .button(.submit, .primary, Phrase("verification.submit")),
                .button(.back, .cancel, Phrase("button.back")),
            ]
        case .verified:
            [
                .notice(.success, Phrase("verification.done", .text(email))),
                .button(.done, .primary, Phrase("button.continue")),
            ]
        }
    }

    /// Takes the press of a button.
    public mutating func press(_ control: ControlID) -> ScreenStep<Self> {
        switch (control, step) {
        case (.resend, _): return .perform(.resend(email: email))
        case (.submit, .password(let token)):
            return submitting { .verify(token: token, password: $0.secret(.password)) }
        case (.back, _):
            show(.waiting)
            return .stay
        case (_, .verified): return .finish(.verified(email: email))
        default: return .finish(.later)
        }
    }

    /// Takes the answer.
    public mutating func receive(_ response: Response) -> ScreenStep<Self> {
        token = nil
        switch response {
        case .sent: isSentAgain = true
        case .verified: show(.verified)
        case .waiting: break
        }
        return .stay
    }

    /// Takes a failure: the password is asked for where the server wants it.
    public mutating func receive(_ failure: ScreenFailure) -> ScreenFailure? {
        let token = token
        self.token = nil
        switch failure.reason {
        case .codeRequired:
            guard let token else { return failure }
            show(.password(token))
            return nil
        case .invalidLink, .expired:
            show(.waiting)
            return failure
        default: return failure
        }
    }

    /// Takes the link of the mail.
    public mutating func open(_ link: ScreenLink) -> ScreenStep<Self> {
        guard link.purpose == .verifyEmail, step != .verified else { return .stay }
        let token = FieldText(link.token, isSecret: true)
        show(.waiting)
        self.token = token
        return .perform(.verify(token: token, password: nil))
    }

    /// Forgets the token of a request that was cancelled.
    public mutating func leave() { token = nil }

    /// Asks whether the address was verified in a browser meanwhile.
    public mutating func resume() -> ScreenStep<Self> { step == .waiting ? .perform(.check) : .stay }

    private mutating func show(_ step: Step) {
        self.step = step
        if case .password = step {
            fields = Fields([Field(.password, .password, Phrase("field.password"))])
        } else {
            fields = Fields()
        }
    }
}

extension EmailVerificationScreen: Codable {
    private enum CodingKeys: String, CodingKey {
        case email, isVerified
    }

    /// Restores the screen as it waits for the mail, or at its end.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(email: try values.decode(String.self, forKey: .email))
        if try values.decode(Bool.self, forKey: .isVerified) { show(.verified) }
    }

    /// Encodes the address and whether it is verified.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(email, forKey: .email)
        try values.encode(step == .verified, forKey: .isVerified)
    }
}

extension ControlID {
    /// The button that sends another mail.
    public static let resend: ControlID = "resend"
}

/// The model of an ``EmailVerificationScreen``.
public typealias EmailVerificationModel = ScreenModel<EmailVerificationScreen>

extension ScreenModel where S == EmailVerificationScreen {
    /// Creates the verification at a client's backend.
    public convenience init(
        _ client: AuthClient, screen: EmailVerificationScreen, clock: WallClock = .system,
        onFinish: @escaping @MainActor (EmailVerificationScreen.Outcome) -> Void = { _ in }
    ) {
        self.init(screen, clock: clock, onFinish: onFinish) { request in
            switch request {
            case .resend(let email):
                try await client.resendVerification(email: email)
                return .sent
            case .verify(let token, let password):
                try await client.verifyEmail(token: token.value, password: password?.value)
                return .verified
            case .check:
                // Nobody can be asked before the first sign-in.
                guard client.session.currentState.isSignedIn else { return .waiting }
                return try await client.profile().isEmailVerified == true ? .verified : .waiting
            }
        }
    }
}
