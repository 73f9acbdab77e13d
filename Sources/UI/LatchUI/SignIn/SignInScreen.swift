// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
public import LatchFoundation
public import LatchTexts

/// The sign-in: name and password, then a code if the account has a second factor; a code by email, a passkey, or
/// another provider.
///
/// The password is removed after the first request: the second step uses the server's challenge, and returns to the
/// first when that expires. A backend without challenges gets password and code together.
public struct SignInScreen: Screen {
    /// The options of the screen.
    public struct Options: Hashable, Sendable {
        /// The providers, in the order of their buttons.
        public var providers: [IdentityProvider] = []
        /// Whether the screen asks the server for its ways to sign in when it first appears.
        ///
        /// The server's ways then replace ``offersPassword`` and ``offersCode``, and hide the other ones that are off.
        /// If the request fails, the screen shows what these options say.
        public var loadsWays = false
        /// Whether the screen has a field for a password; false for a server whose `sign_in_ways` lack `password`.
        public var offersPassword = true
        /// Whether the screen has a button for a passkey; a model with a provider of passkeys sets it.
        public var offersPasskey = false
        /// Whether the keyboard suggests passkeys while the screen is shown; a model with a provider of passkeys sets
        /// it.
        public var suggestsPasskeys = false
        /// Whether the screen has a button for a code by email; for a server with the setting `sign_in_codes`.
        public var offersCode = false
        /// Whether a user name is accepted in place of the address.
        public var acceptsUsername = false
        /// Whether the screen leads to the registration.
        public var offersRegistration = true
        /// Whether the screen leads to the password reset.
        public var offersPasswordReset = true
        /// Whether the user may leave without signing in.
        public var isDismissible = false
        /// Whether the screen leads to the other accounts of this device; a model with several accounts sets it.
        public var offersAccounts = false

        /// Creates the options of a screen with only an address and a password.
        public init() {}

        init(loadsWays: Bool) { self.loadsWays = loadsWays }
    }

    /// The step of a sign-in.
    public enum Step: Hashable, Sendable {
        /// Name and password.
        case credentials
        /// Name, password and code together, for a backend without challenges.
        case credentialsWithCode
        /// The code of the second factor.
        case secondFactor(SignInChallenge)
        /// The address that gets a code.
        case codeAddress
        /// The code from the email.
        case mailedCode(MailedCodeChallenge)
        /// The code of the second factor, after the right code from the email.
        case mailedCodeWithFactor(MailedCodeChallenge, code: FieldText)
    }

    /// A request of the screen.
    public enum Request: Hashable, Sendable {
        /// Ask the server for its ways to sign in.
        case loadWays
        /// Sign in; the code is empty unless the step asks for one.
        case signIn(name: String, password: FieldText, code: FieldText)
        /// Complete the sign-in.
        case verify(SignInChallenge, code: FieldText)
        /// Send an email with a code.
        case requestCode(email: String)
        /// Send another email with the code.
        case resendCode(MailedCodeChallenge)
        /// Sign in with a code from an email; the code of the second factor is empty unless the step asks for one.
        case redeemCode(MailedCodeChallenge, code: FieldText, factor: FieldText)
        /// Sign in with a passkey.
        case passkey(PasskeyMediation)
        /// Sign in on the page of a provider.
        case provider(IdentityProvider)
    }

    /// The response to a request.
    public enum Response: Hashable, Sendable {
        /// The server's ways to sign in; nil if they are unknown.
        case ways(SignInWays?)
        /// The user is signed in.
        case signedIn
        /// A code is needed.
        case challenged(SignInChallenge)
        /// An email was sent, if the address has an account.
        case mailed(MailedCodeChallenge)
    }

    /// The end of the screen, or a screen that follows it.
    public enum Outcome: Hashable, Sendable {
        /// The user is signed in.
        case signedIn
        /// The user wants an account; with the address as typed so far.
        case registration(email: String)
        /// The user has forgotten the password; with the address as typed so far.
        case passwordReset(email: String)
        /// The address has to be confirmed first.
        case verification(email: String)
        /// The user wants to choose another account of this device.
        case accounts
        /// The user has left the screen.
        case cancelled
    }

    /// What the screen offers besides an address and a password.
    public internal(set) var options: Options
    /// The way of the last request, until it fails; nil for a passkey that the keyboard suggests.
    public private(set) var way: AuthEvent.Way?
    /// The step: name and password, with or without a code, the code only, or a code by email.
    public private(set) var step = Step.credentials
    /// The fields of the step.
    public var fields: Fields
    /// Whether the screen still has to ask the server for its ways.
    private var lacksWays: Bool
    /// Whether another email was sent.
    private var isSentAgain = false
    /// The code from the email that was sent to the server.
    private var sentCode: FieldText?
    /// The name that was sent; the first step shows it again.
    private var name: String
    /// The name of an account with an address that must be confirmed first.
    private var unverified: String?

