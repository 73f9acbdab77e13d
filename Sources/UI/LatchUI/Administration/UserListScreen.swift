// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
public import LatchCore
public import LatchTexts

/// The users of a server, page by page, for administrators.
public struct UserListScreen: Screen {
    /// A request of the screen.
    public enum Request: Hashable, Sendable {
        /// Load a page; the first one without a cursor.
        case load(search: String, after: String?)
    }

    /// The response to a request.
    public enum Response: Hashable, Sendable {
        /// The first page, which replaces the list.
        case first(AccountPage)
        /// The next page, which continues the list.
        case next(AccountPage)
    }

    /// The end of the screen, or a screen that follows it.
    public enum Outcome: Hashable, Sendable {
        /// To one user.
        case selected(AccountProfile)
        /// The user has left the screen.
        case closed
    }

    /// The users of the pages so far; nil until the first one is loaded.
    public private(set) var users: [AccountProfile]?
    /// The field of the search.
    public var fields = Fields([Field(.search, .text, Phrase("users.search"), isRequired: false)])
    private var search = ""
    private var next: String?
    private var total = 0

    /// Creates the screen.
    public init() {}

    /// The heading over the accounts of the server.
    public var title: Phrase { Phrase("users.title") }

    /// The request for the first page; nil once it is loaded.
    public var loading: Request? { users == nil ? .load(search: search, after: nil) : nil }

    /// The request for the current first page.
    public var refreshing: Request? { .load(search: search, after: nil) }

    /// The search, the users, and the button for more.
    public var content: [Control] {
        let close = Control.button(.done, .cancel, Phrase("button.close"))
        guard let users else { return [close] }
        let more: [Control] = next == nil ? [] : [.button(.more, .secondary, Phrase("users.more"))]
        return fields.controls + [
            .button(.submit, .primary, Phrase("users.find")),
            .notice(.information, Phrase("users.count", .count(total))),
        ] + users.map(Self.row) + more + [close]
    }

    private static func row(_ user: AccountProfile) -> Control {
        .row(
            ControlID("user", item: user.id), .verbatim(user.shownName),
            detail: Phrase("users.detail", .text(user.email), .phrase(Phrase(role: user.role))),
            actions: [.button(.showUser(user.id), .secondary, Phrase("users.show", .text(user.shownName)))])
    }

    /// Handles the press of a button.
    public mutating func press(_ control: ControlID) -> ScreenStep<Self> {
        switch control {
        case .submit:
            search = fields.value(.search)
            return .perform(.load(search: search, after: nil))
        case .more: return next.map { .perform(.load(search: search, after: $0)) } ?? .stay
        case .done: return .finish(.closed)
        default:
            let user = users?.first { $0.id == control.item }
            return user.map { .navigate(.selected($0)) } ?? .stay
        }
    }

    /// Handles a page.
    public mutating func receive(_ response: Response) -> ScreenStep<Self> {
        switch response {
        case .first(let page):
            users = page.users
            (next, total) = (page.next, page.total)
        case .next(let page):
            // A user who was changed between two requests may be on two pages.
            let known = Set((users ?? []).map(\.id))
            users = (users ?? []) + page.users.filter { !known.contains($0.id) }
            (next, total) = (page.next, page.total)
        }
        return .stay
    }
}

extension ControlID {
    /// The field of a search.
    public static let search: ControlID = "search"
    /// The button that loads the next page.
    public static let more: ControlID = "more"

    /// Returns the button that shows a user.
    public static func showUser(_ id: String) -> ControlID { ControlID("showUser", item: id) }
}

/// The model of a ``UserListScreen``.
public typealias UserListModel = ScreenModel<UserListScreen>

extension ScreenModel where S == UserListScreen {
    /// Creates the list of the users of a client's backend.
    public convenience init(
        _ client: AuthClient, clock: WallClock = .system,
        onFinish: @escaping @MainActor (UserListScreen.Outcome) -> Void = { _ in }
    ) {
        self.init(UserListScreen(), clock: clock, onFinish: onFinish) { request in
            switch request {
            case .load(let search, let cursor):
                let page = try await client.users(matching: search, after: cursor)
                return cursor == nil ? .first(page) : .next(page)
            }
        }
    }
}
