// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
import LatchAuth
public import LatchCore
public import LatchTexts

/// The verification of an email address: it waits for a link in an email, which opens the app.
///
/// A server may require the password with the link, since the reader of the email may not have chosen the password. An
/// app that ended while it waited restores the screen from its encoded form, which has no secret.
public struct EmailVerificationScreen: Screen {
    /// The step of a verification.
    public enum Step: Hashable, Sendable {
        /// The user looks for the email.
        case waiting
        /// The link with this token was opened, and the password is also needed.
        case password(FieldText)
        /// The link is used or has expired, and the address may be verified.
        case usedLink
        /// The address is verified.
        case verified
    }

    /// A request of the screen.
    public enum Request: Hashable, Sendable {
        /// Send another email.
        case resend(email: String)
        /// Verify the address; with the password if the server requires it.
        case verify(token: FieldText, password: FieldText?)
        /// Ask whether the address was verified elsewhere, such as in a browser.
        case check
    }

    /// The response to a request.
    public enum Response: Hashable, Sendable {
        /// Another email was sent.
        case sent
        /// The link has verified an address, which the server may state; a change of address may wait for another link.
        case verified(email: String? = nil, isChangePending: Bool = false)
        /// The address of the signed-in user is verified, by another device or a browser.
        case verifiedElsewhere(email: String)
        /// The link has verified the address, and its user is signed in.
        case signedIn
        /// The address is not verified yet.
        case waiting
        /// The server cannot be asked, since no user is signed in.
        case unknown

        /// The link has verified an address that the server did not state.
        public static var verified: Response { .verified() }
    }

    /// The end of the screen, or a screen that follows it.
    public enum Outcome: Hashable, Sendable {
        /// The address is verified.
        case verified(email: String)
        /// The user has verified the address elsewhere, and signs in with it.
        case signIn(email: String)
        /// The address is verified, and its user is signed in.
        case signedIn
        /// The user continues without it.
        case later
    }

    /// The address to verify; empty on a device that has only the link.
    public private(set) var email: String
    /// The address that the server has verified; nil if it did not state it.
    public private(set) var verifiedEmail: String?
    /// Whether a change of address waits for another link.
    private var isChangePending = false
    /// The step, which a link or a response changes.
    public private(set) var step = Step.waiting
    /// The field of the password, in its step.
    public var fields = Fields()
    /// Whether an email was sent.
    private var isSent: Bool
    /// Whether another email was sent.
    private var isSentAgain = false
    /// Whether the user has asked, and the address was not verified yet.
    private var isNotYet = false
    /// Whether the user asks, rather than the app.
    private var isAsking = false
    /// Whether the late response to a canceled request has said that the address is verified.
    private var isVerified = false
    /// The token of the running request, for the step after it.
    private var token: FieldText?
    /// The token of a link that could not be sent, until it is.
    private var unsent: FieldText?

    /// Creates the screen of an address.
    ///
    /// - Parameters:
    ///   - email: The address.
    ///   - isSent: Whether an email was sent, such as after a registration; otherwise the user requests one.
    public init(email: String, isSent: Bool = true) {
        self.email = email
        self.isSent = isSent
    }

    /// The request of a link that could not be sent.
    public var loading: Request? { unsent.map { .verify(token: $0, password: nil) } }

    /// The heading of the step; a pending change of address has a separate one.
    public var title: Phrase {
        switch step {
        case .waiting, .password: Phrase("verification.title")
        case .usedLink: Phrase("verification.usedLink.title")
        case .verified: Phrase(isChangePending ? "verification.pending.title" : "verification.done.title")
        }
    }

    /// The notice about the email, or the password field.
    public var content: [Control] {
        switch step {
        case .waiting where !isSent:
            [
                .text(Phrase("verification.unsent", .text(email))),
                .button(.resend, .primary, Phrase("verification.send")),
                .button(.done, .cancel, Phrase("verification.later")),
            ]
        case .waiting:
            [
                mailNotice, .text(Phrase("verification.explanation")),
                .button(.confirmed, .primary, Phrase("verification.confirmed")),
            ] + (email.isEmpty ? [] : [.button(.resend, .secondary, Phrase("verification.resend"))]) + [
                .button(.done, .cancel, Phrase("verification.later"))
            ]
        case .password:
            [.notice(.information, Phrase("verification.password"))] + fields.controls + [
                .button(.submit, .primary, Phrase("verification.submit")),
                .button(.back, .cancel, Phrase("button.back")),
            ]
        case .usedLink:
            [
                .text(Phrase("verification.usedLink")),
                .button(.confirmed, .secondary, Phrase("verification.confirmed")),
            ] + fields.controls + [
                .button(.resend, .primary, Phrase("verification.resend")),
                .button(.done, .cancel, Phrase("verification.later")),
            ]
        case .verified: [doneNotice, .button(.done, .primary, Phrase("button.continue"))]
        }
    }