    /// Creates the screen.
    ///
    /// - Parameters:
    ///   - name: The address or user name, if it is known.
    ///   - options: The options.
    public init(name: String = "", options: Options = Options()) {
        self.options = options
        self.name = name
        lacksWays = options.loadsWays
        fields = Fields()
        show(.credentials)
    }

    /// The request for the server's ways; nil once they are known, or the request has failed.
    public var loading: Request? { lacksWays ? .loadWays : nil }

    /// The address to store with the route of the screen.
    var storableEmail: String { lacksWays ? name.plausibleEmail : fields.storableEmail }

    /// The title of the step.
    public var title: Phrase {
        switch step {
        case .credentials, .credentialsWithCode: Phrase("signIn.title")
        case .secondFactor, .mailedCodeWithFactor: Phrase("signIn.code.title")
        case .codeAddress: Phrase("page.mailedCode.title")
        case .mailedCode: Phrase("page.signUp.code.title")
        }
    }

    /// The request for a passkey that the keyboard suggests; nil in the second step, and without suggestions.
    public var assistance: Request? {
        switch step {
        case .credentials, .credentialsWithCode: options.suggestsPasskeys ? .passkey(.conditional) : nil
        case .secondFactor, .codeAddress, .mailedCode, .mailedCodeWithFactor: nil
        }
    }

    /// The date at which the challenge expires.
    public var deadline: Date? { if case .secondFactor(let challenge) = step { challenge.expiryDate } else { nil } }

    /// The fields, their button, and the links to other screens.
    public var content: [Control] {
        switch step {
        case .credentials, .credentialsWithCode: credentialControls
        case .codeAddress:
            [.text(Phrase("page.mailedCode.text"))] + fields.controls + [
                .button(.submit, .primary, Phrase("page.signUp.submit")),
                .button(.back, .cancel, Phrase("button.back")),
            ]
        case .mailedCode(let challenge):
            [
                .notice(
                    .information,
                    Phrase(isSentAgain ? "page.mailedCode.resent" : "page.mailedCode.sent", .text(challenge.email)))
            ] + fields.controls + [
                .button(.submit, .primary, Phrase("signIn.submit")),
                .button(.resend, .secondary, Phrase("page.mailedCode.again")),
                .button(.otherAddress, .link, Phrase("page.forgot.again")),
                .button(.back, .cancel, Phrase("button.back")),
            ]
        case .secondFactor, .mailedCodeWithFactor:
            [explanation] + fields.controls + [
                .button(.submit, .primary, Phrase("signIn.code.submit")),
                .button(.back, .cancel, Phrase("button.back")),
            ]
        }
    }

    /// What the second step asks for; a notice if it follows a code that was accepted.
    private var explanation: Control {
        let text = Phrase("signIn.code.explanation")
        if case .mailedCodeWithFactor = step { return .notice(.information, text) }
        return .text(text)
    }

    private var credentialControls: [Control] {
        if lacksWays { return leaving }
        if options.offersPassword { return passwordControls + otherControls }
        guard options.offersCode else { return otherControls }
        let form = [.text(Phrase("page.mailedCode.text"))] + fields.controls
        return form + [.button(.submit, .primary, Phrase("page.signUp.submit"))] + otherControls
    }

    /// The fields of the password, and what belongs to them.
    private var passwordControls: [Control] {
        var all: [Control] = []
        if step == .credentialsWithCode { all.append(.notice(.information, Phrase("signIn.codeToo"))) }
        all += fields.controls
        all.append(.button(.submit, .primary, Phrase("signIn.submit")))
        if leadsToVerification { all.append(.button(.verifyEmail, .secondary, Phrase("signIn.verify"))) }
        if options.offersPasswordReset { all.append(.button(.forgotPassword, .link, Phrase("signIn.forgot"))) }
        if step == .credentialsWithCode { all.append(.button(.back, .link, Phrase("button.back"))) }
        if options.offersCode { all.append(.button(.mailedCode, .secondary, Phrase("page.signIn.code"))) }
        return all
    }

    /// The ways without a form, and the links to other screens.
    private var otherControls: [Control] {
        var all: [Control] = []
        if options.offersNoWay { all.append(.notice(.warning, Phrase("signIn.nothing"))) }
        if options.offersPasskey { all.append(.button(.passkey, .secondary, Phrase("signIn.passkey"))) }
        all += options.providers.map { provider in
            var button = Control.button(
                .provider(provider), .secondary, Phrase("signIn.provider", .text(provider.displayName)))
            button.provider = provider
            return button
        }
        if options.offersRegistration { all.append(.button(.register, .link, Phrase("signIn.register"))) }
        return all + leaving
    }

