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
        var registeredEmail: String? { route.customName == nil ? nil : route.email }
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

    /// Whether the signed-in user can change the account at the server.
    var hasUser: Bool { isSignedIn == true && hasUserService }

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
        for name in steps.compactMap(\.route.customName) { open(.custom(name)) }
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
        if let screen = route.kind.screen { return screen.isAvailable(in: self) }
        return customScreens.contains { $0 == route.customName } && (isSignedIn == true || !route.needsUser)
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

    mutating func insert(_ route: AuthRoute, at index: Int, isStart: Bool = false) {
        lastID += 1
        var screen = OpenScreen(id: lastID, route: route, isStart: isStart)
        let below = screens[..<index].last?.isForNewAccount == true
        screen.isForNewAccount =
            isSignedIn == true && !route.needsUser && (below || route.kind == .signIn || route.kind == .registration)
        screens.insert(screen, at: index)
    }

    mutating func remove(_ id: Int) {
        screens.removeAll { $0.id == id }
        start(with: .signIn(email: ""))
    }

    /// Opens a screen directly above another one, unless a screen of its kind is open below the visible one.
    mutating func insert(_ route: AuthRoute, above id: Int) {
        guard let index = index(of: id) else { return }
        if index == screens.count - 1 { return open(route) }
        guard allows(route), !screens.contains(where: { $0.route.isSameScreen(as: route) }) else { return }
        insert(route, at: index + 1)
    }

    /// Replaces a screen, or closes it if a screen of the new kind is already open.
    mutating func replace(_ id: Int, by route: AuthRoute) {
        guard let index = index(of: id) else { return }
        let isForNewAccount = screens[index].isForNewAccount
        screens.remove(at: index)
        guard !screens.contains(where: { $0.route.isSameScreen(as: route) }) else { return }
        insert(route, at: index)
        screens[index].isForNewAccount = isForNewAccount
    }

    /// Returns from a screen to the sign-in with an address, or to the content of a signed-in user.
    mutating func returnToSignIn(_ email: String, from id: Int) {
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

    /// Whether an address is that of the signed-in user.
    func isOwn(_ address: String) -> Bool {
        !address.isEmpty && address.lowercasedASCII() == email.lowercasedASCII()
    }
}

extension AuthFlow {
    /// A move of the flow, which the outcome of a screen leads to.
    enum Move: Hashable, Sendable {
        /// Stay: what the outcome says is known otherwise, such as the end of the session.
        case stay
        /// Close the screen, and then have an effect.
        case close(Effect? = nil)
        /// Open another screen above this one.
        case open(AuthRoute)
        /// Open the editing of the profile, which the screen has loaded.
        case edit
        /// Replace the screen by the password reset of the signed-in user.
        case resetPassword
        /// Return to the sign-in with an address.
        case returnToSignIn(email: String)
        /// Leave the sign-in.
        case cancelSignIn
        /// Have an effect, and stay.
        case perform(Effect)
        /// Take that the screen has signed a user in.
        case signedIn(by: AuthEvent.Way)
        /// Take that an account waits for the email to an address.
        case registered(email: String)
        /// Take that an address is verified.
        case verified(email: String)
        /// Take that the account of an address has another password.
        case passwordSet(email: String)
        /// Take that the account is deleted.
        case deleted

        /// The news for the app; nil for a move that is none.
        var event: AuthEvent? {
            switch self {
            case .signedIn(let way): .signedIn(by: way)
            case .registered(let email): .signedUp(email: email)
            case .deleted: .deleted
            default: nil
            }
        }
    }

    /// Makes the move that the outcome of a screen leads to, and returns its effects.
    ///
    /// - Parameter isForNewAccount: Whether the screen was opened for one more account of a signed-in user.
    mutating func follow(_ move: Move, of id: Int, isForNewAccount: Bool = false) -> [Effect] {
        // The server has done its work, also for a screen that was left in the meantime. A user who went back to the
        // content of another account stays there.
        if case .signedIn(let way) = move {
            if isForNewAccount, index(of: id) == nil, isSignedIn != false { return [.keepSignedIn] }
            return way == .password ? [.useSignedIn, .offerPasskey] : [.useSignedIn]
        }
        // The end of the session has closed the profile.
        if move == .deleted { return [.sayGoodbye] }
        guard let index = index(of: id) else { return [] }
        switch move {
        case .stay, .signedIn, .deleted: break
        case .close(let effect):
            remove(id)
            return effect.map { [$0] } ?? []
        case .open(let route): insert(route, above: id)
        case .edit:
            hasProfile = true
            insert(.editProfile, above: id)
        case .resetPassword: replace(id, by: .passwordReset(PasswordResetScreen(email: email)))
        case .returnToSignIn(let email): returnToSignIn(email, from: id)
        case .cancelSignIn:
            remove(id)
            return isSignedIn == false ? [.tellCancellation] : []
        case .perform(let effect): return [effect]
        case .registered(let email): awaitMail(to: email, after: id)
        case .verified(let email):
            guard isSignedIn == true, !screens[index].isForNewAccount else {
                returnToSignIn(email, from: id)
                break
            }
            remove(id)
            return [.reloadProfile]
        case .passwordSet(let email):
            if isSignedIn == true, !isForNewAccount, isOwn(email) { return [.signOut(email: email)] }
            returnToSignIn(email, from: id)
        }
        return []
    }

    /// Replaces a registration by the wait for its email, with the steps of the app above it.
    private mutating func awaitMail(to email: String, after id: Int) {
        guard let index = index(of: id) else { return }
        let count = screens.count
        replace(id, by: .verification(EmailVerificationScreen(email: email)))
        // Above the wait for the email, and below what the user sees if the registration was covered.
        var place = screens.count == count ? index + 1 : index
        for name in stepsAfterRegistration.reversed() {
            let step = AuthRoute.custom(name, email: email)
            guard !screens.contains(where: { $0.route.isSameScreen(as: step) }) else { continue }
            insert(step, at: place)
            place += 1
        }
    }
}
