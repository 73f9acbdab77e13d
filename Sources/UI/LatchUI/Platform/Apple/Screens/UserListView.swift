// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
public import SwiftUI

/// The users of a server, for its administrators.
public struct UserListView<Row: View>: View {
    private let model: UserListModel
    private let row: (Control, ControlView) -> Row

    /// Creates the view of a model; `row` replaces or decorates the standard view of a control.
    public init(_ model: UserListModel, @ViewBuilder row: @escaping (Control, ControlView) -> Row) {
        self.model = model
        self.row = row
    }

    /// The view.
    public var body: some View {
        ScreenForm(model, row: row)
    }
}

extension UserListView where Row == ControlView {
    /// Creates the view of a model.
    public init(_ model: UserListModel) {
        self.init(model) { _, standard in standard }
    }
}

#Preview {
    UserListView(UserListModel(UserListScreen()) { _ in throw ScreenFailure(.forbidden) })
}
#endif
