// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchAuth
import LatchCore

/// The open screens as a value, with the rules that map a screen's outcome to the next screens.
///
/// It contains no model and no task; ``AuthNavigator`` creates the models of its screens. An outcome has the identifier
/// of its screen. The outcome of a closed screen opens nothing. The outcome of a covered screen changes the path at its
/// position, below the visible screen. A screen is open at most once.
struct AuthFlow: Hashable, Sendable {
    struct OpenScreen: Hashable, Sendable, Identifiable {
        let id: Int
        let route: AuthRoute
        /// Whether the flow opened it automatically for a signed-out user.
        var isStart = false
        /// Whether it belongs to the sign-in of another account, not to the signed-in user.
        var isForNewAccount = false

        /// The address of the registration that this pending step of the app follows; nil for any other screen.
        var registeredEmail: String? { if case .custom(_, let email) = route { email } else { nil } }
    }

    /// An effect on the accounts.
    enum Effect: Hashable, Sendable {
        /// Make the account of the last sign-in the current one.
        case useSignedIn
        /// Keep the account of the last sign-in in the list, without changing the current account.
        case keepSignedIn
        /// Sign out a user whose session the server has ended, and show the sign-in with an address.
        case signOut(email: String)
        /// Make another account of the list the current one.
        case use(AccountEntry)
        /// Tell the app that a signed-out user has left the sign-in.
        case tellCancellation
        /// Say that the account is deleted, and forget its address.
        case sayGoodbye
        /// Show the profile that a screen has loaded or saved.
        case show(AccountProfile)
        /// Load the profile again.
        case reloadProfile
        /// Offer a passkey to a user who has signed in with a password.
        case offerPasskey
        /// Run the action of an app's row in the profile.
        case choose(row: ControlID)
    }

    /// Whether a user is signed in; nil until it is known.
    private(set) var isSignedIn: Bool?
    /// The open screens, the last one visible.
    private(set) var screens: [OpenScreen] = []
    /// The address of the signed-in user, or of the last one; empty if it is not known.
    var email = ""
    /// Whether the profile is loaded, so that it can be edited.
    var hasProfile = false
    /// Whether the server has a user service, which lists devices and changes accounts.
    var hasUserService = true
    /// Whether the app has a list of accounts.
    let hasAccounts: Bool
    /// The names of the app's screens.
    let customScreens: [String]
    /// The names of the app's screens that follow a registration, in order.
    let stepsAfterRegistration: [String]
    private var lastID = 0

    init(hasAccounts: Bool, customScreens: [String] = [], stepsAfterRegistration: [String] = []) {
        self.hasAccounts = hasAccounts
        (self.customScreens, self.stepsAfterRegistration) = (customScreens, stepsAfterRegistration)
    }

    /// Whether the user has not navigated yet: all open screens were opened automatically.
    var isAtStart: Bool { screens.allSatisfy(\.isStart) }

    /// The position of an open screen.
    func index(of id: Int) -> Int? { screens.firstIndex { $0.id == id } }

    // MARK: Session

    /// Enters the signed-in state: the screens of a signed-out user close.
    ///
    /// The pending steps after this user's registration become steps of the signed-in user.
    mutating func enter() {
        isSignedIn = true
        let steps = screens.filter { $0.registeredEmail.map { email.isEmpty || isOwn($0) } ?? false }
        screens.removeAll { !$0.route.needsUser }
        for case .custom(let name, _) in steps.map(\.route) { open(.custom(name)) }
    }

    /// Enters the signed-out state: the screens of a signed-in user close.
    mutating func leave() {
        (isSignedIn, hasProfile) = (false, false)
        screens.removeAll(where: \.route.needsUser)
        // No signed-in account is left.
        for index in screens.indices { screens[index].isForNewAccount = false }
    }

    /// Changes to another account, whose session is not known yet.
    mutating func change() {
        (isSignedIn, hasProfile, email) = (nil, false, "")
        screens.removeAll { $0.registeredEmail == nil }
    }

    /// Closes all screens with their window.
    mutating func end() { screens = [] }

    /// Opens the first screen of a signed-out user, unless one is open.
    mutating func start(with route: AuthRoute) {
        guard screens.isEmpty, isSignedIn == false else { return }
        insert(route, at: 0, isStart: true)
    }

    /// Replaces the first screen of a signed-out user who has not navigated yet.
    mutating func restart(with route: AuthRoute) {
        guard isAtStart, isSignedIn == false else { return }
        screens = []
        start(with: route)
    }

    // MARK: Screens

