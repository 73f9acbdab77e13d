// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
public import LatchCore
public import LatchTexts

/// The profile of the signed-in user, with the buttons that change it.
public struct ProfileScreen: Screen {
    /// A request of the screen.
    public enum Request: Hashable, Sendable {
        /// Load the profile.
        case load
        /// Sign out on this device.
        case signOut
        /// Delete the account.
        case delete
    }

    /// The response to a request.
    public enum Response: Hashable, Sendable {
        /// The profile, whether the account has a second factor, nil if the server does not say, and whether the server
        /// has a user service.
        case loaded(AccountProfile, hasSecondFactor: Bool?, hasUserService: Bool = true)
        /// No user is signed in.
        case signedOut
        /// The account is deleted.
        case deleted
    }

    /// The end of the screen, or a screen that follows it.
    public enum Outcome: Hashable, Sendable {
        /// To the editing of the names.
        case edit(AccountProfile)
        case changePassword
        /// To the set-up of a second factor.
        case secondFactor
        case passkeys
        /// To the list of devices.
        case devices
        /// To the verification of the address.
        case verifyEmail(email: String)
        /// To what a row of the app is for.
        case row(ControlID)
        /// The user has signed out.
        case signedOut
        /// The account is deleted.
        case deleted
        /// The user has left the screen.
        case closed
    }

    /// The profile; nil until it is loaded.
    public private(set) var profile: AccountProfile?
    /// Whether the account has a second factor; nil until it is known.
    public private(set) var hasSecondFactor: Bool?
    /// Whether the user is asked to confirm the deletion.
    public private(set) var isDeleting = false
    /// Whether the screen leads to the passkeys.
    private let offersPasskeys: Bool
    /// Whether the profile must be loaded again.
    private var isStale = true
    /// Whether the server can change the profile, the password and the second factor, and knows the devices.
    var hasUserService = true
    /// The rows of the app.
    var rows: [AccountRow.Placement] = []

    /// Creates the screen.
    ///
    /// - Parameters:
    ///   - profile: The profile, if it is known; it is then not loaded.
    ///   - offersPasskeys: Whether the screen leads to the passkeys.
    public init(profile: AccountProfile? = nil, offersPasskeys: Bool = false) {
        self.offersPasskeys = offersPasskeys
        self.profile = profile
        isStale = profile == nil
    }

    /// The title: the user's name.
    public var title: Phrase {
        if isDeleting { return Phrase("profile.delete.title") }
        return profile.map { .verbatim($0.shownName) } ?? Phrase("profile.title")
    }

    /// The screen without the profile, which is loaded again.
    public var beginning: ProfileScreen {
        var screen = ProfileScreen(offersPasskeys: offersPasskeys)
        (screen.hasUserService, screen.rows) = (hasUserService, rows)
        return screen
    }

    /// Shows a profile until it is loaded.
    mutating func show(_ profile: AccountProfile?) { self.profile = profile }

    /// The request for the profile; nil once it is loaded.
    public var loading: Request? { isStale ? .load : nil }

    /// The values, and the buttons to the next screens.
    public var content: [Control] {
        if isDeleting {
            return [
                .notice(.warning, Phrase("profile.delete.warning", .text(profile?.email ?? ""))),
                .button(.confirmDeletion, .destructive, Phrase("profile.delete.confirm")),
                .button(.back, .cancel, Phrase("button.back")),
            ]
        }
        let delete: [Control] =
            profile == nil || !hasUserService ? [] : [.button(.delete, .destructive, Phrase("profile.delete"))]
        let end: [Control] = [.button(.done, .cancel, Phrase("button.close"))]
        return (values + [.button(.signOut, .secondary, Phrase("profile.signOut"))] + delete + end).adding(rows)
    }