    /// The notice about the verified address, which only the server knows.
    private var doneNotice: Control {
        guard let verifiedEmail else { return .notice(.success, Phrase("verification.done.noAddress")) }
        return isChangePending
            ? .notice(.warning, Phrase("verification.pending", .text(verifiedEmail)))
            : .notice(.success, Phrase("verification.done", .text(verifiedEmail)))
    }

    /// The notice about the email that the user is looking for.
    private var mailNotice: Control {
        // The link does not contain its address, and this device may not know it.
        switch (isNotYet, email.isEmpty) {
        case (true, true): .notice(.warning, Phrase("verification.notYet.noAddress"))
        case (true, false): .notice(.warning, Phrase("verification.notYet", .text(email)))
        case (false, true): .notice(.information, Phrase("verification.sent.noAddress"))
        case (false, false):
            .notice(
                .information, Phrase(isSentAgain ? "verification.sentAgain" : "verification.sent", .text(email)))
        }
    }

    /// Handles the press of a button.
    public mutating func press(_ control: ControlID) -> ScreenStep<Self> {
        switch (control, step) {
        case (.resend, .usedLink):
            guard fields.validate() else { return .stay }
            email = fields.value(.email)
            return .perform(.resend(email: email))
        case (.resend, _): return .perform(.resend(email: email))
        case (.confirmed, _):
            isAsking = true
            return .perform(.check)
        case (.submit, .password(let token)):
            return submitting { .verify(token: token, password: $0.secret(.password)) }
        case (.back, _):
            show(.waiting)
            return .stay
        case (_, .verified): return .finish(.verified(email: verifiedEmail ?? email))
        default: return .finish(.later)
        }
    }

    /// Handles the response.
    public mutating func receive(_ response: Response) -> ScreenStep<Self> {
        let isAsking = isAsking
        (self.isAsking, token, unsent) = (false, nil, nil)
        switch response {
        case .sent:
            (isSentAgain, isSent, isNotYet) = (isSent, true, false)
            if step == .usedLink { show(.waiting) }
        case .verified(let email, let isChangePending):
            (verifiedEmail, self.isChangePending) = (email, isChangePending)
            show(.verified)
        case .verifiedElsewhere(let email):
            verifiedEmail = email
            show(.verified)
        case .signedIn: return .finish(.signedIn)
        case .waiting:
            isNotYet = isAsking
            if step == .usedLink, isAsking { show(.waiting) }
        case .unknown: if isAsking { return .finish(.signIn(email: email)) }
        }
        return .stay
    }

    /// Handles a late response, but keeps the token of a link that is being opened: the link takes precedence.
    public mutating func receiveLate(_ response: Response, isBusy: Bool) -> ScreenStep<Self> {
        switch response {
        case .verified(let email, let isChangePending):
            (verifiedEmail, self.isChangePending) = (email, isChangePending)
            guard !isBusy else {
                isVerified = true
                return .stay
            }
            unsent = nil
            show(.verified)
        case .verifiedElsewhere(let email) where step == .waiting && token == nil && unsent == nil:
            verifiedEmail = email
            show(.verified)
        case .sent where step == .waiting || step == .usedLink && !isBusy:
            (isSentAgain, isSent, isNotYet) = (isSent, true, false)
            show(.waiting)
        case .signedIn: return .finish(.signedIn)
        case .sent, .verifiedElsewhere, .waiting, .unknown: break
        }
        return .stay
    }

    /// Handles a failure: asks for the password if the server requires it.
    public mutating func receive(_ failure: ScreenFailure) -> ScreenFailure? {
        let token = token ?? unsent
        (isAsking, self.token, unsent) = (false, nil, nil)
        switch failure.reason {
        case .offline, .serverFailed:
            // The user has only the link.
            unsent = token
            return failure
        case .wrongCredentials where fields[.password] != nil:
            fields.setProblem(Phrase("field.currentPassword.wrong"), of: .password)
            return nil
        case .codeRequired:
            guard let token else { return failure }
            show(.password(token))
            return nil
        case .invalidLink, .expired:
            // The late response to the attempt before has said that the address is verified.
            show(isVerified ? .verified : .usedLink)
            return isVerified ? nil : failure
        default: return failure
        }
    }

    /// Handles the link in the email.
    public mutating func open(_ link: ScreenLink) -> ScreenStep<Self> {
        guard link.purpose == .verifyEmail, step != .verified else { return .stay }
        let token = FieldText(link.token, isSecret: true)
        // The system may deliver a link twice.
        if token == self.token || step == .password(token) { return .stay }
        show(.waiting)
        (self.token, unsent, isVerified) = (token, nil, false)
        return .perform(.verify(token: token, password: nil))
    }

