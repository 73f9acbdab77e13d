// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
public import LatchCore
public import LatchTexts

/// The menu of the signed-in user: the profile, the devices, other accounts, and the sign-out.
public struct UserMenuScreen: Screen {
    /// The work of the menu.
    public enum Request: Hashable, Sendable {
        /// Sign out on this device.
        case signOut
    }

    /// The response to a request.
    public enum Response: Hashable, Sendable {
        /// No user is signed in.
        case signedOut
    }

    /// The end of the screen, or a screen that follows it.
    public enum Outcome: Hashable, Sendable {
        case profile
        /// To the list of devices.
        case devices
        /// To the account switcher.
        case accounts
        /// To what a row of the app is for.
        case row(ControlID)
        /// The user has signed out.
        case signedOut
    }

    /// The user.
    public internal(set) var profile: AccountProfile
    /// The failure to load the profile, in whose place the menu shows the token's claims; nil if there is none.
    public internal(set) var loadFailure: ScreenFailure?
    /// Whether the server knows the devices.
    var hasUserService = true
    /// The rows of the app.
    var rows: [AccountRow.Placement] = []
    /// Whether the menu leads to the account switcher.
    public let hasAccounts: Bool

    /// Creates the menu of a user.
    public init(_ profile: AccountProfile, hasAccounts: Bool = false) {
        self.profile = profile
        self.hasAccounts = hasAccounts
    }

    /// The title: the user's name.
    public var title: Phrase { .verbatim(profile.shownName) }

    /// The initials of the name, at most two letters or digits; those of the address if the name has none.
    public var initials: String {
        let initials = Self.initials(of: profile.shownName)
        return initials.isEmpty ? Self.initials(of: profile.email) : initials
    }

    private static func initials(of name: String) -> String {
        let words = name.unicodeScalars.split { $0.properties.isWhitespace }
        let letters = words.compactMap { word in
            word.first { $0.properties.isAlphabetic || $0.properties.numericType != nil }
        }
        return letters.prefix(2).map { $0.properties.uppercaseMapping }.joined()
    }

    /// The buttons to the next screens.
    public var content: [Control] {
        let accounts: [Control] = hasAccounts ? [.button(.accounts, .secondary, Phrase("accounts.title"))] : []
        let failure = loadFailure.map { [Control.notice(.warning, $0.phrase)] } ?? []
        let devices: [Control] = hasUserService ? [.button(.devices, .secondary, Phrase("devices.title"))] : []
        let ways: [Control] =
            [.text(.verbatim(profile.email)), .button(.profile, .secondary, Phrase("profile.title"))] + devices
            + accounts
        return (failure + ways + [.button(.signOut, .destructive, Phrase("profile.signOut"))]).adding(rows)
    }

    /// Handles the press of a button.
    public mutating func press(_ control: ControlID) -> ScreenStep<Self> {
        switch control {
        case .profile: .navigate(.profile)
        case .devices: .navigate(.devices)
        case .accounts: .navigate(.accounts)
        case .signOut: .perform(.signOut)
        default: .navigate(.row(control))
        }
    }

    /// Handles the response.
    public mutating func receive(_ response: Response) -> ScreenStep<Self> { .finish(.signedOut) }
}

extension ControlID {
    /// The button that opens the profile.
    public static let profile: ControlID = "profile"
    /// The button that opens the account switcher.
    public static let accounts: ControlID = "accounts"
}

/// The model of a ``UserMenuScreen``.
public typealias UserMenuModel = ScreenModel<UserMenuScreen>

extension ScreenModel where S == UserMenuScreen {
    /// Creates the menu, whose sign-out ends the client's session.
    public convenience init(
        _ client: AuthClient, profile: AccountProfile, hasAccounts: Bool = false, clock: WallClock = .system,
        onFinish: @escaping @MainActor (UserMenuScreen.Outcome) -> Void = { _ in }
    ) {
        self.init(UserMenuScreen(profile, hasAccounts: hasAccounts), clock: clock, onFinish: onFinish) { _ in
            try await client.signOut()
            return .signedOut
        }
    }
}