    private var values: [Control] {
        guard let profile else { return [] }
        var all = [
            Control.row(.name, Phrase("field.name"), detail: .verbatim(profile.shownName)),
            .row(.email, Phrase("field.email"), detail: .verbatim(profile.email)),
            .row(.role, Phrase("profile.role"), detail: Phrase(role: profile.role)),
        ]
        if let hasSecondFactor {
            let state = Phrase(hasSecondFactor ? "profile.secondFactor.on" : "profile.secondFactor.off")
            all.append(.row(.secondFactorState, Phrase("secondFactor.title"), detail: state))
        }
        if !profile.isEmailVerified {
            all.append(.notice(.warning, Phrase("profile.unverified")))
            all.append(.button(.verifyEmail, .secondary, Phrase("profile.verify")))
        }
        if hasUserService {
            all += [
                .button(.edit, .secondary, Phrase("profile.edit")),
                .button(.changePassword, .secondary, Phrase("changePassword.title")),
                .button(.secondFactor, .secondary, Phrase("secondFactor.title")),
            ]
        }
        if offersPasskeys { all.append(.button(.passkeys, .secondary, Phrase("passkeys.title"))) }
        if hasUserService { all.append(.button(.devices, .secondary, Phrase("devices.title"))) }
        return all
    }

    /// Handles the press of a button.
    public mutating func press(_ control: ControlID) -> ScreenStep<Self> {
        switch control {
        case .signOut: return .perform(.signOut)
        case .confirmDeletion: return .perform(.delete)
        case .delete, .back:
            isDeleting = control == .delete
            return .stay
        case .changePassword: return .navigate(.changePassword)
        case .secondFactor:
            isStale = true
            return .navigate(.secondFactor)
        case .passkeys: return .navigate(.passkeys)
        case .devices: return .navigate(.devices)
        case _ where rows.contains { $0.control.id == control }:
            isStale = true
            return .navigate(.row(control))
        default: break
        }
        guard let profile else { return .finish(.closed) }
        switch control {
        case .edit:
            // The profile may have changed when the user returns.
            isStale = true
            return .navigate(.edit(profile))
        case .verifyEmail:
            isStale = true
            return .navigate(.verifyEmail(email: profile.email))
        default: return .finish(.closed)
        }
    }

    /// Handles the response.
    public mutating func receive(_ response: Response) -> ScreenStep<Self> {
        switch response {
        case .loaded(let profile, let hasSecondFactor, let hasUserService):
            (self.profile, self.hasSecondFactor, self.hasUserService) = (profile, hasSecondFactor, hasUserService)
            isStale = false
            return .stay
        case .signedOut: return .finish(.signedOut)
        case .deleted: return .finish(.deleted)
        }
    }

    /// Loads the profile again when the user returns to the app: an administrator may have changed the role.
    public mutating func resume() -> ScreenStep<Self> { isDeleting ? .stay : .perform(.load) }
}

extension AccountProfile {
    /// The name that is shown: the display name, else the full name, else the address.
    public var shownName: String {
        if displayName.isVisible { return displayName }
        let full = [firstName, lastName].filter(\.isVisible).joined(separator: " ")
        return full.isEmpty ? email : full
    }
}

extension String {
    /// Whether the text has a visible character.
    fileprivate var isVisible: Bool {
        unicodeScalars.contains { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator, .unassigned: false
            default: !scalar.properties.isWhitespace
            }
        }
    }
}

extension Phrase {
    /// Creates the name of a role; an unknown role is shown unchanged.
    init(role: String) {
        self =
            switch role {
            case "user": Phrase("role.user")
            case "moderator": Phrase("role.moderator")
            case "admin": Phrase("role.admin")
            case "super_admin": Phrase("role.superAdmin")
            default: .verbatim(role)
            }
    }
}