    /// Keeps the token of a link whose request was canceled, so that it can be sent again.
    public mutating func leave() {
        if step == .waiting, let token { unsent = token }
        (isAsking, token) = (false, nil)
    }

    /// Checks whether the address was verified in a browser in the meantime.
    public mutating func resume() -> ScreenStep<Self> {
        guard step == .waiting, isSent else { return .stay }
        return .perform(loading ?? .check)
    }

    private mutating func show(_ step: Step) {
        self.step = step
        switch step {
        case .password: fields = Fields([Field(.password, .password, Phrase("field.password"))])
        case .usedLink: fields = Fields([Field(.email, .email, Phrase("field.email"), text: email)])
        case .waiting, .verified: fields = Fields()
        }
    }

    /// Sets the address that was waiting for the email, unless an address is known.
    mutating func remember(_ email: String) { if self.email.isEmpty { self.email = email } }
}

extension EmailVerificationScreen: Codable {
    private enum CodingKeys: String, CodingKey {
        case email, isVerified, isSent
    }

    /// Restores the screen in its waiting step, or at its end.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            email: try values.decode(String.self, forKey: .email),
            isSent: try values.decodeIfPresent(Bool.self, forKey: .isSent) ?? true)
        if try values.decode(Bool.self, forKey: .isVerified) {
            if !email.isEmpty { verifiedEmail = email }
            show(.verified)
        }
    }

    /// Encodes the address and whether it is verified.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(step == .verified ? verifiedEmail ?? email : email, forKey: .email)
        try values.encode(step == .verified, forKey: .isVerified)
        try values.encode(isSent, forKey: .isSent)
    }
}

extension ControlID {
    /// The button that sends an email, or sends it again.
    public static let resend: ControlID = "resend"
    /// The button for users who have verified the address elsewhere.
    public static let confirmed: ControlID = "confirmed"
}

/// The model of an ``EmailVerificationScreen``.
public typealias EmailVerificationModel = ScreenModel<EmailVerificationScreen>

extension ScreenModel where S == EmailVerificationScreen {
    /// Creates the verification at a client's backend.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - screen: The screen.
    ///   - clock: The clock of locks.
    ///   - signIn: Signs the user of a verified address in with the password that was just proved, and returns whether
    ///     it did; nil to leave that to the sign-in.
    ///   - onFinish: Is called when the address is verified, or the user leaves the screen.
    public convenience init(
        _ client: AuthClient, screen: EmailVerificationScreen, clock: WallClock = .system,
        signIn: PasswordSignIn? = nil,
        onFinish: @escaping @MainActor (EmailVerificationScreen.Outcome) -> Void = { _ in }
    ) {
        self.init(screen, clock: clock, onFinish: onFinish, perform: S.requests(to: client, signIn: signIn))
        linkBases = [client.baseURL]
    }
}

extension EmailVerificationScreen {
    /// Returns the function that sends the screen's requests to a client's backend.
    package static func requests(
        to client: AuthClient, signIn: PasswordSignIn? = nil
    ) -> ScreenModel<Self>.Perform {
        { request in
            switch request {
            case .resend(let email):
                try await client.resendVerification(email: email)
                return .sent
            case .verify(let token, let password):
                let result = try await client.verifyEmail(token: token.value, password: password?.value)
                if let signIn, let email = result.email, let password, !result.isChangePending,
                    await signIn.succeeds(email, password)
                {
                    return .signedIn
                }
                return .verified(email: result.email, isChangePending: result.isChangePending)
            case .check:
                // The server cannot be asked before the first sign-in.
                guard client.session.currentState.isSignedIn else { return .unknown }
                let account = try await client.profile()
                return account.isEmailVerified == true ? .verifiedElsewhere(email: account.email) : .waiting
            }
        }
    }
}

// MARK: - In an app

extension AuthRoute {
    /// Returns the route to the verification of an address.
    public static func verification(_ screen: EmailVerificationScreen) -> AuthRoute {
        AuthRoute(screen)
    }
}

extension EmailVerificationScreen: MailScreen {
    static var kind: AuthRoute.Kind { .verification }

    static func makeModel(at route: AuthRoute, by factory: AuthScreenFactory) -> EmailVerificationModel? {
        guard let screen = route.mailScreen as? Self else { return nil }
        let isOwn = factory.owner != nil
        return EmailVerificationModel(
            isOwn ? factory.client : factory.signInClient, screen: screen, clock: factory.clock,
            signIn: isOwn ? nil : factory.passwordSignIn())
    }

    static func move(after outcome: Outcome) -> AuthFlow.Move {
        switch outcome {
        case .verified(let email), .signIn(let email): .verified(email: email)
        case .signedIn: .signedIn(by: .password)
        case .later: .close()
        }
    }
}
