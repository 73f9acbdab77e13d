// SPDX-License-Identifier: Apache-2.0

public import LatchTexts

/// A row of an app in the menu and in the profile of an ``AuthModel``: a button that opens a screen, or has another
/// action.
///
/// ```swift
/// configuration.rows = [
///     AccountRow("plan", .verbatim("Plan"), symbol: "creditcard", opens: .custom("plan")),
///     AccountRow("help", .verbatim("Help"), in: [.menu], after: .devices) { _ in showHelp() },
/// ]
/// ```
public struct AccountRow: Sendable, Identifiable {
    /// A place of rows.
    public enum Place: Hashable, Sendable, CaseIterable {
        /// The menu of the user.
        case menu
        case profile
    }

    /// A row on a screen.
    struct Placement: Hashable, Sendable {
        let control: Control
        let predecessor: ControlID?
    }

    /// The identifier of its button, which no other control of the screens has.
    public let id: ControlID
    let shown: Placement
    let places: Set<Place>
    let action: @MainActor (AuthScene) -> Void

    /// Creates a row with an action.
    ///
    /// - Parameters:
    ///   - id: The identifier of its button, which no other control of the screens has.
    ///   - title: The text.
    ///   - symbol: The name of a system symbol (SF Symbols); nil for none.
    ///   - places: The places of the row.
    ///   - predecessor: The control below which it is, such as `.devices`; nil for the place above the sign-out.
    ///   - action: The action of the row, in the scene of its window.
    public init(
        _ id: ControlID, _ title: Phrase, symbol: String? = nil, in places: Set<Place> = [.menu, .profile],
        after predecessor: ControlID? = nil, action: @escaping @MainActor (AuthScene) -> Void
    ) {
        var control = Control.button(id, .secondary, title)
        control.symbol = symbol
        (self.id, self.places, self.action) = (id, places, action)
        shown = Placement(control: control, predecessor: predecessor)
    }

    /// Creates a row that opens a screen, such as one of the app.
    public init(
        _ id: ControlID, _ title: Phrase, symbol: String? = nil, in places: Set<Place> = [.menu, .profile],
        after predecessor: ControlID? = nil, opens route: AuthRoute
    ) {
        self.init(id, title, symbol: symbol, in: places, after: predecessor) { $0.push(route) }
    }
}

extension [AccountRow] {
    /// Returns the rows of a place, as its screen has them.
    func `in`(_ place: AccountRow.Place) -> [AccountRow.Placement] { filter { $0.places.contains(place) }.map(\.shown) }
}

extension [Control] {
    /// Returns the controls with rows of an app, each below its predecessor, or above the sign-out.
    func adding(_ rows: [AccountRow.Placement]) -> [Control] {
        var all = self
        let last = rows.filter { row in !contains { $0.id == row.predecessor } }
        all.insert(contentsOf: last.map(\.control), at: all.firstIndex { $0.id == .signOut } ?? all.endIndex)
        for row in rows.reversed() {
            guard let place = all.firstIndex(where: { $0.id == row.predecessor }) else { continue }
            all.insert(row.control, at: place + 1)
        }
        return all
    }
}