extension ControlID {
    /// The role of the user.
    public static let role: ControlID = "role"
    /// The button to the editing of the profile.
    public static let edit: ControlID = "edit"
    /// The button to the change of the password.
    public static let changePassword: ControlID = "changePassword"
    /// Whether the account has a second factor.
    public static let secondFactorState: ControlID = "secondFactorState"
    /// The button to the set-up of a second factor.
    public static let secondFactor: ControlID = "secondFactor"
    /// The button to the passkeys.
    public static let passkeys: ControlID = "passkeys"
    /// The button to the list of devices.
    public static let devices: ControlID = "devices"
    /// The button to the verification of the address.
    public static let verifyEmail: ControlID = "verifyEmail"
    /// The button that signs out on this device.
    public static let signOut: ControlID = "signOut"
    /// The button that asks whether the account is to be deleted.
    public static let delete: ControlID = "delete"
    /// The button that deletes the account.
    public static let confirmDeletion: ControlID = "confirmDeletion"
}

/// The model of a ``ProfileScreen``.
public typealias ProfileModel = ScreenModel<ProfileScreen>

extension ScreenModel where S == ProfileScreen {
    /// Creates the profile of a client's user.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - profile: The profile to show until it is loaded; nil for none.
    ///   - offersPasskeys: Whether the screen leads to the passkeys.
    ///   - clock: The clock of locks.
    ///   - didLoad: Is called with each profile that was loaded.
    ///   - onFinish: Is called when the user goes another way, or has signed out.
    public convenience init(
        _ client: AuthClient, profile: AccountProfile? = nil, offersPasskeys: Bool = false, clock: WallClock = .system,
        didLoad: @escaping @MainActor @Sendable (AccountProfile) -> Void = { _ in },
        onFinish: @escaping @MainActor (ProfileScreen.Outcome) -> Void = { _ in }
    ) {
        var screen = ProfileScreen(offersPasskeys: offersPasskeys)
        screen.hasUserService = client.hasUserService
        screen.show(profile)
        self.init(screen, clock: clock, onFinish: onFinish) { request in
            switch request {
            case .load:
                let profile = try await client.accountProfile()
                await didLoad(profile)
                return .loaded(
                    profile, hasSecondFactor: try await client.hasSecondFactor(), hasUserService: client.hasUserService)
            case .signOut:
                try await client.signOut()
                return .signedOut
            case .delete:
                try await client.deleteAccount()
                return .deleted
            }
        }
    }
}

extension AuthClient {
    /// Returns whether the account has a second factor; nil for a backend that does not say.
    fileprivate func hasSecondFactor() async throws -> Bool? {
        do { return try await signInMethods().hasSecondFactor } catch is AccountError { return nil }
    }
}

// MARK: - In an app

extension AuthRoute {
    /// The route to the profile of the signed-in user.
    public static var profile: AuthRoute { AuthRoute(.profile) }
}

extension ProfileScreen: RoutedScreen {
    static var kind: AuthRoute.Kind { .profile }

    static func makeModel(at route: AuthRoute, by factory: AuthScreenFactory) -> ProfileModel? {
        let model = ProfileModel(
            factory.client, profile: factory.user?.profile, offersPasskeys: factory.passkeys?.isAvailable == true,
            clock: factory.clock, didLoad: { [weak user = factory.user] in user?.take($0) })
        model.update { $0.rows = factory.configuration.rows.in(.profile) }
        return model
    }

    static func move(after outcome: Outcome) -> AuthFlow.Move {
        switch outcome {
        case .edit: .edit
        case .changePassword: .open(.changePassword)
        case .secondFactor: .open(.secondFactor)
        case .passkeys: .open(.passkeys)
        case .devices: .open(.devices)
        case .verifyEmail(let email): .open(.verification(EmailVerificationScreen(email: email, isSent: false)))
        case .row(let row): .perform(.choose(row: row))
        case .signedOut: .stay
        case .deleted: .deleted
        case .closed: .close()
        }
    }
}

extension ProfileScreen: ReplaceableScreen {
    /// The profile.
    public static var replacement: ScreenReplacement<Outcome> { ScreenReplacement(of: Self.self) }
}