    /// Whether a screen can be opened now.
    func allows(_ route: AuthRoute) -> Bool {
        if case .custom(let name, _) = route, !customScreens.contains(name) { return false }
        return switch route.kind {
        case .accounts: hasAccounts
        case .editProfile: isSignedIn == true && hasProfile && hasUserService
        case .changePassword, .secondFactor, .devices: isSignedIn == true && hasUserService
        default: isSignedIn == true || !route.needsUser
        }
    }

    /// Opens a screen above the others; an open screen of the same kind closes, with all screens above it.
    mutating func open(_ route: AuthRoute) {
        guard allows(route) else { return }
        if let index = screens.firstIndex(where: { $0.route.isSameScreen(as: route) }) {
            let isSame = screens[index].route == route
            screens.removeSubrange((isSame ? index + 1 : index)...)
            if isSame { return }
        }
        insert(route, at: screens.count)
    }

    /// Returns to the open screen of a kind without changing it, or opens one.
    mutating func reveal(_ route: AuthRoute) {
        guard let index = screens.firstIndex(where: { $0.route.isSameScreen(as: route) }) else { return open(route) }
        let steps = screens[(index + 1)...].filter { $0.registeredEmail != nil }
        screens.removeSubrange((index + 1)...)
        screens.insert(contentsOf: steps, at: index)
    }

    /// Opens the password reset for a signed-in user who has forgotten the password, or has none.
    mutating func openPasswordReset() { open(.passwordReset(PasswordResetScreen(email: email))) }

    /// Opens stored screens in place of all others.
    mutating func reopen(_ path: [AuthRoute]) {
        let known = path.filter(allows)
        guard isSignedIn != nil, !known.isEmpty else { return }
        screens = []
        for route in known { open(route) }
    }

    /// Closes all screens above the content; a signed-out user then sees the sign-in with an address.
    mutating func close(email: String = "") {
        screens = []
        start(with: .signIn(email: email))
    }

    /// Closes all screens if one of them, such as the sign-in, does not need a signed-in user.
    mutating func closeSignIn() { if screens.contains(where: { !$0.route.needsUser }) { close() } }

    /// Closes the visible screen.
    mutating func pop() {
        if let last = screens.last { remove(last.id) }
    }

    private mutating func insert(_ route: AuthRoute, at index: Int, isStart: Bool = false) {
        lastID += 1
        var screen = OpenScreen(id: lastID, route: route, isStart: isStart)
        let below = screens[..<index].last?.isForNewAccount == true
        screen.isForNewAccount =
            isSignedIn == true && !route.needsUser && (below || route.kind == .signIn || route.kind == .registration)
        screens.insert(screen, at: index)
    }

    private mutating func remove(_ id: Int) {
        screens.removeAll { $0.id == id }
        start(with: .signIn(email: ""))
    }

    /// Opens a screen directly above another one, unless a screen of its kind is open below the visible one.
    private mutating func insert(_ route: AuthRoute, above id: Int) {
        guard let index = index(of: id) else { return }
        if index == screens.count - 1 { return open(route) }
        guard allows(route), !screens.contains(where: { $0.route.isSameScreen(as: route) }) else { return }
        insert(route, at: index + 1)
    }

    /// Replaces a screen, or closes it if a screen of the new kind is already open.
    private mutating func replace(_ id: Int, by route: AuthRoute) {
        guard let index = index(of: id) else { return }
        let isForNewAccount = screens[index].isForNewAccount
        screens.remove(at: index)
        guard !screens.contains(where: { $0.route.isSameScreen(as: route) }) else { return }
        insert(route, at: index)
        screens[index].isForNewAccount = isForNewAccount
    }

    /// Returns from a screen to the sign-in with an address, or to the content of a signed-in user.
    private mutating func returnToSignIn(_ email: String, from id: Int) {
        guard let index = index(of: id) else { return }
        guard isSignedIn != true || screens[index].isForNewAccount else { return screens.removeSubrange(...index) }
        let signIn = screens.firstIndex { $0.route.kind == .signIn } ?? index
        guard signIn <= index else {
            screens.remove(at: index)
            return
        }
        let steps = screens[signIn...index].filter { $0.registeredEmail != nil }
        screens.replaceSubrange(signIn...index, with: steps)
        insert(.signIn(email: email), at: signIn + steps.count)
    }
}

// MARK: - Outcomes

