// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
public import LatchCore
public import LatchTexts

/// The editing of a profile; what was typed stays after a failure.
public struct EditProfileScreen: Screen {
    /// A request of the screen.
    public enum Request: Hashable, Sendable {
        case save(AccountProfile)
    }

    /// The response to a request.
    public enum Response: Hashable, Sendable {
        /// The current profile; a new address waits for its confirmation by email.
        case saved(AccountProfile)
    }

    /// The end of the screen, or a screen that follows it.
    public enum Outcome: Hashable, Sendable {
        case saved(AccountProfile)
        /// The user has left the screen.
        case cancelled
    }

    /// The profile before the editing.
    public let profile: AccountProfile
    /// The names and the address, as the user edits them.
    public var fields: Fields
    /// The profile as it was saved, while the notice of a change of the address is shown.
    private var saved: AccountProfile?

    /// Creates the screen of a profile.
    public init(profile: AccountProfile) {
        self.profile = profile
        fields = Fields([
            Field(
                .displayName, .name, Phrase("field.displayName"), isRequired: false, text: profile.displayName,
                fills: .nickname),
            Field(
                .firstName, .name, Phrase("field.firstName"), isRequired: false, text: profile.firstName,
                fills: .givenName),
            Field(
                .lastName, .name, Phrase("field.lastName"), isRequired: false, text: profile.lastName,
                fills: .familyName),
            Field(.email, .email, Phrase("field.email"), text: profile.email),
        ])
    }

    /// The heading, which stays after the profile is saved.
    public var title: Phrase { Phrase("profile.edit") }

    /// The fields, or the notice about the emails.
    public var content: [Control] {
        if saved != nil {
            // An old address that was never confirmed does not have to confirm the change.
            let key = profile.isEmailVerified ? "profile.emailChange" : "profile.emailChange.new"
            return [
                .notice(.information, Phrase(key, .text(fields.value(.email)), .text(profile.email))),
                .button(.done, .primary, Phrase("button.continue")),
            ]
        }
        return fields.controls + [
            .button(.submit, .primary, Phrase("profile.save")),
            .button(.cancel, .cancel, Phrase("button.cancel")),
        ]
    }

    /// Handles the press of a button.
    public mutating func press(_ control: ControlID) -> ScreenStep<Self> {
        if let saved { return .finish(.saved(saved)) }
        guard control == .submit else { return .finish(.cancelled) }
        let profile = profile
        return submitting { fields in
            var changed = profile
            changed.displayName = fields.value(.displayName)
            changed.firstName = fields.value(.firstName)
            changed.lastName = fields.value(.lastName)
            changed.email = fields.value(.email)
            return .save(changed)
        }
    }

    /// Handles the response: ends the screen, or shows the notice about the emails.
    public mutating func receive(_ response: Response) -> ScreenStep<Self> {
        switch response {
        case .saved(let profile):
            // Servers send no email if only the case differs.
            let isSame = fields.value(.email).lowercasedASCII() == profile.email.lowercasedASCII()
            guard !isSame else { return .finish(.saved(profile)) }
            saved = profile
            return .stay
        }
    }

    /// Handles a failure; a problem with a text is shown at its field.
    public mutating func receive(_ failure: ScreenFailure) -> ScreenFailure? {
        guard [.taken, .invalidEmail].contains(failure.reason) else { return failure }
        fields.setProblem(failure.phrase, of: .email)
        return nil
    }
}

extension ControlID {
    /// The name that other users see.
    public static let displayName: ControlID = "displayName"
    /// The identifier of the field for the given name.
    public static let firstName: ControlID = "firstName"
    /// The identifier of the field for the family name.
    public static let lastName: ControlID = "lastName"
}

/// The model of an ``EditProfileScreen``.
public typealias EditProfileModel = ScreenModel<EditProfileScreen>

extension ScreenModel where S == EditProfileScreen {
    /// Creates the editing of the profile of a client's user.
    public convenience init(
        _ client: AuthClient, profile: AccountProfile, clock: WallClock = .system,
        onFinish: @escaping @MainActor (EditProfileScreen.Outcome) -> Void = { _ in }
    ) {
        self.init(EditProfileScreen(profile: profile), clock: clock, onFinish: onFinish) { request in
            switch request {
            case .save(let profile): .saved(try await client.update(profile))
            }
        }
    }
}

// MARK: - In an app

extension AuthRoute {
    /// The editing of the names.
    public static var editProfile: AuthRoute { AuthRoute(.editProfile) }
}

extension EditProfileScreen: RoutedScreen {
    static var kind: AuthRoute.Kind { .editProfile }

    static func isAvailable(in flow: AuthFlow) -> Bool { flow.hasUser && flow.hasProfile }

    static func makeModel(at route: AuthRoute, by factory: AuthScreenFactory) -> EditProfileModel? {
        factory.user?.profile.map { EditProfileModel(factory.client, profile: $0, clock: factory.clock) }
    }

    static func move(after outcome: Outcome) -> AuthFlow.Move {
        switch outcome {
        case .saved(let profile): .close(.show(profile))
        case .cancelled: .close()
        }
    }
}

extension EditProfileScreen: ReplaceableScreen {
    /// The editing of the names.
    public static var replacement: ScreenReplacement<Outcome> { ScreenReplacement(of: Self.self) }
}