    /// The buttons that leave the sign-in.
    private var leaving: [Control] {
        var all: [Control] = []
        if options.offersAccounts { all.append(.button(.otherAccounts, .link, Phrase("accounts.title"))) }
        if options.isDismissible { all.append(.button(.cancel, .cancel, Phrase("button.cancel"))) }
        return all
    }

    /// Whether the typed address is the one to confirm; a user name cannot receive emails.
    private var leadsToVerification: Bool {
        unverified.map { $0 == fields.value(.email) && EmailShape.isPlausible($0) } ?? false
    }

    /// Handles the press of a button.
    public mutating func press(_ control: ControlID) -> ScreenStep<Self> {
        switch control {
        case .submit: return submit()
        case .back:
            way = nil
            show(.credentials)
            return .stay
        case .mailedCode, .otherAddress:
            name = fields[.email] == nil ? name : fields.value(.email)
            show(.codeAddress)
            return .stay
        case .resend:
            guard case .mailedCode(let challenge) = step else { return .stay }
            return .perform(.resendCode(challenge))
        case .forgotPassword: return .navigate(.passwordReset(email: fields.value(.email)))
        case .register: return .navigate(.registration(email: fields.value(.email)))
        case .verifyEmail: return .navigate(.verification(email: fields.value(.email)))
        case .otherAccounts: return .navigate(.accounts)
        case .cancel: return .finish(.cancelled)
        case .passkey:
            way = .passkey
            return .perform(.passkey(.modal))
        default:
            let provider = options.providers.first { .provider($0) == control }
            way = provider.map { .provider($0) }
            return provider.map { .perform(.provider($0)) } ?? .stay
        }
    }

    private mutating func submit() -> ScreenStep<Self> {
        switch step {
        case .secondFactor(let challenge): return submitting { .verify(challenge, code: $0.secret(.code)) }
        case .codeAddress:
            name = fields.value(.email)
            return submitting { .requestCode(email: $0.value(.email)) }
        case .mailedCode(let challenge):
            way = .code
            sentCode = fields.secret(.code)
            return submitting { .redeemCode(challenge, code: $0.secret(.code), factor: FieldText("", isSecret: true)) }
        case .mailedCodeWithFactor(let challenge, let code):
            return submitting { .redeemCode(challenge, code: code, factor: $0.secret(.code)) }
        case .credentials, .credentialsWithCode:
            name = fields.value(.email)
            guard options.offersPassword else { return submitting { .requestCode(email: $0.value(.email)) } }
            way = .password
            return submitting {
                .signIn(name: $0.value(.email), password: $0.secret(.password), code: $0.secret(.code))
            }
        }
    }

    /// Handles the response: ends the screen, or continues with the second step.
    public mutating func receive(_ response: Response) -> ScreenStep<Self> {
        switch response {
        case .ways(let ways):
            if let ways { options.restrict(to: ways) }
            endLoading()
            return .stay
        case .signedIn:
            // A challenge is valid for one sign-in.
            show(.credentials)
            return .finish(.signedIn)
        case .challenged(let challenge):
            show(.secondFactor(challenge))
            return .stay
        case .mailed(let challenge):
            let isAgain = if case .mailedCode = step { true } else { false }
            show(.mailedCode(challenge))
            isSentAgain = isAgain
            return .stay
        }
    }

    /// Handles a late response; an email that was sent too late does not change the form of a password.
    public mutating func receiveLate(_ response: Response, isBusy: Bool) -> ScreenStep<Self> {
        switch (response, step) {
        case (.signedIn, _): return receive(response)
        case (.challenged, _) where !isBusy: return receive(response)
        case (.mailed, .codeAddress) where !isBusy, (.mailed, .mailedCode) where !isBusy: return receive(response)
        case (.challenged, _), (.mailed, _), (.ways, _): return .stay
        }
    }

    /// Shows the configured ways after the user has canceled the request for those of the server.
    public mutating func leave() { endLoading() }

    private mutating func endLoading() {
        guard lacksWays else { return }
        lacksWays = false
        show(.credentials)
    }

