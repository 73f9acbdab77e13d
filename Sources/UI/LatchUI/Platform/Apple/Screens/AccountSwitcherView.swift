// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import SwiftUI

/// The accounts of the app's user, of which one is current.
public struct AccountSwitcherView<Row: View>: View {
    private let model: AccountSwitcherModel
    private let row: (Control, ControlView) -> Row

    /// Creates the view of a model; `row` replaces or decorates the standard view of a control.
    public init(_ model: AccountSwitcherModel, @ViewBuilder row: @escaping (Control, ControlView) -> Row) {
        self.model = model
        self.row = row
    }

    /// The view.
    public var body: some View {
        ScreenForm(model, row: row)
    }
}

extension AccountSwitcherView where Row == ControlView {
    /// Creates the view of a model.
    public init(_ model: AccountSwitcherModel) {
        self.init(model) { _, standard in standard }
    }
}

#Preview {
    AccountSwitcherView(AccountSwitcherModel(AccountSwitcherScreen()) { _ in .loaded([], currentID: nil) })
}
#endif