extension AuthFlow {
    /// Handles the outcome of a screen, and returns its effects.
    ///
    /// - Parameter isForNewAccount: Whether the screen was opened for another account of a signed-in user.
    mutating func follow(_ outcome: AuthOutcome, of id: Int, isForNewAccount: Bool = false) -> [Effect] {
        // The server has signed the user in, even if the screen was closed meanwhile. A user who went back to another
        // account's content stays there.
        if let way = outcome.signsIn {
            if isForNewAccount, index(of: id) == nil, isSignedIn != false { return [.keepSignedIn] }
            return way == .password ? [.useSignedIn, .offerPasskey] : [.useSignedIn]
        }
        // The end of the session has already closed the profile.
        if outcome == .profile(.deleted) { return [.sayGoodbye] }
        guard index(of: id) != nil else { return [] }
        switch outcome {
        case .signIn(.cancelled, _):
            remove(id)
            return isSignedIn == false ? [.tellCancellation] : []
        case .signIn(let outcome, _): follow(outcome, of: id)
        case .registration(let outcome): follow(outcome, of: id)
        case .verification(let outcome): return follow(outcome, of: id)
        case .passwordReset(.signIn(let email)):
            if isSignedIn == true, !isForNewAccount, isOwn(email) { return [.signOut(email: email)] }
            returnToSignIn(email, from: id)
        case .accounts(.switched(let account)): return [.use(account)]
        case .accounts(.add): insert(.signIn(email: ""), above: id)
        case .profile(.row(let row)): return [.choose(row: row)]
        case .profile(let outcome): follow(outcome, of: id)
        case .editProfile(let outcome):
            remove(id)
            if case .saved(let profile) = outcome { return [.show(profile)] }
        case .changePassword(.passwordReset): replace(id, by: .passwordReset(PasswordResetScreen(email: email)))
        case .secondFactor(let outcome):
            remove(id)
            if outcome != .cancelled { return [.reloadProfile] }
        case .passwordReset(.signedIn): break
        case .passwordReset(.cancelled), .accounts(.closed), .changePassword(.changed), .changePassword(.cancelled),
            .devices(.closed), .passkeys(.closed), .passkeyOffer, .custom:
            remove(id)
        }
        return []
    }

    /// Whether an address is that of the signed-in user.
    private func isOwn(_ address: String) -> Bool {
        !address.isEmpty && address.lowercasedASCII() == email.lowercasedASCII()
    }

    private mutating func follow(_ outcome: SignInScreen.Outcome, of id: Int) {
        switch outcome {
        case .signedIn: break
        case .registration(let email): insert(.registration(email: email), above: id)
        case .passwordReset(let email): insert(.passwordReset(PasswordResetScreen(email: email)), above: id)
        case .verification(let email):
            insert(.verification(EmailVerificationScreen(email: email, isSent: false)), above: id)
        case .accounts: insert(.accounts, above: id)
        case .cancelled: remove(id)
        }
    }

    private mutating func follow(_ outcome: RegistrationScreen.Outcome, of id: Int) {
        switch outcome {
        case .registered(let email):
            guard let index = index(of: id) else { return }
            let count = screens.count
            replace(id, by: .verification(EmailVerificationScreen(email: email)))
            // Above the verification of the email, and below the visible screen if the registration was covered.
            var place = screens.count == count ? index + 1 : index
            for name in stepsAfterRegistration.reversed() {
                let step = AuthRoute.custom(name, email: email)
                guard !screens.contains(where: { $0.route.isSameScreen(as: step) }) else { continue }
                insert(step, at: place)
                place += 1
            }
        case .signIn(let email): returnToSignIn(email, from: id)
        case .cancelled: remove(id)
        }
    }

    private mutating func follow(_ outcome: EmailVerificationScreen.Outcome, of id: Int) -> [Effect] {
        let isOwn = isSignedIn == true && !screens.contains { $0.id == id && $0.isForNewAccount }
        switch outcome {
        case .later: remove(id)
        case .signedIn: break
        case .verified(let email), .signIn(let email):
            guard isOwn else {
                returnToSignIn(email, from: id)
                break
            }
            remove(id)
            return [.reloadProfile]
        }
        return []
    }

    private mutating func follow(_ outcome: ProfileScreen.Outcome, of id: Int) {
        switch outcome {
        case .edit:
            hasProfile = true
            insert(.editProfile, above: id)
        case .changePassword: insert(.changePassword, above: id)
        case .secondFactor: insert(.secondFactor, above: id)
        case .passkeys: insert(.passkeys, above: id)
        case .devices: insert(.devices, above: id)
        case .verifyEmail(let email):
            insert(.verification(EmailVerificationScreen(email: email, isSent: false)), above: id)
        // The end of the session leads to the sign-in.
        case .signedOut, .deleted, .row: break
        case .closed: remove(id)
        }
    }
}
