// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
public import LatchTexts

/// The repeated authentication of the signed-in user, which a server requires before it serves a request (RFC 9470).
///
/// It offers the methods of the account: the password, a passkey, and the linked providers. The session requires it:
/// ``SessionGateState/stepUp`` is not nil while one is pending. The tokens stay the same, and the request that failed
/// can be sent again.
public struct StepUpScreen: Screen {
    /// The ways in which the user can authenticate here.
    public struct Methods: Hashable, Sendable {
        /// Whether the account has a password.
        public var hasPassword: Bool
        /// Whether the account has a passkey, and this device can use one.
        public var hasPasskey: Bool
        /// Whether a password and a provider also need a code of the second factor.
        public var hasSecondFactor: Bool
        /// The providers that the account is linked to, as far as the app can show their pages.
        public var providers: [IdentityProvider]

        /// Creates ways; by default only the password, as for a server that does not list its ways.
        public init(
            hasPassword: Bool = true, hasPasskey: Bool = false, hasSecondFactor: Bool = false,
            providers: [IdentityProvider] = []
        ) {
            self.hasPassword = hasPassword
            self.hasPasskey = hasPasskey
            self.hasSecondFactor = hasSecondFactor
            self.providers = providers
        }

        /// Whether there is none.
        var isEmpty: Bool { !hasPassword && !hasPasskey && providers.isEmpty }
    }

    /// A request of the screen.
    public enum Request: Hashable, Sendable {
        /// Load the ways in which the user can authenticate.
        case load
        /// Authenticate with the password; the code is empty unless the account has a second factor.
        case authenticate(password: FieldText, code: FieldText)
        /// Authenticate with a passkey.
        case passkey
        /// Authenticate on the page of a provider; the code is empty unless the account has a second factor.
        case provider(IdentityProvider, code: FieldText)
    }

    /// The response to a request.
    public enum Response: Hashable, Sendable {
        /// The ways in which the user can authenticate.
        case loaded(Methods)
        /// The user is authenticated.
        case authenticated
    }

    /// The end of the screen, or a screen that follows it.
    public enum Outcome: Hashable, Sendable {
        /// The user is authenticated.
        case authenticated
        /// To the password reset: the user has forgotten the password, or has none.
        case passwordReset
        /// The user has dismissed it; the session continues unchanged.
        case cancelled
    }

    /// The ways in which the user can authenticate; only the password until they are loaded.
    public private(set) var methods = Methods()
    /// The fields that the ways need.
    public var fields = Fields()
    /// Whether the server has asked for a code that was not expected.
    private var isCodeNew = false
    private var isLoaded = false

    /// Creates the screen.
    ///
    /// - Parameter methods: The ways in which the user can authenticate, if they are known; they are then not loaded.
    public init(methods: Methods? = nil) {
        isLoaded = methods != nil
        show(methods ?? Methods())
    }

    /// The heading, whichever credential the user confirms with.
    public var title: Phrase { Phrase("stepUp.title") }

    /// The request for the ways; nil once they are loaded.
    public var loading: Request? { isLoaded ? nil : .load }

    /// The explanation, the fields, and a button for each way.
    public var content: [Control] {
        var all = [explanation] + fields.controls
        if methods.hasPassword { all.append(.button(.submit, .primary, Phrase("stepUp.submit"))) }
        if methods.hasPasskey {
            all.append(.button(.passkey, methods.hasPassword ? .secondary : .primary, Phrase("stepUp.passkey")))
        }
        all += methods.providers.map { provider in
            var button = Control.button(
                .provider(provider), .secondary, Phrase("stepUp.provider", .text(provider.displayName)))
            button.provider = provider
            return button
        }
        return all + [
            .button(.forgotPassword, .link, Phrase("stepUp.noPassword")),
            .button(.cancel, .cancel, Phrase("button.cancel")),
        ]
    }

    private var explanation: Control {
        if methods.isEmpty { return .text(Phrase("stepUp.nothing")) }
        if isCodeNew { return .notice(.information, Phrase("signIn.codeToo")) }
        return .text(Phrase(fields[.code] == nil ? "stepUp.explanation" : "stepUp.code.explanation"))
    }

    /// Handles the press of a button.
    public mutating func press(_ control: ControlID) -> ScreenStep<Self> {
        switch control {
        case .submit: return submitting { .authenticate(password: $0.secret(.password), code: $0.secret(.code)) }
        case .passkey: return .perform(.passkey)
        case .forgotPassword: return .navigate(.passwordReset)
        default:
            guard let provider = methods.providers.first(where: { .provider($0) == control }) else {
                return .finish(.cancelled)
            }
            // A provider needs the code but not the password. The code comes first, since the provider's response
            // cannot wait for it.
            if let problem = fields[.code]?.findProblem() {
                fields.setProblem(problem, of: .code)
                return .stay
            }
            return .perform(.provider(provider, code: fields.secret(.code)))
        }
    }

    /// Handles the ways, or the end.
    public mutating func receive(_ response: Response) -> ScreenStep<Self> {
        switch response {
        case .loaded(let methods):
            isLoaded = true
            show(methods)
            return .stay
        case .authenticated: return .finish(.authenticated)
        }
    }

    /// Handles a failure: the code's field is added if the account has a second factor.
    public mutating func receive(_ failure: ScreenFailure) -> ScreenFailure? {
        switch failure.reason {
        case .codeRequired where fields[.code] == nil:
            isCodeNew = true
            methods.hasSecondFactor = true
            fields = Fields(fields.all + [Field(.code, .oneTimeCode, Phrase("field.code"))])
            return nil
        case .wrongCredentials where fields[.password] != nil:
            fields.setProblem(Phrase("field.currentPassword.wrong"), of: .password)
            return nil
        case .wrongCode where fields[.code] != nil:
            fields.setProblem(failure.phrase, of: .code)
            return nil
        default: return failure
        }
    }

    private mutating func show(_ methods: Methods) {
        self.methods = methods
        isCodeNew = false
        var all: [Field] = []
        if methods.hasPassword { all.append(Field(.password, .password, Phrase("field.password"))) }
        let takesCode = methods.hasPassword || !methods.providers.isEmpty
        if methods.hasSecondFactor, takesCode { all.append(Field(.code, .oneTimeCode, Phrase("field.code"))) }
        fields = Fields(all)
    }
}
