// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
public import LatchCore
public import LatchFoundation
public import LatchTexts

/// The registration: name, email address, a chosen password, and the additional entries of the app.
///
/// It ends when the account is created; ``EmailVerificationScreen`` then waits for the email.
public struct RegistrationScreen: Screen {
    /// The entries of the app besides name, address and password.
    public struct Options: Hashable, Sendable {
        /// The app's own fields, below the others.
        ///
        /// The name of a field's identifier is the name of its attribute at the server. Empty texts are not sent.
        /// Fields of secrets, and fields with the identifier of another control, are left out.
        public var fields: [Field] = []
        /// The terms that the user must accept; nil for none.
        public var terms: Terms?

        /// Creates options without fields and terms.
        public init() {}
    }

    /// The terms of an app: links to them, and a box that has to be checked.
    public struct Terms: Hashable, Sendable {
        /// The version, which the server stores with the account.
        public var version: String
        /// The page with the terms of use.
        public var url: URL
        /// The page with the privacy policy; nil for none.
        public var privacyURL: URL?

        /// Creates terms.
        public init(version: String, url: URL, privacyURL: URL? = nil) {
            (self.version, self.url, self.privacyURL) = (version, url, privacyURL)
        }
    }

    /// A request of the screen.
    public enum Request: Hashable, Sendable {
        /// Create the account, with the texts of the app's own fields by their names, and the version of the accepted
        /// terms.
        case signUp(
            name: String, email: String, password: FieldText, attributes: [String: String] = [:],
            acceptedTerms: String? = nil)
    }

    /// The response to a request.
    public enum Response: Hashable, Sendable {
        /// The account was created, and an email was sent.
        case signedUp(email: String)
    }

    /// The end of the screen, or a screen that follows it.
    public enum Outcome: Hashable, Sendable {
        /// The account is created; its address waits for the verification.
        case registered(email: String)
        /// The user has an account already; with the address as typed so far.
        case signIn(email: String)
        /// The user has left the screen.
        case cancelled
    }

    /// The fields, which keep the typed texts after a failure, except for the password.
    public var fields: Fields
    /// The terms that the user must accept; nil for none.
    public let terms: Terms?
    /// The identifiers of the app's own fields.
    private let attributes: [ControlID]
    private var lostAnswer = LostAnswer()

    /// The controls whose identifiers are not allowed for the app's fields.
    private static let controls: Set<ControlID> = [
        .name, .email, .newPassword, .acceptedTerms, .terms, .privacyPolicy, .submit, .signIn, .cancel, .title,
        .explanation, .failure, .notice, .progress,
    ]

    /// Creates the screen.
    ///
    /// - Parameters:
    ///   - email: The address, if it is known.
    ///   - options: The additional entries of the app.
    public init(email: String = "", options: Options = Options()) {
        var known = Self.controls
        let own = options.fields.filter { !$0.kind.isSecret && known.insert($0.id).inserted }
        attributes = own.map(\.id)
        terms = options.terms
        let accepts = options.terms.map { terms in
            Field(
                .acceptedTerms, .checkbox,
                Phrase(terms.privacyURL == nil ? "registration.accept" : "registration.accept.privacy"))
        }
        fields = Fields(
            [
                Field(.name, .name, Phrase("field.name"), isRequired: false),
                Field(.email, .email, Phrase("field.email"), text: email, fills: .username),
                Field(.newPassword, .newPassword, Phrase("field.password")),
            ] + own + [accepts].compactMap(\.self))
    }

    /// The heading over the form.
    public var title: Phrase { Phrase("registration.title") }

    /// The fields, their button, and the links to other screens.
    public var content: [Control] {
        fields.controls.filter { $0.id != .acceptedTerms } + termsControls + [
            .text(Phrase("registration.mail")),
            .button(.submit, .primary, Phrase("registration.submit")),
            .button(.signIn, .link, Phrase("registration.signIn")),
            .button(.cancel, .cancel, Phrase("button.cancel")),
        ]
    }

    /// The links to the terms, and the box below them.
    private var termsControls: [Control] {
        guard let terms, let box = fields[.acceptedTerms] else { return [] }
        return [
            .link(.terms, Phrase("registration.terms"), to: terms.url),
            terms.privacyURL.map { .link(.privacyPolicy, Phrase("registration.privacy"), to: $0) }, box.control,
        ].compactMap(\.self)
    }

    /// Handles the press of a button.
    public mutating func press(_ control: ControlID) -> ScreenStep<Self> {
        switch control {
        case .submit:
            let (attributes, terms) = (attributes, terms)
            let step = submitting { fields in
                .signUp(
                    name: fields.value(.name), email: fields.value(.email), password: fields.secret(.newPassword),
                    attributes: attributes.reduce(into: [:]) { texts, id in
                        let text = fields.value(id)
                        if !text.isEmpty { texts[id.name] = text }
                    }, acceptedTerms: terms?.version)
            }
            if case .perform = step { lostAnswer.begin(fields.value(.email)) }
            return step
        case .signIn: return .navigate(.signIn(email: fields.value(.email)))
        default: return .finish(.cancelled)
        }
    }

    /// Handles the response, and ends the screen.
    public mutating func receive(_ response: Response) -> ScreenStep<Self> {
        lostAnswer = LostAnswer()
        switch response {
        case .signedUp(let email): return .finish(.registered(email: email))
        }
    }

    /// Records that the response to a canceled request may be lost.
    public mutating func leave() { lostAnswer.lose() }

    /// Handles a failure; a problem with a text is shown at its field.
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
    /// The box with which the user accepts the terms.
    public static let acceptedTerms: ControlID = "acceptedTerms"
    /// The link to the terms of use.
    public static let terms: ControlID = "terms"
    /// The link to the privacy policy.
    public static let privacyPolicy: ControlID = "privacyPolicy"
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
            case .signUp(let name, let email, let password, let attributes, let acceptedTerms):
                try await client.signUp(
                    email: email, password: password.value, name: name, attributes: attributes,
                    acceptedTerms: acceptedTerms)
                return .signedUp(email: email)
            }
        }
    }
}

// MARK: - In an app

extension AuthRoute {
    /// Returns the route to the registration, with the address if it is known.
    public static func registration(email: String) -> AuthRoute {
        AuthRoute(.registration, email: email)
    }
}

extension RegistrationScreen: RoutedScreen {
    static var kind: AuthRoute.Kind { .registration }
    static var needsUser: Bool { false }

    var route: AuthRoute { AuthRoute(Self.kind, email: fields.storableEmail) }

    static func makeModel(at route: AuthRoute, by factory: AuthScreenFactory) -> RegistrationModel? {
        let screen = RegistrationScreen(email: route.email ?? "", options: factory.configuration.registration)
        return RegistrationModel(factory.signInClient, screen: screen, clock: factory.clock)
    }

    static func move(after outcome: Outcome) -> AuthFlow.Move {
        switch outcome {
        case .registered(let email): .registered(email: email)
        case .signIn(let email): .returnToSignIn(email: email)
        case .cancelled: .close()
        }
    }
}

extension RegistrationScreen: ReplaceableScreen {
    /// The registration.
    public static var replacement: ScreenReplacement<Outcome> { ScreenReplacement(of: Self.self) }
}