    /// Handles a failure: an expired challenge begins again, and a missing code adds its field.
    public mutating func receive(_ failure: ScreenFailure) -> ScreenFailure? {
        guard !lacksWays else {
            endLoading()
            return failure
        }
        switch step {
        case .secondFactor, .mailedCodeWithFactor: break
        case .credentials, .credentialsWithCode, .codeAddress, .mailedCode: way = nil
        }
        switch (failure.reason, step) {
        case (.codeRequired, .mailedCode(let challenge)):
            guard let sentCode else { return failure }
            way = .code
            show(.mailedCodeWithFactor(challenge, code: sentCode))
            return nil
        case (.wrongCode, .mailedCode):
            fields.setProblem(.wrongMailedCode, of: .code)
            return nil
        case (.wrongCode, .mailedCodeWithFactor):
            fields.setProblem(failure.phrase, of: .code)
            return nil
        case (.expired, .mailedCode), (.expired, .mailedCodeWithFactor):
            show(.codeAddress)
            return failure
        case (.invalidEmail, .codeAddress),
            (.invalidEmail, .credentials) where fields[.password] == nil:
            fields.setProblem(failure.phrase, of: .email)
            return nil
        case (.expired, .secondFactor), (.signedOut, .secondFactor): return expire()
        case (.codeRequired, .credentials) where options.offersPassword:
            show(.credentialsWithCode)
            return nil
        case (.wrongCode, .secondFactor), (.wrongCode, .credentialsWithCode):
            fields.setProblem(failure.phrase, of: .code)
            return nil
        case (.emailUnverified, .credentials), (.emailUnverified, .credentialsWithCode):
            unverified = name
            return failure
        default: return failure
        }
    }

    /// Returns to the first step.
    public mutating func expire() -> ScreenFailure? {
        show(.credentials)
        return ScreenFailure(.expired)
    }

    private mutating func show(_ step: Step) {
        self.step = step
        (isSentAgain, sentCode) = (false, nil)
        let code = Field(.code, .oneTimeCode, Phrase("field.code"))
        switch step {
        case .credentials where lacksWays || (!options.offersPassword && !options.offersCode): fields = Fields()
        case .credentials where !options.offersPassword: fields = emailFields
        case .credentials, .credentialsWithCode:
            let kind: FieldKind = options.acceptsUsername ? .username : .email
            fields = Fields(
                [
                    Field(.email, kind, Phrase("field.\(kind.rawValue)"), text: name, fills: .username),
                    Field(.password, .password, Phrase("field.password")),
                ] + (step == .credentials ? [] : [code]))
        case .codeAddress: fields = emailFields
        case .mailedCode: fields = Fields([Field(.code, .authenticatorCode, Phrase("field.code"))])
        case .secondFactor, .mailedCodeWithFactor: fields = Fields([code])
        }
    }

    /// The form that asks for the address of a code.
    private var emailFields: Fields {
        let email = EmailShape.isPlausible(name) ? name : ""
        return Fields([Field(.email, .email, Phrase("field.email"), text: email, fills: .username)])
    }
}

extension SignInScreen.Options {
    /// Whether the user cannot sign in on this screen.
    fileprivate var offersNoWay: Bool { !offersPassword && !offersCode && !offersPasskey && providers.isEmpty }

    /// Offers the server's passwords and codes, and hides the other ways that the server does not have.
    ///
    /// A passkey needs this device, and a provider the app, so the server adds none.
    fileprivate mutating func restrict(to ways: SignInWays) {
        (offersPassword, offersCode) = (ways.hasPassword, ways.hasCode)
        if !ways.hasPasskey { (offersPasskey, suggestsPasskeys) = (false, false) }
        if let known = ways.providers.map({ Set($0.map(\.provider)) }) { providers.removeAll { !known.contains($0) } }
        if !ways.hasSignUp { offersRegistration = false }
    }
}

extension Phrase {
    /// The problem of a code that is not the one of the email.
    package static let wrongMailedCode = Phrase(
        "problem.sentence", .phrase(Phrase("problem.invalidMailedCode.title")),
        .phrase(Phrase("problem.invalidMailedCode.advice")))
}

extension ControlID {
    /// The link to the password reset.
    public static let forgotPassword: ControlID = "forgotPassword"
    /// The button for a code by email.
    public static let mailedCode: ControlID = "mailedCode"
    /// The button for a code to another address.
    public static let otherAddress: ControlID = "otherAddress"
    /// The button for a passkey.
    public static let passkey: ControlID = "passkey"
    /// The link to the registration.
    public static let register: ControlID = "register"
    /// The button to the other accounts of this device.
    public static let otherAccounts: ControlID = "otherAccounts"

    /// Returns the button of a provider.
    public static func provider(_ provider: IdentityProvider) -> ControlID {
        ControlID("provider", item: provider.rawValue)
    }
}

extension IdentityProvider {
    /// The name that users know.
    public var displayName: String {
        switch self {
        case .apple: "Apple"
        case .facebook: "Facebook"
        case .google: "Google"
        case .microsoft: "Microsoft"
        default: rawValue
        }
    }
}
